/** Has all contenders do the same task in turn, so that other load on the machine affects all of them. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxHere } from "@pith/agent/node";
import { type Contender, floor, type Ground, pi, pith, writeFiles } from "./contenders.ts";
import { prefixKept, watchMemory } from "./measurements.ts";
import { oneRun, type Times } from "./run-task.ts";

export interface Field {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  /** A floor by another hand. */
  readonly yardstick?: string;
  /** Whether our program runs with its sandbox as well, as it does for users; where none can be made, that is a failure. */
  readonly alsoSandboxed: boolean;
}

const ourFloor = join(import.meta.dirname, "floor.mjs");

export function starters(field: Field): readonly Contender[] {
  const { program, yardstick, pi: peer, alsoSandboxed } = field;
  return [
    floor("floor", ourFloor),
    pith("pith", program, ["--permission-mode", "all", "--sandbox", "off"]),
    ...(yardstick ? [floor("yardstick", yardstick)] : []),
    ...(peer ? [pi(peer)] : []),
    ...(alsoSandboxed ? [pith("pith_sandboxed", program, ["--permission-mode", "all", "--sandbox", "on"])] : []),
  ];
}

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
    if (wish.alsoSandboxed) await requireSandbox(ground);
    return await raced(starters(wish), { ...wish, ...ground });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Our program would go on without one, and its figures would be those of something else. */
async function requireSandbox({ folder, homes }: Ground): Promise<void> {
  const here = await sandboxHere({ environment: process.env, root: folder, home: homes });
  if (here.type === "does-not") throw new Error(`no sandbox can be made here: ${here.why}`);
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
