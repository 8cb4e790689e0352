/** Everyone does the same task in turns: whatever else the machine does meanwhile, it does to all of them. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Contender, Ground } from "./contenders.ts";
import { watchMemory } from "./memory.ts";
import { oneRun, type Times } from "./one-run.ts";
import { prefixKept } from "./prefix-kept.ts";
import { type Field, starters } from "./starters.ts";
import { writeFiles } from "./task.ts";

export interface RaceWish extends Field {
  readonly runs: number;
  readonly rounds: number;
}

export interface Result extends Sent {
  readonly name: string;
  readonly times: readonly Times[];
  readonly rssMb: number;
}

interface Sent {
  readonly firstRequestBytes: number;
  readonly prefixKept: number;
}

export async function race(wish: RaceWish): Promise<readonly Result[]> {
  const place = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const ground = { folder: join(place, "files"), homes: join(place, "homes") };
  for (const folder of [ground.folder, ground.homes]) mkdirSync(folder);
  writeFiles(ground.folder);
  try {
    return await raced(await starters(wish, ground), { ...wish, ...ground });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

type Course = Ground & Pick<RaceWish, "runs" | "rounds">;

async function raced(contenders: readonly Contender[], course: Course): Promise<readonly Result[]> {
  const lanes: Lane[] = [];
  for (const contender of contenders) lanes.push(await laneOf(contender, course));
  for (let turn = 0; turn < course.runs; turn += 1)
    for (const { contender, times } of lanes) times.push((await oneRun(contender, course)).times);
  const results: Result[] = [];
  for (const { contender, times, sent } of lanes)
    results.push({ name: contender.name, times, ...sent, rssMb: (await memoryOf(contender, course)) / 1e6 });
  return results;
}

interface Lane {
  readonly contender: Contender;
  readonly sent: Sent;
  readonly times: Times[];
}

/** A first run, which fills the caches, shows what is sent; it is the same in every run. */
async function laneOf(contender: Contender, course: Course): Promise<Lane> {
  const { served } = await oneRun(contender, course);
  const sent = { firstRequestBytes: served[0]?.bytes ?? 0, prefixKept: prefixKept(served.map(({ body }) => body)) };
  return { contender, sent, times: [] };
}

/** In a run of its own: looking takes time. */
async function memoryOf(contender: Contender, course: Course): Promise<number> {
  let watched: ReturnType<typeof watchMemory> | undefined;
  const watch = ({ pid = 0 }): void => {
    watched = watchMemory(pid);
  };
  await oneRun(contender, { ...course, watch });
  return watched?.stop() ?? 0;
}
