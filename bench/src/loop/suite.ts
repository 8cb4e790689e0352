/** Runs `pnpm bench loop`: the installed program at a task of forty rounds, beside a minimal agent and beside pi. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installProgram } from "../installed-program.ts";
import { piAlone } from "../peers/pi.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import type { RaceWish, Result } from "./race.ts";

export function raceFigures(results: readonly Result[]): Figures {
  const named = (name: string): Result | undefined => results.find((result) => result.name === name);
  const [floor, pith, yardstick, pi] = [named("floor"), named("pith"), named("yardstick"), named("pi")];
  const sandboxed = named("pith_sandboxed");
  if (!floor || !pith) throw new Error("our program and the floor did not run");
  return {
    start_x_floor: ratio(pith, floor, "startMs"),
    round_x_floor: ratio(pith, floor, "roundMs"),
    ...(sandboxed && sandboxFigures(sandboxed, floor)),
    rss_mb: pith.rssMb,
    first_request_bytes: pith.firstRequestBytes,
    prefix_kept: pith.prefixKept,
    ...times("pith", pith),
    ...times("floor", floor),
    floor_rss_mb: floor.rssMb,
    ...(yardstick && { floor_agrees: agreement(floor, yardstick) }),
    ...(pi && piFigures(pi, floor)),
  };
}

/** Beside a floor whose commands run in no sandbox: what it costs is `pnpm bench sandbox`. */
function sandboxFigures(pith: Result, floor: Result): Figures {
  return {
    start_sandbox_x_floor: ratio(pith, floor, "startMs"),
    round_sandbox_x_floor: ratio(pith, floor, "roundMs"),
    ...times("pith_sandboxed", pith),
  };
}

function piFigures(pi: Result, floor: Result): Figures {
  return {
    pi_start_x_floor: ratio(pi, floor, "startMs"),
    pi_round_x_floor: ratio(pi, floor, "roundMs"),
    pi_rss_mb: pi.rssMb,
    pi_first_request_bytes: pi.firstRequestBytes,
    pi_prefix_kept: pi.prefixKept,
    ...times("pi", pi),
  };
}

function times(name: string, { times: rows }: Result): Figures {
  return {
    [`${name}_start_ms`]: median(rows.map(({ startMs }) => startMs)),
    [`${name}_round_ms`]: median(rows.map(({ roundMs }) => roundMs)),
    [`${name}_exit_ms`]: median(rows.map(({ exitMs }) => exitMs)),
  };
}

/** Of start and round the one on which the two floors agree less. */
function agreement(floor: Result, yardstick: Result): number {
  const both = [ratio(floor, yardstick, "startMs"), ratio(floor, yardstick, "roundMs")];
  const [worse = 1] = both.sort((one, other) => Math.abs(Math.log(other)) - Math.abs(Math.log(one)));
  return worse;
}

/** Turn by turn, and the middle of that. */
function ratio(one: Result, other: Result, time: keyof Result["times"][number]): number {
  return median(one.times.map((row, turn) => row[time] / (other.times[turn]?.[time] ?? Number.NaN)));
}

export const loopSuite: Suite = {
  name: "loop",
  about: "start, rounds, memory and requests of the installed program, beside an agent without dependencies and pi",
  run: runLoop,
};

const root = join(import.meta.dirname, "../../..");
const yardstick = join(root, "../shared/measure/floor.mjs");

async function runLoop({ quick, say }: Settings): Promise<Figures> {
  const course = {
    runs: quick ? 2 : 11,
    rounds: 40,
    alsoSandboxed: true,
    ...(existsSync(yardstick) && { yardstick }),
  };
  const { leading, ...peer } = piAlone(say);
  say(`${course.runs} runs of each, ${course.rounds} rounds a run`);
  return loopFigures({ ...course, ...peer }, leading);
}

/** `leading`: what stands before the command that runs it all. */
export function loopFigures(course: Omit<RaceWish, "program">, leading: readonly string[] = []): Figures {
  const folder = mkdtempSync(join(tmpdir(), "pith-program-"));
  try {
    return raceFigures(raced({ ...course, program: installProgram(folder) }, leading));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** In a process of its own, or it could not be put into a namespace. */
function raced(wish: RaceWish, leading: readonly string[]): readonly Result[] {
  const program = join(import.meta.dirname, "race-program.ts");
  const [command = "", ...args] = [...leading, process.execPath, program, JSON.stringify(wish)];
  return JSON.parse(execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
}
