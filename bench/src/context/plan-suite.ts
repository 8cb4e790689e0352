/** Runs `pnpm bench plan`: what planning a compaction costs on a long session, beside pi's own planning in the same run. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { COMPACTIONS, ENTRIES, messageAt, writeLongSession } from "../made-up-session.ts";
import { type Pi, startPi } from "../peers/pi.ts";
import type { Worker } from "../peers/worker.ts";
import { random } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { texts } from "../texts.ts";
import { startContext } from "./start-context.ts";

export const planSuite: Suite = {
  name: "plan",
  about: "planning a compaction on 100,000 entries with 50 compactions, beside pi",
  run: runPlan,
};

async function runPlan(settings: Settings): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const pi = startPi();
  try {
    settings.say("packing the package");
    const { home, measured } = await installBuiltContext(folder);
    const file = writeLongSession(join(folder, "long.jsonl"), COMPACTIONS, settings);
    const first = await firstPlans({ home, file, rounds: settings.quick ? 5 : 11 });
    const ours = startContext(home);
    try {
      return { measured, ...(await plans({ home, file, ours, pi, first }, settings)) };
    } finally {
      ours.end();
    }
  } finally {
    pi.end();
    rmSync(folder, { recursive: true });
  }
}

/** The first plan of a new process that has just opened the session from its file. */
interface FirstPlans {
  /** Nothing was done in between. */
  readonly atOnce: number;
  /** The entries were measured in steps before, as the agent does while it waits for the user or a model. */
  readonly measured: number;
  readonly longestStep: number;
}

async function firstPlans({ home, file, rounds }: FirstPlanParts): Promise<FirstPlans> {
  const rows: FirstPlans[] = [];
  for (let round = 0; round < rounds; round++) {
    const [atOnce, measured] = [startContext(home), startContext(home)];
    try {
      for (const worker of [atOnce, measured]) await worker.ask({ op: "openFile", name: NAME, file });
      const { ms } = (await atOnce.ask({ op: "plan", name: NAME })) as OurPlan;
      const { longest } = (await measured.ask({ op: "measure", name: NAME })) as { readonly longest: number };
      const after = (await measured.ask({ op: "plan", name: NAME })) as OurPlan;
      rows.push({ atOnce: ms, measured: after.ms, longestStep: longest });
    } finally {
      for (const worker of [atOnce, measured]) worker.end();
    }
  }
  const of = (pick: (row: FirstPlans) => number): number => median(rows.map(pick));
  return {
    atOnce: of((row) => row.atOnce),
    measured: of((row) => row.measured),
    longestStep: of((row) => row.longestStep),
  };
}

interface FirstPlanParts {
  readonly home: string;
  readonly file: string;
  readonly rounds: number;
}

const NAME = "long";

interface OurPlan {
  readonly ms: number;
  readonly covered: number;
}

interface Row {
  readonly ours: number;
  readonly meter: number;
  readonly theirs: PiPlan;
}

interface PiPlan {
  readonly branchMs: number;
  readonly planMs: number;
  readonly cutMs: number;
  readonly covered: number;
}

interface PlanParts {
  readonly home: string;
  readonly file: string;
  readonly ours: Worker;
  readonly pi: Pi;
  readonly first: FirstPlans;
}

async function plans({ home, file, ours, pi, first }: PlanParts, settings: Settings): Promise<Figures> {
  const { say, quick, seed, corpus } = settings;
  say("opening it in Pith and in pi");
  await ours.ask({ op: "open", name: NAME, file });
  await pi.ask({ op: "open", file });
  const cold = [(await ours.ask({ op: "plan", name: NAME })) as OurPlan];
  for (let more = 1; more < FROM_MEMORY; more++) cold.push(await planFromMemory(home, file));
  const text = texts(random(seed + 1), corpus);
  const rows: Row[] = [];
  const rounds = quick ? 30 : 120;
  say(`${rounds} rounds: a message more, then a plan, in pi and in Pith`);
  for (let round = 1; round <= rounds; round++) {
    const message = messageAt(ENTRIES + round, text);
    await pi.ask({ op: "append", message });
    const theirs = (await pi.ask({ op: "plan" })) as PiPlan;
    await ours.ask({ op: "append", name: NAME, message });
    const meter = (await ours.ask({ op: "meter", name: NAME })) as OurPlan;
    const plan = (await ours.ask({ op: "plan", name: NAME })) as OurPlan;
    if (round > rounds / 10) rows.push({ ours: plan.ms, meter: meter.ms, theirs });
  }
  const { covered } = (await ours.ask({ op: "plan", name: NAME })) as OurPlan;
  return figuresOf(rows, { cold: median(cold.map(({ ms }) => ms)), covered, first });
}

/** How many new processes read all of the session into memory and plan: what they left for the garbage collector varies. */
const FROM_MEMORY = 3;

async function planFromMemory(home: string, file: string): Promise<OurPlan> {
  const worker = startContext(home);
  try {
    await worker.ask({ op: "open", name: NAME, file });
    return (await worker.ask({ op: "plan", name: NAME })) as OurPlan;
  } finally {
    worker.end();
  }
}

function figuresOf(
  rows: readonly Row[],
  { cold, covered, first }: { readonly cold: number; readonly covered: number; readonly first: FirstPlans },
): Figures {
  const ours = median(rows.map((row) => row.ours));
  const theirs = median(rows.map((row) => row.theirs.planMs));
  return {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    covered,
    pi_covered: median(rows.map((row) => row.theirs.covered)),
    plan_ms: ours,
    meter_ms: median(rows.map((row) => row.meter)),
    /** Right after all of it was read into memory: nothing was measured before. */
    first_plan_ms: cold,
    /** Right after it was opened from its file, and after its entries were measured in steps. */
    opened_plan_ms: first.atOnce,
    measured_plan_ms: first.measured,
    longest_step_ms: first.longestStep,
    pi_plan_ms: theirs,
    pi_cut_ms: median(rows.map((row) => row.theirs.cutMs)),
    pi_branch_ms: median(rows.map((row) => row.theirs.branchMs)),
    plan_x_pi: ours / theirs,
    plan_x_pi_cut: ours / median(rows.map((row) => row.theirs.cutMs)),
    first_plan_x_pi: cold / theirs,
    opened_plan_x_pi: first.atOnce / theirs,
    measured_plan_x_pi: first.measured / theirs,
  };
}
