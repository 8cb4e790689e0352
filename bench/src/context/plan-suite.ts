/** Runs `pnpm bench plan`: the time to plan a compaction of a long session, compared with pi in the same run. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { COMPACTIONS, createMessage, ENTRIES, writeLongSession } from "../made-up-session.ts";
import { type Pi, startPi } from "../peers/pi.ts";
import type { Worker } from "../peers/worker.ts";
import { createRandom } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { createTextSource } from "../texts.ts";
import { startContextWorker } from "./start-context.ts";

export const planSuite: Suite = {
  name: "plan",
  description: "planning a compaction on 100,000 entries with 50 compactions, compared with pi",
  run: runPlan,
};

async function runPlan(options: SuiteOptions): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const pi = startPi();
  try {
    options.log("packing the package");
    const { folder: packageFolder, description } = await installBuiltContext(folder);
    const file = writeLongSession(join(folder, "long.jsonl"), COMPACTIONS, options);
    const firstPlans = await measureFirstPlans({ packageFolder, file, rounds: options.quick ? 5 : 11 });
    const worker = startContextWorker(packageFolder);
    try {
      return {
        measured: description,
        ...(await measurePlans({ packageFolder, file, worker, pi, first: firstPlans }, options)),
      };
    } finally {
      worker.stop();
    }
  } finally {
    pi.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The first plan of a new process that has opened the session from its file. */
interface FirstPlans {
  /** Directly after opening. */
  readonly immediateMs: number;
  /** After the entries were measured in steps, as the agent does while it waits for the user or a model. */
  readonly premeasuredMs: number;
  readonly longestStepMs: number;
}

async function measureFirstPlans({ packageFolder, file, rounds }: FirstPlanOptions): Promise<FirstPlans> {
  const rows: FirstPlans[] = [];
  for (let round = 0; round < rounds; round++) {
    const [immediateWorker, measuringWorker] = [startContextWorker(packageFolder), startContextWorker(packageFolder)];
    try {
      for (const worker of [immediateWorker, measuringWorker])
        await worker.request({ op: "openFile", name: SESSION_NAME, file });
      const { ms } = (await immediateWorker.request({ op: "plan", name: SESSION_NAME })) as PithPlan;
      const { longest } = (await measuringWorker.request({ op: "measure", name: SESSION_NAME })) as {
        readonly longest: number;
      };
      const planAfter = (await measuringWorker.request({ op: "plan", name: SESSION_NAME })) as PithPlan;
      rows.push({ immediateMs: ms, premeasuredMs: planAfter.ms, longestStepMs: longest });
    } finally {
      for (const worker of [immediateWorker, measuringWorker]) worker.stop();
    }
  }
  const medianOf = (pick: (row: FirstPlans) => number): number => median(rows.map(pick));
  return {
    immediateMs: medianOf((row) => row.immediateMs),
    premeasuredMs: medianOf((row) => row.premeasuredMs),
    longestStepMs: medianOf((row) => row.longestStepMs),
  };
}

interface FirstPlanOptions {
  readonly packageFolder: string;
  readonly file: string;
  readonly rounds: number;
}

const SESSION_NAME = "long";

interface PithPlan {
  readonly ms: number;
  readonly covered: number;
}

interface PlanRound {
  readonly planMs: number;
  readonly meterMs: number;
  readonly pi: PiPlan;
}

interface PiPlan {
  readonly branchMs: number;
  readonly planMs: number;
  readonly cutMs: number;
  readonly covered: number;
}

interface PlanOptions {
  readonly packageFolder: string;
  readonly file: string;
  readonly worker: Worker;
  readonly pi: Pi;
  readonly first: FirstPlans;
}

async function measurePlans(
  { packageFolder, file, worker, pi, first }: PlanOptions,
  options: SuiteOptions,
): Promise<Figures> {
  const { log, quick, seed, corpus } = options;
  log("opening the session in Pith and in pi");
  await worker.request({ op: "open", name: SESSION_NAME, file });
  await pi.request({ op: "open", file });
  const cold = [(await worker.request({ op: "plan", name: SESSION_NAME })) as PithPlan];
  for (let more = 1; more < MEMORY_ROUNDS; more++) cold.push(await planFromMemory(packageFolder, file));
  const makeText = createTextSource(createRandom(seed + 1), corpus);
  const rows: PlanRound[] = [];
  const rounds = quick ? 30 : 120;
  log(`${rounds} rounds: append a message, then plan, in pi and in Pith`);
  for (let round = 1; round <= rounds; round++) {
    const message = createMessage(ENTRIES + round, makeText);
    await pi.request({ op: "append", message });
    const piPlan = (await pi.request({ op: "plan" })) as PiPlan;
    await worker.request({ op: "append", name: SESSION_NAME, message });
    const meter = (await worker.request({ op: "meter", name: SESSION_NAME })) as PithPlan;
    const plan = (await worker.request({ op: "plan", name: SESSION_NAME })) as PithPlan;
    if (round > rounds / 10) rows.push({ planMs: plan.ms, meterMs: meter.ms, pi: piPlan });
  }
  const { covered } = (await worker.request({ op: "plan", name: SESSION_NAME })) as PithPlan;
  return toFigures(rows, { coldPlanMs: median(cold.map(({ ms }) => ms)), covered, first });
}

/** The number of new processes that load the whole session and plan. One is not enough, because garbage collection varies. */
const MEMORY_ROUNDS = 3;

async function planFromMemory(packageFolder: string, file: string): Promise<PithPlan> {
  const worker = startContextWorker(packageFolder);
  try {
    await worker.request({ op: "open", name: SESSION_NAME, file });
    return (await worker.request({ op: "plan", name: SESSION_NAME })) as PithPlan;
  } finally {
    worker.stop();
  }
}

function toFigures(
  rows: readonly PlanRound[],
  { coldPlanMs, covered, first }: { readonly coldPlanMs: number; readonly covered: number; readonly first: FirstPlans },
): Figures {
  const planMs = median(rows.map((row) => row.planMs));
  const piPlanMs = median(rows.map((row) => row.pi.planMs));
  return {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    covered,
    pi_covered: median(rows.map((row) => row.pi.covered)),
    plan_ms: planMs,
    meter_ms: median(rows.map((row) => row.meterMs)),
    /** Directly after loading the whole session into memory. */
    first_plan_ms: coldPlanMs,
    /** Directly after opening the file, and then after measuring the entries in steps. */
    opened_plan_ms: first.immediateMs,
    measured_plan_ms: first.premeasuredMs,
    longest_step_ms: first.longestStepMs,
    pi_plan_ms: piPlanMs,
    pi_cut_ms: median(rows.map((row) => row.pi.cutMs)),
    pi_branch_ms: median(rows.map((row) => row.pi.branchMs)),
    plan_x_pi: planMs / piPlanMs,
    plan_x_pi_cut: planMs / median(rows.map((row) => row.pi.cutMs)),
    first_plan_x_pi: coldPlanMs / piPlanMs,
    opened_plan_x_pi: first.immediateMs / piPlanMs,
    measured_plan_x_pi: first.premeasuredMs / piPlanMs,
  };
}
