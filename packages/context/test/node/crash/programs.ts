/** The programs that the tests of crashes start: `node programs.ts NAME ARGUMENTS…`. */

import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setImmediate as pause, setTimeout as wait } from "node:timers/promises";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import type { JsonlStore } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenResult, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { readContents } from "./file-contents.ts";
import { appendAndReport, message, moveAndReport, report } from "./report.ts";

export type ProgramName = "write" | "write-in-turns" | "follow" | "read";

const programs: Readonly<Record<ProgramName, (...args: readonly string[]) => Promise<void>>> = {
  write: writeUntilKilled,
  "write-in-turns": writeInTurns,
  follow,
  read: async (path = "") => console.log(JSON.stringify(await readContents(path))),
};

/** Adds to a session, single entries, batches and moves, until it is killed. */
async function writeUntilKilled(path = "", bytes = "200", durability = "durable", seed = "0"): Promise<void> {
  const chance = createSeededRandom(Number(seed));
  const parts = { durability: durability as Durability };
  const store = requireStore(
    await (existsSync(path) ? openStore(path, parts) : createStore(path, { cwd: "/" }, parts)),
  );
  const session = await Session.open(store, nodeRuntime);
  // A killed process has no end at which to keep what was compiled.
  flushCompileCache();

  for (;;) {
    const throwOf = chance();
    const longer = 2 + Math.floor(chance() * (Number(bytes) > 1_000_000 ? 1 : 3));
    const target = session.branch.entries.at(-1 - Math.floor(chance() * 8));
    if (throwOf < 0.03 && target) await moveAndReport(session, target.id);
    else await appendAndReport(session, throwOf < 0.2 ? longer : 1, Number(bytes));
    await pause();
  }
}

/** One of several writers: waits for its turn, appends up to `turn` entries, lets others in, until `count` are acknowledged. */
async function writeInTurns(path = "", count = "0", turn = "0"): Promise<void> {
  const acknowledged: string[] = [];
  while (acknowledged.length < Number(count)) {
    const opened = await openStore(path);
    if (opened.type === "unavailable") throw new Error(opened.why);
    if (opened.type === "opened") {
      const most = Math.min(Number(count) - acknowledged.length, Number(turn));
      acknowledged.push(...(await writeTurn(opened.store, most)));
      await opened.store.close();
    }
    await wait(5 + Math.random() * 20);
  }
  report(...acknowledged);
}

async function writeTurn(store: JsonlStore, most: number): Promise<readonly string[]> {
  const session = await Session.open(store, nodeRuntime);
  const acknowledged: string[] = [];
  while (acknowledged.length < most) {
    const next = message(200);
    const outcome = await session.append(next);
    if (outcome.type === "appended") acknowledged.push(next.id);
    else if (outcome.type === "refused" && outcome.why === "lease-lost") break;
    else throw new Error(`not appended: ${JSON.stringify(outcome)}`);
  }
  return acknowledged;
}

/** Follows a session, and reports the id of every entry that it gets, until there were `count` of them and no more come. */
async function follow(path = "", count = "0"): Promise<void> {
  const store = requireStore(await openStore(path, { mode: "follower" }));
  report("ready");

  const stop = new AbortController();
  let entryCount = 0;
  for await (const entries of store.follow({ signal: stop.signal, intervalMs: 20 })) {
    report(...entries.map(({ id }) => id));
    entryCount += entries.length;
    // An entry shown twice would come now.
    if (entryCount >= Number(count)) void wait(300).then(() => stop.abort());
  }
  await store.close();
}

function requireStore(opened: OpenResult): JsonlStore {
  if (opened.type !== "opened") throw new Error(`not opened: ${JSON.stringify(opened)}`);
  return opened.store;
}

const [name = "", ...args] = process.argv.slice(2);
await programs[name as ProgramName](...args);
