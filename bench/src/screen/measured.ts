/** All of it in turns: whatever else the machine does meanwhile, it does to all of them. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Contender, echo, pi, pith } from "./contenders.ts";
import { type Typed, typed } from "./key-to-paint.ts";
import { writeLongTalk } from "./long-talk.ts";
import { printStart, screenStart } from "./starts.ts";

export interface ScreenWish {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  readonly runs: number;
  readonly keys: number;
  readonly idleMs: number;
}

export interface Measured {
  readonly typed: readonly Typed[];
  readonly starts: readonly {
    readonly name: string;
    readonly screenMs: readonly number[];
    readonly printMs: readonly number[];
  }[];
}

export async function measured(wish: ScreenWish): Promise<Measured> {
  const place = mkdtempSync(join(tmpdir(), "pith-screen-"));
  const ground = { folder: join(place, "work"), homes: join(place, "homes") };
  for (const folder of [ground.folder, ground.homes]) mkdirSync(folder);
  const programs = [pith(wish.program), ...(wish.pi ? [pi(wish.pi)] : [])];
  try {
    const rows: Typed[] = [];
    for (const contender of [echo(), ...programs]) {
      const session = join(place, `${contender.name}.jsonl`);
      writeLongTalk(session, ground.folder);
      rows.push(await typed({ ...wish, contender, session }, ground));
    }
    return { typed: rows, starts: await started(programs, { ...wish, ...ground }) };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function started(
  contenders: readonly Contender[],
  { runs, ...ground }: { readonly runs: number; readonly folder: string; readonly homes: string },
): Promise<Measured["starts"]> {
  const rows = contenders.map((contender) => ({ contender, screenMs: [] as number[], printMs: [] as number[] }));
  // The first of each fills caches.
  for (let turn = -1; turn < runs; turn += 1)
    for (const { contender, screenMs, printMs } of rows) {
      const [onScreen, printed] = [await screenStart(contender, ground), await printStart(contender, ground)];
      if (turn < 0) continue;
      screenMs.push(onScreen);
      printMs.push(printed);
    }
  return rows.map(({ contender: { name }, screenMs, printMs }) => ({ name, screenMs, printMs }));
}
