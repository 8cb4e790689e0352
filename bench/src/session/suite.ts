/** `pnpm bench session`: what opening, appending and listing cost, beside the bare limit and beside pi, each in fresh processes. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "@pith/context";
import { machine, openStore } from "@pith/context/node";
import { idOf } from "../made-up-session.ts";
import { startPi } from "../peers/pi.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { fresh } from "./fresh.ts";
import { listFigures } from "./list.ts";
import { writeOurSession } from "./written-sessions.ts";

export const sessionSuite: Suite = {
  name: "session",
  about: "open, move, append and list sessions of 100,000 and 1,000,000 entries on disk, beside pi and the bare limit",
  run: runSession,
};

const ENTRIES = 100_000;
const COMPACTIONS = 50;
const MOVED_TO = 5_000;
const workspace = join(import.meta.dirname, "../../..");
const home = join(workspace, "packages/context");

async function runSession(settings: Settings): Promise<Figures> {
  settings.say("building the package");
  execFileSync(process.execPath, [join(workspace, "node_modules/typescript/bin/tsc"), "-b", home], {
    stdio: "inherit",
  });
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  try {
    return {
      ...(await openFigures(folder, settings)),
      ...(await appendFigures(folder, settings)),
      ...(await listFigures(folder, settings, home)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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

async function openFigures(folder: string, settings: Settings): Promise<Figures> {
  const { say, quick } = settings;
  const long = written(join(folder, "long.jsonl"), COMPACTIONS, settings);
  const moved = written(join(folder, "moved.jsonl"), COMPACTIONS, settings);
  const target = await moveBack(moved);
  const longest = quick ? null : written(join(folder, "longest.jsonl"), COMPACTIONS * 10, settings);
  const rounds = quick ? 5 : 15;
  say(`${rounds} rounds of fresh processes, each file in turn`);
  const rows: Row[] = [];
  for (let round = 0; round < rounds; round++) {
    rows.push({
      bare: await fresh<Opened>("open-bare.mjs", long),
      ours: await fresh<Opened>("open-ours.mjs", home, long),
      movedBare: await fresh<Opened>("open-bare.mjs", moved, String(target)),
      moved: await fresh<Opened>("open-ours.mjs", home, moved),
      longest: longest === null ? null : await fresh<Opened>("open-ours.mjs", home, longest),
      pi: round < PI_ROUNDS ? await openInPi(long) : null,
    });
  }
  const [first] = rows;
  if (!first || first.ours.entries !== first.bare.entries)
    throw new Error(`the window has ${first?.ours.entries} entries, the bare reader found ${first?.bare.entries}`);
  const of = (pick: (row: Row) => number | undefined): number =>
    median(rows.map(pick).filter((value) => value !== undefined));
  return {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    window_entries: first.ours.entries,
    limit_ms: of((row) => row.bare.openMs),
    open_ms: of((row) => row.ours.openMs),
    open_x_limit: of((row) => row.ours.openMs) / of((row) => row.bare.openMs),
    open_context_ms: of((row) => row.ours.contextMs),
    pi_open_context_ms: of((row) => row.pi?.contextMs),
    open_x_pi: of((row) => row.ours.contextMs) / of((row) => row.pi?.contextMs),
    rss_mb: of((row) => row.ours.rssMb),
    limit_rss_mb: of((row) => row.bare.rssMb),
    pi_rss_mb: of((row) => row.pi?.rssMb),
    moved_limit_ms: of((row) => row.movedBare.openMs),
    moved_ms: of((row) => row.moved.openMs),
    moved_x_limit: of((row) => row.moved.openMs) / of((row) => row.movedBare.openMs),
    ...(longest === null
      ? {}
      : {
          open_1m_ms: of((row) => row.longest?.openMs),
          flat_1m: of((row) => row.longest?.openMs) / of((row) => row.ours.openMs),
        }),
  };
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
  const session = await Session.open(opened.store, machine);
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

async function appendFigures(folder: string, { say, quick }: Settings): Promise<Figures> {
  const rounds = quick ? 3 : 7;
  say(`${rounds} rounds of appends beside the bare write`);
  const rows: Appends<number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const place = join(folder, `append-${round}`);
    mkdirSync(place);
    const took = await fresh<Appends<number[]>>("append.mjs", home, place, "400");
    // The first ones compile; an agent appends for hours.
    const usual = (times: readonly number[]): number => median(times.slice(100));
    rows.push({ bare: usual(took.bare), store: usual(took.store), session: usual(took.session) });
  }
  return {
    append_bare_ms: median(rows.map((row) => row.bare)),
    append_durable_ms: median(rows.map((row) => row.store)),
    append_durable_x_bare: median(rows.map((row) => row.store / row.bare)),
    session_append_ms: median(rows.map((row) => row.session)),
  };
}

interface Appends<Each> {
  readonly bare: Each;
  readonly store: Each;
  readonly session: Each;
}
