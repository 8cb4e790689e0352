/** Lists the operations that run under strace: the files before each, and the batches it appends. */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStore } from "../../../src/node/jsonl/open-store.ts";
import { realProcessTable } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { message } from "./report.ts";

/** The sizes of the batches that each operation appends, in order. */
export const steps = {
  create: [1],
  append: [1, 3, 1, 1],
  "append-fast": [1, 2],
  fork: [1],
  mend: [1, 1],
  migrate: [1, 1],
} as const;

export type Operation = keyof typeof steps;
export const operations = Object.keys(steps) as readonly Operation[];

/** The file that the operation writes. */
export function targetFile(act: Operation): string {
  if (act === "create") return join("new", "folder", "s.jsonl");
  return act === "fork" ? "fork.jsonl" : "s.jsonl";
}

/** Creates the folder as the operation finds it. */
export async function prepare(act: Operation, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "s.jsonl");
  if (act === "create") return;
  if (act === "migrate") writeFileSync(path, oldFile);
  else await createThreeEntrySession(path, act === "mend");
  if (act === "mend") appendFileSync(path, '{"type":"message","id":"torn","par');
}

/** A file of version 1: a chain without ids. */
const oldFile = [
  '{"type":"session","id":"s1","timestamp":"2025-11-01T00:00:00.000Z","cwd":"/home/ada","provider":"anthropic"}',
  oldMessageLine("one"),
  oldMessageLine("two"),
  oldMessageLine("three"),
  "",
].join("\n");

function oldMessageLine(text: string): string {
  return `{"type":"message","timestamp":"2025-11-01T00:00:01.000Z","message":{"role":"user","content":"${text}","timestamp":1}}`;
}

/** With `writerDied` the session was never closed, and its lease names a pid that now belongs to another process. */
async function createThreeEntrySession(path: string, writerDied: boolean): Promise<void> {
  const self = (now: number) => ({ ...realProcessTable.self(now), started: "1" });
  const dead = { self, isAlive: () => true };
  const opened = await createStore(path, { cwd: "/" }, writerDied ? { processes: dead } : {});
  if (opened.type !== "opened") throw new Error(`not made: ${JSON.stringify(opened)}`);
  const session = await Session.open(opened.store, nodeRuntime);
  for (let count = 0; count < 3; count++) await session.append(message(200));
  if (!writerDied) await opened.store.close();
}
