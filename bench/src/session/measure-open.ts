/** Measures opening a long session, compared with the minimum possible and with pi. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "@pith/context";
import { nodeRuntime, openStore } from "@pith/context/node";
import { entryId } from "../made-up-session.ts";
import { startPi } from "../peers/pi.ts";
import { median } from "../statistics.ts";
import type { Figures, SuiteOptions } from "../suite.ts";
import { runProgram, type SuiteContext, writePithSession } from "./setup.ts";

export async function measureOpening({ folder, packageFolder, options }: SuiteContext): Promise<Figures> {
  const { log, quick } = options;
  const files: SessionFiles = {
    long: writeTestSession(join(folder, "long.jsonl"), COMPACTIONS, options),
    moved: writeTestSession(join(folder, "moved.jsonl"), COMPACTIONS, options),
    longest: quick ? null : writeTestSession(join(folder, "longest.jsonl"), COMPACTIONS * 10, options),
  };
  const moveTargetEnd = await moveBack(files.moved);
  const rounds = quick ? 7 : 20;
  log(`${rounds} rounds of fresh processes, each file in turn`);
  const rows: OpenRound[] = [];
  for (let round = 0; round < rounds; round++)
    rows.push({
      ...(await runOpenRound(round, { files, moveTargetEnd, packageFolder })),
      pi: round < (quick ? 3 : PI_ROUNDS) ? await openWithPi(files.long) : null,
    });
  return toFigures(rows);
}

interface SessionFiles {
  readonly long: string;
  readonly moved: string;
  readonly longest: string | null;
}

function writeTestSession(file: string, compactions: number, { log, seed, corpus }: SuiteOptions): string {
  const entries = (ENTRIES / COMPACTIONS) * compactions;
  // As many entries after the last compaction as between two, so that every file has the same context.
  const distance = Math.floor(entries / (compactions + 1));
  log(`writing a session of ${entries} entries with ${compactions} compactions`);
  writePithSession(file, { entries, compactions, distance, seed, corpus });
  return file;
}

const ENTRIES = 100_000;
const COMPACTIONS = 50;
const MOVE_TARGET = 5_000;
/** Coprime to the number of files, so that the order changes from round to round. */
const ORDER_STRIDE = 3;

/** Moves the leaf far back, as `/tree` does. Returns the byte offset of the end of the target's line. */
async function moveBack(file: string): Promise<number> {
  const opened = await openStore(file);
  if (opened.type !== "opened")
    throw new Error(`cannot open the session that was just written: ${JSON.stringify(opened)}`);
  const session = await Session.open(opened.store, nodeRuntime);
  await session.move(entryId(MOVE_TARGET));
  await opened.store.close();
  const bytes = readFileSync(file);
  return bytes.indexOf(0x0a, bytes.indexOf(`"id":"${entryId(MOVE_TARGET)}"`));
}

interface OpenRound {
  readonly bare: OpenResult;
  readonly ours: OpenResult;
  readonly movedBare: OpenResult;
  readonly moved: OpenResult;
  readonly longest: OpenResult | null;
  readonly pi: OpenResult | null;
}

interface OpenResult {
  readonly openMs: number;
  readonly contextMs: number;
  readonly rssMb: number;
  readonly entries: number;
}

interface OpenOptions {
  readonly files: SessionFiles;
  /** The byte offset of the end of the line that the leaf was moved to. */
  readonly moveTargetEnd: number;
  readonly packageFolder: string;
}

// Uses another order in each round, because a process that follows one of its own kind finds warmer caches.
async function runOpenRound(
  round: number,
  { files, moveTargetEnd, packageFolder }: OpenOptions,
): Promise<Omit<OpenRound, "pi">> {
  const { long, moved, longest } = files;
  const runs: readonly (readonly [keyof OpenRound, () => Promise<OpenResult>])[] = [
    ["bare", () => runProgram<OpenResult>("open-bare.mjs", long)],
    ["ours", () => runProgram<OpenResult>("open-ours.mjs", packageFolder, long)],
    ["movedBare", () => runProgram<OpenResult>("open-bare.mjs", moved, String(moveTargetEnd))],
    ["moved", () => runProgram<OpenResult>("open-ours.mjs", packageFolder, moved)],
    ...(longest === null
      ? []
      : [["longest", () => runProgram<OpenResult>("open-ours.mjs", packageFolder, longest)] as const]),
  ];
  const row: Partial<Record<keyof OpenRound, OpenResult>> = {};
  for (const index of runs.keys()) {
    const [name, run] = runs[(index * ORDER_STRIDE + round) % runs.length] ?? [];
    if (name && run) row[name] = await run();
  }
  return { longest: null, ...row } as Omit<OpenRound, "pi">;
}

/** pi takes seconds for each round, so that only a few are run. */
const PI_ROUNDS = 5;

async function openWithPi(file: string): Promise<OpenResult> {
  const pi = startPi();
  try {
    return (await pi.request({ op: "openContext", file })) as OpenResult;
  } finally {
    pi.stop();
  }
}

function toFigures(rows: readonly OpenRound[]): Figures {
  const [first] = rows;
  if (!first || first.ours.entries !== first.bare.entries)
    throw new Error(`the window has ${first?.ours.entries} entries, the bare reader found ${first?.bare.entries}`);
  const medianOf = (pick: (row: OpenRound) => number | undefined): number =>
    median(rows.map(pick).filter((value) => value !== undefined));
  const [floorMs, openMs] = [medianOf((row) => row.bare.openMs), medianOf((row) => row.ours.openMs)];
  const [movedFloorMs, movedMs] = [medianOf((row) => row.movedBare.openMs), medianOf((row) => row.moved.openMs)];
  const [contextMs, piContextMs] = [medianOf((row) => row.ours.contextMs), medianOf((row) => row.pi?.contextMs)];
  const shared = {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    window_entries: first.ours.entries,
    limit_ms: floorMs,
    open_ms: openMs,
    open_x_limit: openMs / floorMs,
    open_context_ms: contextMs,
    pi_open_context_ms: piContextMs,
    open_x_pi: contextMs / piContextMs,
    rss_mb: medianOf((row) => row.ours.rssMb),
    limit_rss_mb: medianOf((row) => row.bare.rssMb),
    pi_rss_mb: medianOf((row) => row.pi?.rssMb),
    moved_limit_ms: movedFloorMs,
    moved_ms: movedMs,
    moved_x_limit: movedMs / movedFloorMs,
  };
  if (first.longest === null) return shared;
  const longestMs = medianOf((row) => row.longest?.openMs);
  return { ...shared, open_1m_ms: longestMs, flat_1m: longestMs / openMs };
}
