/** Runs `pnpm bench screen`: key latency, idle CPU and start of the interactive program in a real terminal, beside pi. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installProgram } from "../installed-program.ts";
import { piAlone } from "../peers/pi.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import type { Measured, ScreenWish } from "./measure.ts";

export const screenSuite: Suite = {
  name: "screen",
  about: "key to paint, idle CPU and start of the interactive program in tmux, beside pi",
  run: runScreen,
};

async function runScreen({ quick, say }: Settings): Promise<Figures> {
  const { leading, ...peer } = piAlone(say);
  const course = quick ? { runs: 1, keys: 30, idleMs: 3_000 } : { runs: 9, keys: 300, idleMs: 20_000 };
  say(`${course.keys} keys into a session of 10,000 messages while an answer comes; ${course.runs} starts of each`);
  return screenFigures({ ...course, ...peer }, leading);
}

/** `leading`: what stands before the command that runs it all. */
export function screenFigures(course: Omit<ScreenWish, "program">, leading: readonly string[] = []): Figures {
  const folder = mkdtempSync(join(tmpdir(), "pith-program-"));
  try {
    const wish: ScreenWish = { ...course, program: installProgram(folder) };
    const program = join(import.meta.dirname, "measure-program.ts");
    const [command = "", ...args] = [...leading, process.execPath, program, JSON.stringify(wish)];
    return figuresOf(
      JSON.parse(execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function figuresOf({ typed, starts }: Measured): Figures {
  const keys = Object.fromEntries(
    typed.flatMap(({ name, keyMs, idlePercent, rssMb }) => [
      [`${of(name)}key_to_paint_ms_p95`, quantile(keyMs, 0.95)],
      [`${of(name)}key_to_paint_ms_p50`, median(keyMs)],
      [`${of(name)}idle_cpu_percent`, idlePercent],
      [`${of(name)}rss_mb`, rssMb],
    ]),
  );
  const started = starts.flatMap(({ name, screenMs, printMs }) => [
    [`${of(name)}start_ms_x_print`, median(screenMs.map((ms, turn) => ms / (printMs[turn] ?? Number.NaN)))],
    [`${of(name)}start_ms`, median(screenMs)],
    [`${of(name)}print_start_ms`, median(printMs)],
  ]);
  return { ...keys, ...Object.fromEntries(started) };
}

/** Ours stand without a name before them. */
function of(name: string): string {
  return name === "pith" ? "" : `${name}_`;
}
