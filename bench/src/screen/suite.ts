/** Runs `pnpm bench screen`: key latency, idle CPU and start of the interactive program in a real terminal, compared with pi. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installProgram } from "../built-package.ts";
import { findPi, runConfined } from "../peers/pi.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import type { ScreenMeasurements, ScreenOptions } from "./measure.ts";

export const screenSuite: Suite = {
  name: "screen",
  description: "key to paint, idle CPU and start of the interactive program in tmux, compared with pi",
  run: runScreen,
};

async function runScreen({ quick, log }: SuiteOptions): Promise<Figures> {
  const { commandPrefix, ...peer } = findPi(log);
  const options = quick ? { runs: 1, keys: 30, idleMs: 3_000 } : { runs: 9, keys: 300, idleMs: 20_000 };
  log(`${options.keys} keys into a session of 10,000 messages while a reply streams; ${options.runs} starts of each`);
  return measureInProcess({ ...options, ...peer }, commandPrefix);
}

/** `commandPrefix` is put before the command of the measuring process. */
function measureInProcess(options: Omit<ScreenOptions, "program">, commandPrefix: readonly string[] = []): Figures {
  const folder = mkdtempSync(join(tmpdir(), "pith-program-"));
  try {
    const input: ScreenOptions = { ...options, program: installProgram(folder) };
    const program = join(import.meta.dirname, "measure.ts");
    return toFigures(runConfined(program, input, commandPrefix));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toFigures({ typing, starts }: ScreenMeasurements): Figures {
  const typingFigures = Object.fromEntries(
    typing.flatMap(({ name, keyMs, idlePercent, rssMb }) => [
      [`${figurePrefix(name)}key_to_paint_ms_p95`, quantile(keyMs, 0.95)],
      [`${figurePrefix(name)}key_to_paint_ms_p50`, median(keyMs)],
      [`${figurePrefix(name)}idle_cpu_percent`, idlePercent],
      [`${figurePrefix(name)}rss_mb`, rssMb],
    ]),
  );
  const startFigures = starts.flatMap(({ name, screenMs, printMs }) => [
    [`${figurePrefix(name)}start_ms_x_print`, median(screenMs.map((ms, turn) => ms / (printMs[turn] ?? Number.NaN)))],
    [`${figurePrefix(name)}start_ms`, median(screenMs)],
    [`${figurePrefix(name)}print_start_ms`, median(printMs)],
  ]);
  return { ...typingFigures, ...Object.fromEntries(startFigures) };
}

/** Our figures have no prefix. */
function figurePrefix(name: string): string {
  return name === "pith" ? "" : `${name}_`;
}
