/** Runs `pnpm bench session`: what opening, appending and listing cost, beside the bare limit and pi, each in fresh processes. */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionFolderName } from "@pith/context/node";
import { installBuiltContext } from "../built-package.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { onePathFigures } from "./one-path.ts";
import { openFigures } from "./open.ts";
import { fresh, type Scene, writeOurSession } from "./setup.ts";

/** Appends that would survive a power cut, beside a bare write and sync. */
export async function appendFigures({ folder, home, settings: { say, quick } }: Scene): Promise<Figures> {
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

const SESSIONS = 5_000;
const FOLDERS = 50;

export async function listFigures({ folder, home, settings }: Scene): Promise<Figures> {
  const { say, seed, corpus, quick } = settings;
  const pithHome = join(folder, "home");
  say(`writing ${SESSIONS} sessions in ${FOLDERS} folders`);
  const model = join(folder, "model.jsonl");
  writeOurSession(model, { entries: 20, compactions: 0, distance: 1000, seed, corpus });
  for (let at = 0; at < SESSIONS; at++) {
    const place = join(pithHome, "sessions", sessionFolderName(`/code/project-${at % FOLDERS}`));
    mkdirSync(place, { recursive: true, mode: 0o700 });
    copyFileSync(model, join(place, `2026-01-01T00-00-00-000Z_session-${at}.jsonl`));
  }
  const list = (): Promise<Listed> => fresh<Listed>("list.mjs", home, pithHome);
  const first = await list();
  const warm: Listed[] = [];
  for (let round = 0; round < (quick ? 5 : 15); round++) warm.push(await list());
  if (warm.some(({ sessions }) => sessions !== SESSIONS))
    throw new Error(`not all of ${SESSIONS} sessions were listed`);
  return {
    list_first_ms: first.listMs,
    list_5000_ms: median(warm.map(({ listMs }) => listMs)),
    list_rss_mb: median(warm.map(({ rssMb }) => rssMb)),
  };
}

interface Listed {
  readonly listMs: number;
  readonly sessions: number;
  readonly rssMb: number;
}

export const sessionSuite: Suite = {
  name: "session",
  about: "open, move, append and list sessions of 100,000 and 1,000,000 entries on disk, beside pi and the bare limit",
  run: runSession,
};

async function runSession(settings: Settings): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  try {
    settings.say("packing the package");
    const { home, measured } = await installBuiltContext(folder);
    const scene: Scene = { folder, home, settings };
    return {
      measured,
      ...(await openFigures(scene)),
      ...(await onePathFigures(scene)),
      ...(await appendFigures(scene)),
      ...(await listFigures(scene)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
