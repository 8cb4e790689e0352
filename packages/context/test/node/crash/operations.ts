/** Runs an operation on a session under strace: the files before it, the operation as a program (arguments: OPERATION FOLDER), and the checks after it was killed. */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realFiles } from "../../../src/node/files.ts";
import type { StoreOptions } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenResult, openStore } from "../../../src/node/jsonl/open-store.ts";
import { createFileAtomically } from "../../../src/node/jsonl/rewrite.ts";
import { realProcessTable } from "../../../src/node/lease.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { Session } from "../../../src/session/session.ts";
import { type EntryPlace, findFaults, readContents } from "./file-contents.ts";
import { appendAndReport, message, moveAndReport, parseReport, report } from "./report.ts";

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

/** Runs one operation on the session in the folder and reports what was acknowledged, with the same system calls in the same order each time. */
async function runOperation(act: Operation, folder: string): Promise<void> {
  const path = join(folder, targetFile(act));
  let nonces = 0;
  const parts: StoreOptions = { runtime: { ...nodeRuntime, nonce: () => `nonce${++nonces}` } };
  switch (act) {
    case "create":
      return within(await createStore(path, { cwd: "/" }, parts), async (session) => {
        report("made");
        await appendAndReport(session, 1, 200);
      });
    case "append":
      return within(await openStore(path, parts), async (session) => {
        await appendAndReport(session, 1, 200);
        await appendAndReport(session, 3, 200);
        await moveAndReport(session, session.branch.entries[0]?.id ?? "");
        await appendAndReport(session, 1, 200);
      });
    case "append-fast":
      return within(await openStore(path, { ...parts, durability: "fast" }), async (session) => {
        await appendAndReport(session, 1, 200);
        // Long enough for an index to be kept.
        await appendAndReport(session, 2, 600_000);
      });
    case "mend":
    case "migrate":
      return within(await openStore(path, parts), async (session) => {
        await appendAndReport(session, 1, 200);
        await appendAndReport(session, 1, 200);
      });
    case "fork":
      await within(await openStore(join(folder, "s.jsonl"), { ...parts, mode: "follower" }), async (session) => {
        createFileAtomically(path, await session.fork(), realFiles);
      });
      report("made");
      return within(await openStore(path, parts), (session) => appendAndReport(session, 1, 200));
  }
}

async function within(opened: OpenResult, use: (session: Session) => Promise<void>): Promise<void> {
  if (opened.type !== "opened") throw new Error(`not opened: ${JSON.stringify(opened)}`);
  await use(await Session.open(opened.store, nodeRuntime));
  await opened.store.close();
}

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

if (import.meta.main) {
  const [act = "", folder = ""] = process.argv.slice(2);
  await runOperation(act as Operation, folder);
}
