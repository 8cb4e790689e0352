/** Checks a session after an operation was killed: everything from before and everything acknowledged is intact, and the next writer continues. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { type EntryPlace, findFaults, readContents } from "./file-contents.ts";
import { type Operation, steps, targetFile } from "./operations.ts";
import { message, parseReport } from "./report.ts";

export interface KilledRun {
  readonly folder: string;
  /** The folder as it was before the act. */
  readonly before: string;
  /** What the killed one had said. */
  readonly output: string;
}

export async function checkAfterKill(act: Operation, killed: KilledRun): Promise<readonly string[]> {
  const path = join(killed.folder, targetFile(act));
  const acknowledged = parseReport(killed.output);
  const source = join(killed.before, "s.jsonl");
  const known = [...(act === "create" ? [] : (await readContents(source)).entries), ...acknowledged];
  const isThere = existsSync(path);
  return [
    ...(isThere || !killed.output.startsWith("made") ? [] : ["it was made, and is not there"]),
    ...(isThere ? findFaults(await readContents(path), known, [0, nextStep(act, acknowledged.length)]) : []),
    ...(act === "migrate" ? wrongInMigrated(path, source) : []),
    ...(act === "fork" && !isSame(source, join(killed.folder, "s.jsonl"))
      ? ["the source of the fork has changed"]
      : []),
    ...(isThere || act === "create" ? await wrongInNext(path) : []),
    ...(act === "migrate" && !isSame(source, `${path}.bak`) ? [".bak is not the old file"] : []),
    ...(act === "mend" ? wrongAside(path) : []),
  ];
}

/** The size of the batch that was under way. */
function nextStep(act: Operation, acknowledgedCount: number): number {
  let before = 0;
  for (const size of steps[act]) {
    if (before === acknowledgedCount) return size;
    before += size;
  }
  return 0;
}

// D15: wholly old, or wholly new with the old one beside it.
function wrongInMigrated(path: string, source: string): readonly string[] {
  if (isSame(source, path) || isSame(source, `${path}.bak`)) return [];
  return ["it is no longer the old file, and .bak is not the old file"];
}

async function wrongInNext(path: string): Promise<readonly string[]> {
  const known = existsSync(path) ? (await readContents(path)).entries : [];
  const opened = await (existsSync(path) ? openStore(path) : createStore(path, { cwd: "/" }));
  if (opened.type !== "opened") return [`the next writer cannot open it: ${JSON.stringify(opened)}`];
  const session = await Session.open(opened.store, nodeRuntime);
  const next = message(200);
  const added: EntryPlace = { id: next.id, parentId: session.leaf };
  const outcome = await session.append(next);
  const damage = await opened.store.check();
  await opened.store.close();
  if (outcome.type !== "appended") return [`the next writer cannot append: ${JSON.stringify(outcome)}`];
  return [
    ...damage.map(({ kind }) => `after the next append there is damage: ${kind}`),
    ...findFaults(await readContents(path), [...known, added], [0]).map((fault) => `after the next append: ${fault}`),
  ];
}

function wrongAside(path: string): readonly string[] {
  const aside = `${path}.damaged`;
  return existsSync(aside) && readFileSync(aside, "utf8").includes('"id":"torn"') ? [] : ["the torn end was not kept"];
}

function isSame(one: string, other: string): boolean {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other));
}
