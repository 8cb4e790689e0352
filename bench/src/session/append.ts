/** What an append costs that would survive a power cut, beside the bare act. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { median } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { fresh } from "./fresh.ts";
import type { Scene } from "./scene.ts";

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
