/** Runs `pnpm bench plan`: what planning a compaction costs on a long session, beside pi's own planning in the same run. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  budgetFor,
  compactionLimits,
  contextSize,
  type Drafted,
  MemoryStore,
  prepareCompaction,
  Session,
} from "@pith/context";
import { machine } from "@pith/context/node";
import { COMPACTIONS, ENTRIES, messageAt, writeLongSession } from "../made-up-session.ts";
import { type Pi, startPi } from "../peers/pi.ts";
import { random } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { texts } from "../texts.ts";

export const planSuite: Suite = {
  name: "plan",
  about: "planning a compaction on 100,000 entries with 50 compactions, beside pi",
  run: runPlan,
};

async function runPlan(settings: Settings): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const pi = startPi();
  try {
    const file = writeLongSession(join(folder, "long.jsonl"), COMPACTIONS, settings);
    return await measured(file, pi, settings);
  } finally {
    pi.end();
    rmSync(folder, { recursive: true });
  }
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

async function measured(file: string, pi: Pi, { say, quick, seed, corpus }: Settings): Promise<Figures> {
  say("opening it in Pith and in pi");
  const ours = await openOurs(readFileSync(file));
  await pi.ask({ op: "open", file });
  const cold = ours.plan();
  const text = texts(random(seed + 1), corpus);
  const rows: Row[] = [];
  const rounds = quick ? 30 : 120;
  say(`${rounds} rounds: a message more, then a plan, in pi and in Pith`);
  for (let round = 1; round <= rounds; round++) {
    const message = messageAt(ENTRIES + round, text);
    await pi.ask({ op: "append", message });
    const theirs = (await pi.ask({ op: "plan" })) as PiPlan;
    await ours.append(message);
    const meter = ours.meter();
    const plan = ours.plan();
    if (round > rounds / 10) rows.push({ ours: plan.ms, meter, theirs });
  }
  return figuresOf(rows, { cold: cold.ms, covered: ours.plan().covered });
}

async function openOurs(bytes: Uint8Array) {
  const session = await Session.open(MemoryStore.open(bytes, machine), machine);
  const budget = budgetFor(compactionLimits, { contextWindow: 200_000 });
  return {
    append: (message: object) => session.append({ type: "message", message } as Drafted),
    /** What a running agent asks before every request. */
    meter() {
      const start = performance.now();
      contextSize(session.window, budget);
      return performance.now() - start;
    },
    plan() {
      const start = performance.now();
      const prepared = prepareCompaction(session.window, budget);
      const ms = performance.now() - start;
      return { ms, covered: prepared.type === "planned" ? prepared.plan.covered.length : 0 };
    },
  };
}

function figuresOf(
  rows: readonly Row[],
  { cold, covered }: { readonly cold: number; readonly covered: number },
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
    /** Right after opening: nothing was measured before. */
    first_plan_ms: cold,
    pi_plan_ms: theirs,
    pi_cut_ms: median(rows.map((row) => row.theirs.cutMs)),
    pi_branch_ms: median(rows.map((row) => row.theirs.branchMs)),
    plan_x_pi: ours / theirs,
    plan_x_pi_cut: ours / median(rows.map((row) => row.theirs.cutMs)),
    first_plan_x_pi: cold / theirs,
  };
}
