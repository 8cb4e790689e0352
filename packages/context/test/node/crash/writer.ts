/** A child program: `PATH BYTES DURABILITY SEED`. Adds to a session, single entries, batches and moves, until it is killed. */

import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setImmediate as pause } from "node:timers/promises";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { appendAndReport, moveAndReport } from "./report.ts";

const [path = "", bytes = "200", durability = "durable", seed = "0"] = process.argv.slice(2);
const chance = createSeededRandom(Number(seed));
const parts = { durability: durability as Durability };
const opened = await (existsSync(path) ? openStore(path, parts) : createStore(path, { cwd: "/" }, parts));
if (opened.type !== "opened") throw new Error(`not opened: ${JSON.stringify(opened)}`);
const session = await Session.open(opened.store, nodeRuntime);
// Whoever is killed has no end at which to keep what was compiled.
flushCompileCache();

for (;;) {
  const throwOf = chance();
  const longer = 2 + Math.floor(chance() * (Number(bytes) > 1_000_000 ? 1 : 3));
  const target = session.branch.entries.at(-1 - Math.floor(chance() * 8));
  if (throwOf < 0.03 && target) await moveAndReport(session, target.id);
  else await appendAndReport(session, throwOf < 0.2 ? longer : 1, Number(bytes));
  await pause();
}
