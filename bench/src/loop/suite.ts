/** `pnpm bench loop`: the built program at a task of forty rounds, beside the least an agent can be, and beside pi. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { piAlone } from "../peers/pi-alone.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { raceFigures } from "./figures.ts";
import type { RaceWish, Result } from "./race.ts";

export const loopSuite: Suite = {
  name: "loop",
  about: "start, rounds, memory and requests of the built program, beside an agent without dependencies and pi",
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
    execFileSync(process.execPath, [join(root, "scripts/build-program.ts"), folder], { stdio: ["ignore", 2, 2] });
    return raceFigures(raced({ ...course, program: join(folder, "pith.mjs") }, leading));
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
