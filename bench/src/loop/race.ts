/** Has all contenders do the same task in turn, so that other load on the machine affects all of them. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Contender, floor, type Ground, pi, pith, writeFiles } from "./contenders.ts";
import { prefixKept, watchMemory } from "./measurements.ts";
import { oneRun, type Times } from "./run-task.ts";

/**
 * Our program's sandbox as a command prefix, so that the floor can run its bash in the same one; null where our program does not use
 * bwrap, or cannot here.
 */
export async function sandboxCommand(sandboxed: Contender, ground: Ground): Promise<readonly string[] | null> {
  const noted = join(ground.homes, "bwrap-arguments");
  const folder = standIn(ground.homes, noted);
  const command: Contender["command"] = (url, place) => {
    const { args, env } = sandboxed.command(url, place);
    return { args, env: { ...env, PATH: `${folder}:${env.PATH}` } };
  };
  await oneRun({ ...sandboxed, command }, { ...ground, rounds: 1 });
  if (!existsSync(noted)) return null;
  const shell = ["bwrap", ...lasting(readFileSync(noted, "utf8").split("\0").slice(0, -1))];
  return works(shell) ? shell : null;
}

/** A bwrap that notes what it was asked for, the last time, and does it. */
function standIn(homes: string, noted: string): string {
  const folder = join(homes, "stand-in");
  mkdirSync(folder);
  const file = join(folder, "bwrap");
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\0' "$@" > '${noted}'\nPATH="\${PATH#*:}" exec bwrap "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}

/** Without the command, and without what was there for that command alone: its own file descriptors and placeholders. */
function lasting(words: readonly string[]): readonly string[] {
  const options: string[][] = [];
  const end = words.indexOf("--");
  for (const word of words.slice(0, end)) {
    if (word.startsWith("--")) options.push([word]);
    else options.at(-1)?.push(word);
  }
  const isLasting = ([name = "", ...values]: readonly string[]): boolean =>
    !name.endsWith("-fd") &&
    name !== "--seccomp" &&
    values.every((value) => !value.startsWith("/") || existsSync(value));
  return [...options.filter(isLasting).flat(), ...words.slice(end, -1)];
}

function works([program = "", ...leading]: readonly string[]): boolean {
  return spawnSync(program, [...leading, "echo inside"], { encoding: "utf8" }).stdout === "inside\n";
}

export interface Field {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  /** A floor by another hand. */
  readonly yardstick?: string;
  /** Whether our program and the floor run in our sandbox as well. */
  readonly alsoSandboxed: boolean;
}

const ourFloor = join(import.meta.dirname, "floor.mjs");

export async function starters(field: Field, ground: Ground): Promise<readonly Contender[]> {
  const { program, yardstick, pi: peer, alsoSandboxed } = field;
  return [
    floor("floor", ourFloor),
    pith("pith", program, ["--permission-mode", "all", "--sandbox", "off"]),
    ...(yardstick ? [floor("yardstick", yardstick)] : []),
    ...(peer ? [pi(peer)] : []),
    ...(alsoSandboxed ? await inSandboxes(program, ground) : []),
  ];
}

async function inSandboxes(program: string, ground: Ground): Promise<readonly Contender[]> {
  const ours = pith("pith_sandboxed", program, ["--permission-mode", "all", "--sandbox", "on"]);
  const shell = await sandboxCommand(ours, ground);
  return shell ? [floor("floor_sandboxed", ourFloor, shell), ours] : [];
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
