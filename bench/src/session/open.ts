/** Measures what opening a long session costs, beside the least it can cost and beside pi. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "@pith/context";
import { nodeRuntime, openStore } from "@pith/context/node";
import { idOf } from "../made-up-session.ts";
import { startPi } from "../peers/pi.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings } from "../suite.ts";
import { fresh, type Scene, writeOurSession } from "./setup.ts";

const ENTRIES = 100_000;
const COMPACTIONS = 50;
const MOVED_TO = 5_000;
/** Coprime to the number of files, so that who follows whom changes from round to round. */
const STRIDE = 3;

interface Opened {
  readonly openMs: number;
  readonly contextMs: number;
  readonly rssMb: number;
  readonly entries: number;
}

/** One round. */
interface Row {
  readonly bare: Opened;
  readonly ours: Opened;
  readonly movedBare: Opened;
  readonly moved: Opened;
  readonly longest: Opened | null;
  readonly pi: Opened | null;
}

export async function openFigures({ folder, home, settings }: Scene): Promise<Figures> {
  const { say, quick } = settings;
  const files: SessionFiles = {
    long: written(join(folder, "long.jsonl"), COMPACTIONS, settings),
    moved: written(join(folder, "moved.jsonl"), COMPACTIONS, settings),
    longest: quick ? null : written(join(folder, "longest.jsonl"), COMPACTIONS * 10, settings),
  };
  const target = await moveBack(files.moved);
  const rounds = quick ? 7 : 20;
  say(`${rounds} rounds of fresh processes, each file in turn`);
  const rows: Row[] = [];
  for (let round = 0; round < rounds; round++)
    rows.push({
      ...(await openedOnce(round, { files, target, home })),
      pi: round < (quick ? 3 : PI_ROUNDS) ? await openInPi(files.long) : null,
    });
  return figuresOf(rows);
}

interface SessionFiles {
  readonly long: string;
  readonly moved: string;
  readonly longest: string | null;
}

// Each time in another order: a process that follows one of its own kind finds its machine warmer.
async function openedOnce(round: number, { files, target, home }: Opening): Promise<Omit<Row, "pi">> {
  const { long, moved, longest } = files;
  const acts: readonly (readonly [keyof Row, () => Promise<Opened>])[] = [
    ["bare", () => fresh<Opened>("open-bare.mjs", long)],
    ["ours", () => fresh<Opened>("open-ours.mjs", home, long)],
    ["movedBare", () => fresh<Opened>("open-bare.mjs", moved, String(target))],
    ["moved", () => fresh<Opened>("open-ours.mjs", home, moved)],
    ...(longest === null ? [] : [["longest", () => fresh<Opened>("open-ours.mjs", home, longest)] as const]),
  ];
  const row: Partial<Record<keyof Row, Opened>> = {};
  for (const at of acts.keys()) {
    const [name, act] = acts[(at * STRIDE + round) % acts.length] ?? [];
    if (name && act) row[name] = await act();
  }
  return { longest: null, ...row } as Omit<Row, "pi">;
}

interface Opening {
  readonly files: SessionFiles;
  /** Where the line ends that the leaf was moved to. */
  readonly target: number;
  readonly home: string;
}

function figuresOf(rows: readonly Row[]): Figures {
  const [first] = rows;
  if (!first || first.ours.entries !== first.bare.entries)
    throw new Error(`the window has ${first?.ours.entries} entries, the bare reader found ${first?.bare.entries}`);
  const of = (pick: (row: Row) => number | undefined): number =>
    median(rows.map(pick).filter((value) => value !== undefined));
  const [limit, ours] = [of((row) => row.bare.openMs), of((row) => row.ours.openMs)];
  const [movedLimit, moved] = [of((row) => row.movedBare.openMs), of((row) => row.moved.openMs)];
  const [context, pi] = [of((row) => row.ours.contextMs), of((row) => row.pi?.contextMs)];
  const shared = {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    window_entries: first.ours.entries,
    limit_ms: limit,
    open_ms: ours,
    open_x_limit: ours / limit,
    open_context_ms: context,
    pi_open_context_ms: pi,
    open_x_pi: context / pi,
    rss_mb: of((row) => row.ours.rssMb),
    limit_rss_mb: of((row) => row.bare.rssMb),
    pi_rss_mb: of((row) => row.pi?.rssMb),
    moved_limit_ms: movedLimit,
    moved_ms: moved,
    moved_x_limit: moved / movedLimit,
  };
  if (first.longest === null) return shared;
  const longest = of((row) => row.longest?.openMs);
  return { ...shared, open_1m_ms: longest, flat_1m: longest / ours };
}

/** pi takes seconds each time; a few are enough to know. */
const PI_ROUNDS = 5;

function written(file: string, compactions: number, { say, seed, corpus }: Settings): string {
  const entries = (ENTRIES / COMPACTIONS) * compactions;
  // As many entries behind the last compaction as between two: then the context is the same in every file.
  const distance = Math.floor(entries / (compactions + 1));
  say(`writing a session of ${entries} entries with ${compactions} compactions`);
  writeOurSession(file, { entries, compactions, distance, seed, corpus });
  return file;
}

/** Moves the leaf far back, as `/tree` does; returns where the line of the target ends. */
async function moveBack(file: string): Promise<number> {
  const opened = await openStore(file);
  if (opened.type !== "opened") throw new Error(`cannot open what was just written: ${JSON.stringify(opened)}`);
  const session = await Session.open(opened.store, nodeRuntime);
  await session.move(idOf(MOVED_TO));
  await opened.store.close();
  const bytes = readFileSync(file);
  return bytes.indexOf(0x0a, bytes.indexOf(`"id":"${idOf(MOVED_TO)}"`));
}

async function openInPi(file: string): Promise<Opened> {
  const pi = startPi();
  try {
    return (await pi.ask({ op: "openContext", file })) as Opened;
  } finally {
    pi.end();
  }
}
