/** What a list of thousands of sessions costs, the first time and every other time. */

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { folderName } from "@pith/context/node";
import { median } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { fresh } from "./fresh.ts";
import type { Scene } from "./scene.ts";
import { writeOurSession } from "./written-sessions.ts";

const SESSIONS = 5_000;
const FOLDERS = 50;

export async function listFigures({ folder, home, settings }: Scene): Promise<Figures> {
  const { say, seed, corpus, quick } = settings;
  const pithHome = join(folder, "home");
  say(`writing ${SESSIONS} sessions in ${FOLDERS} folders`);
  const model = join(folder, "model.jsonl");
  writeOurSession(model, { entries: 20, compactions: 0, distance: 1000, seed, corpus });
  for (let at = 0; at < SESSIONS; at++) {
    const place = join(pithHome, "sessions", folderName(`/code/project-${at % FOLDERS}`));
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
