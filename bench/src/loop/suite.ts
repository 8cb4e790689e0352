/** Runs `pnpm bench loop`: the installed program on a task of forty rounds, compared with a minimal agent and pi. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installProgram } from "../built-package.ts";
import { findPi, runConfined } from "../peers/pi.ts";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import type { RaceOptions, RaceResult } from "./race.ts";

export const loopSuite: Suite = {
  name: "loop",
  description:
    "start, rounds, memory and requests of the installed program, compared with an agent without dependencies and pi",
  run: runLoop,
};

async function runLoop({ quick, log }: SuiteOptions): Promise<Figures> {
  const options = {
    runs: quick ? 2 : 11,
    rounds: 40,
    alsoSandboxed: true,
    ...(existsSync(OTHER_FLOOR) && { yardstick: OTHER_FLOOR }),
  };
  const { commandPrefix, ...peer } = findPi(log);
  log(`${options.runs} runs of each, ${options.rounds} rounds a run`);
  return measureLoop({ ...options, ...peer }, commandPrefix);
}

const root = join(import.meta.dirname, "../../..");
const OTHER_FLOOR = join(root, "../shared/measure/floor.mjs");

/** `commandPrefix` is put before the command of the measuring process. */
export function measureLoop(options: Omit<RaceOptions, "program">, commandPrefix: readonly string[] = []): Figures {
  const folder = mkdtempSync(join(tmpdir(), "pith-program-"));
  try {
    return toFigures(runConfined(RACE_PROGRAM, { ...options, program: installProgram(folder) }, commandPrefix));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const RACE_PROGRAM = join(import.meta.dirname, "race.ts");

export function toFigures(results: readonly RaceResult[]): Figures {
  const findResult = (name: string): RaceResult | undefined => results.find((result) => result.name === name);
  const [floor, pith, otherFloor, pi] = [
    findResult("floor"),
    findResult("pith"),
    findResult("yardstick"),
    findResult("pi"),
  ];
  const sandboxed = findResult("pith_sandboxed");
  if (!floor || !pith) throw new Error("our program and the floor did not run");
  return {
    start_x_floor: medianRatio(pith, floor, "startMs"),
    round_x_floor: medianRatio(pith, floor, "roundMs"),
    cpu_x_floor: medianRatio(pith, floor, "cpuMs"),
    ...(sandboxed && toSandboxFigures(sandboxed, floor)),
    rss_mb: pith.rssMb,
    first_request_bytes: pith.firstRequestBytes,
    prefix_kept: pith.prefixKept,
    ...timeFigures("pith", pith),
    ...timeFigures("floor", floor),
    floor_rss_mb: floor.rssMb,
    ...(otherFloor && { floor_agrees: floorAgreement(floor, otherFloor) }),
    ...(pi && toPiFigures(pi, floor)),
  };
}

/** The median of the ratios of the individual runs. */
function medianRatio(one: RaceResult, other: RaceResult, field: keyof RaceResult["times"][number]): number {
  return median(one.times.map((row, turn) => row[field] / (other.times[turn]?.[field] ?? Number.NaN)));
}

/** The floor runs its commands without a sandbox. `pnpm bench sandbox` measures the cost of the sandbox itself. */
function toSandboxFigures(pith: RaceResult, floor: RaceResult): Figures {
  return {
    start_sandbox_x_floor: medianRatio(pith, floor, "startMs"),
    round_sandbox_x_floor: medianRatio(pith, floor, "roundMs"),
    ...timeFigures("pith_sandboxed", pith),
  };
}

function timeFigures(name: string, { times }: RaceResult): Figures {
  return {
    [`${name}_start_ms`]: median(times.map(({ startMs }) => startMs)),
    [`${name}_round_ms`]: median(times.map(({ roundMs }) => roundMs)),
    [`${name}_exit_ms`]: median(times.map(({ exitMs }) => exitMs)),
  };
}

/** The ratio of the two floors for start or round, whichever is further from 1. */
function floorAgreement(floor: RaceResult, otherFloor: RaceResult): number {
  const ratios = [medianRatio(floor, otherFloor, "startMs"), medianRatio(floor, otherFloor, "roundMs")];
  const [worst = 1] = ratios.sort((one, other) => Math.abs(Math.log(other)) - Math.abs(Math.log(one)));
  return worst;
}

function toPiFigures(pi: RaceResult, floor: RaceResult): Figures {
  return {
    pi_start_x_floor: medianRatio(pi, floor, "startMs"),
    pi_round_x_floor: medianRatio(pi, floor, "roundMs"),
    pi_rss_mb: pi.rssMb,
    pi_first_request_bytes: pi.firstRequestBytes,
    pi_prefix_kept: pi.prefixKept,
    ...timeFigures("pi", pi),
  };
}
