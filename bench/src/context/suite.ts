/** Runs `pnpm bench context`: the time of one agent step (append, build, convert) on a long session, compared with pi. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { COMPACTIONS, createMessage, ENTRIES, writeLongSession } from "../made-up-session.ts";
import { type Pi, startPi } from "../peers/pi.ts";
import type { Worker } from "../peers/worker.ts";
import { createRandom } from "../random.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { createTextSource } from "../texts.ts";
import { startContextWorker } from "./start-context.ts";

export const contextSuite: Suite = {
  name: "context",
  description: "append, build and convert on 100,000 entries with 50 compactions, warm, compared with pi",
  run: runContext,
};

async function runContext(options: SuiteOptions): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const pi = startPi();
  try {
    options.log("packing the package");
    const { folder: packageFolder, description } = await installBuiltContext(folder);
    const long = writeLongSession(join(folder, "long.jsonl"), COMPACTIONS, options);
    const short = writeLongSession(join(folder, "short.jsonl"), 1, options);
    const worker = startContextWorker(packageFolder);
    try {
      return { measured: description, ...(await measureSteps({ long, short, worker, pi, options })) };
    } finally {
      worker.stop();
    }
  } finally {
    pi.stop();
    rmSync(folder, { recursive: true });
  }
}

interface StepOptions {
  readonly long: string;
  readonly short: string;
  readonly worker: Worker;
  readonly pi: Pi;
  readonly options: SuiteOptions;
}

async function measureSteps({ long, short, worker, pi, options }: StepOptions): Promise<Figures> {
  const { log, quick, seed, corpus } = options;
  log("opening the session in Pith and in pi");
  await worker.request({ op: "open", name: "long", file: long });
  await worker.request({ op: "open", name: "short", file: short });
  await pi.request({ op: "open", file: long });
  const makeText = createTextSource(createRandom(seed + 1), corpus);
  const rows: StepRound[] = [];
  const blocks = quick ? 6 : 20;
  log(`${blocks} blocks of ${STEPS_PER_BLOCK} steps each, pi and Pith in turn`);
  let position = ENTRIES;
  for (let block = 0; block < blocks; block++) {
    const messages = Array.from({ length: STEPS_PER_BLOCK }, () => createMessage(++position, makeText));
    const piSteps: PiStep[] = [];
    for (const message of messages) piSteps.push((await pi.request({ op: "warm", message })) as PiStep);
    for (const [index, message] of messages.entries()) {
      const runStep = async (name: string): Promise<PithStep> =>
        (await worker.request({ op: "step", name, message })) as PithStep;
      const row = { ours: await runStep("long"), short: await runStep("short"), theirs: piSteps[index] };
      if (block > 0 && row.theirs) rows.push({ ...row, theirs: row.theirs });
    }
  }
  return toFigures(rows);
}

/** Consecutive steps of one program, so that its data is in the CPU caches. */
const STEPS_PER_BLOCK = 15;

interface PiStep {
  readonly appendMs: number;
  readonly contextMs: number;
  readonly convertMs: number;
}

interface PithStep {
  readonly appendMs: number;
  readonly buildMs: number;
  readonly convertMs: number;
  /** The number of messages in the request. */
  readonly messages: number;
}

interface StepRound {
  readonly ours: PithStep;
  readonly short: PithStep;
  readonly theirs: PiStep;
}

function toFigures(rows: readonly StepRound[]): Figures {
  const stepMs = rows.map(({ ours: { appendMs, buildMs, convertMs } }) => appendMs + buildMs + convertMs);
  const shortStepMs = rows.map(({ short: { appendMs, buildMs, convertMs } }) => appendMs + buildMs + convertMs);
  const piStepMs = rows.map(({ theirs: { appendMs, contextMs, convertMs } }) => appendMs + contextMs + convertMs);
  return {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    messages: rows.at(-1)?.ours.messages ?? 0,
    warm_append_ms: median(stepMs),
    warm_append_p95_ms: quantile(stepMs, 0.95),
    append_ms: median(rows.map((row) => row.ours.appendMs)),
    build_ms: median(rows.map((row) => row.ours.buildMs)),
    convert_ms: median(rows.map((row) => row.ours.convertMs)),
    pi_context_ms: median(rows.map((row) => row.theirs.contextMs)),
    pi_warm_append_ms: median(piStepMs),
    warm_x_pi: median(stepMs) / median(piStepMs),
    /** The ratio to a session with one compaction and the same context. 1 means that the length of the session adds no time. */
    flat: median(stepMs) / median(shortStepMs),
  };
}
