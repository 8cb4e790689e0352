/** Runs `pnpm bench compaction`: what compactions cost in a long task, compared with pi, and how close their previewed prices are. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installProgram } from "../built-package.ts";
import { findPi, runConfined } from "../peers/pi.ts";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import type { TaskCosts } from "./ledger.ts";
import { listPreviewCases, measurePreview, type PreviewResult } from "./preview-grid.ts";
import type { CompactionRace, RaceCosts } from "./race.ts";
import { listRouteCases, measureRoutes, type RouteResult } from "./route-grid.ts";
import type { TaskShape } from "./task.ts";

export const compactionSuite: Suite = {
  name: "compaction",
  description: "what the compactions of a long task cost, compared with pi, and how close their previewed prices are",
  run: runCompactionSuite,
};

const FULL_SHAPE: TaskShape = { rounds: 80, resultBytes: 12_000, summaryLines: 4 };
/** Compacts once. */
export const QUICK_SHAPE: TaskShape = { ...FULL_SHAPE, rounds: 30 };

async function runCompactionSuite({ quick, seed, peers = true, log }: SuiteOptions): Promise<Figures> {
  const shape = quick ? QUICK_SHAPE : FULL_SHAPE;
  const { commandPrefix, ...peer } = peers ? findPi(log) : { commandPrefix: [] };
  log(
    `${shape.rounds} rounds with results of ${shape.resultBytes / 1_000} KB in a window of 100,000 tokens\n\n${OTHER_PEERS}\n`,
  );
  return measureCompaction(
    { shape, seed, ...peer, previewCases: quick ? 1 : 12, routeCases: quick ? 2 : 24, log },
    commandPrefix,
  );
}

export interface CompactionMeasurement extends Omit<CompactionRace, "program"> {
  readonly previewCases: number;
  readonly routeCases: number;
  readonly log: SuiteOptions["log"];
}

/** `commandPrefix` is put before the command of the process that runs the programs of the race. */
export async function measureCompaction(
  { previewCases, routeCases, log, ...race }: CompactionMeasurement,
  commandPrefix: readonly string[] = [],
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-program-"));
  try {
    const program = installProgram(folder);
    const costs = runConfined<RaceCosts>(RACE_PROGRAM, { ...race, program }, commandPrefix);
    const previews: PreviewResult[] = [];
    for (const previewCase of listPreviewCases(previewCases, race.seed)) {
      const result = await measurePreview(program, { ...previewCase, seed: race.seed });
      log(formatPreviewResult(result));
      previews.push(result);
    }
    const routes: RouteResult[] = [];
    for (const routeCase of listRouteCases(routeCases, race.seed)) {
      const result = await measureRoutes({ ...routeCase, seed: race.seed });
      log(formatRouteResult(result));
      routes.push(result);
    }
    return { ...toCostFigures(costs), ...toPreviewFigures(previews), ...toRouteFigures(routes) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const RACE_PROGRAM = join(import.meta.dirname, "race.ts");

function formatPreviewResult({ model, rounds, summaryLines, idleMinutes, preview, actual }: PreviewResult): string {
  const conditions = `${model}, ${rounds} rounds, ${summaryLines} lines per section, ${idleMinutes} min idle`;
  return `preview $${preview.toFixed(4)}, actual $${actual.toFixed(4)}: ${conditions}`;
}

function formatRouteResult({ costs, chosen, chosenCost, expectedCost, ...routeCase }: RouteResult): string {
  const { model, summaryModel, rounds, summaryLines, idleMinutes, keptShare } = routeCase;
  const others = Object.entries(costs).map(([name, cost]) => `${name} $${cost.toFixed(4)}`);
  const models = summaryModel === null ? model : `${model} or ${summaryModel}`;
  const conditions = `${models}, ${rounds} rounds, ${keptShare * 100}% kept, ${summaryLines} lines per section, ${idleMinutes} min idle`;
  return `chosen ${chosen} $${chosenCost.toFixed(4)} (expected $${expectedCost.toFixed(4)}) of ${others.join(", ")}: ${conditions}`;
}

/** A ratio of 1 is the cheapest route. */
function toRouteFigures(results: readonly RouteResult[]): Figures {
  const ratios = results.map(({ costs, chosenCost }) => chosenCost / Math.min(...Object.values(costs)));
  const dearest = results.map(({ costs, chosenCost }) => Math.max(...Object.values(costs)) / chosenCost);
  return {
    route_cases: results.length,
    over_cheapest: Math.max(...ratios),
    over_cheapest_mean: ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length,
    dearest_x_chosen: Math.max(...dearest),
    expected_x_actual: Math.max(...results.map(({ expectedCost, chosenCost }) => toRatio(expectedCost, chosenCost))),
  };
}

/** The figures of our program, the same with prepared summaries, then those of pi. `k` is thousands of tokens. */
export function toCostFigures({ pith, prepared, pi }: RaceCosts): Figures {
  if (!pith || !prepared) throw new Error("our program did not run");
  return {
    ...describeCosts("", pith),
    ...describeCosts("prepared_", prepared),
    ...(pi && {
      cost_x_pi: pith.summaryEquivalent / pi.summaryEquivalent,
      whole_task_x_pi: pith.taskEquivalent / pi.taskEquivalent,
      prepared_whole_task_x_pi: prepared.taskEquivalent / pi.taskEquivalent,
      ...describeCosts("pi_", pi),
    }),
  };
}

function describeCosts(prefix: string, costs: TaskCosts): Figures {
  return {
    [`${prefix}cached_share`]: costs.cachedShare,
    [`${prefix}summary_equivalent_k`]: costs.summaryEquivalent / 1_000,
    [`${prefix}summary_output_k`]: costs.summaryOutput / 1_000,
    [`${prefix}summary_requests`]: costs.requestsPerCompaction,
    [`${prefix}seen_share`]: costs.seenShare,
    [`${prefix}compactions`]: costs.compactions,
    [`${prefix}context_k`]: costs.contextTokens / 1_000,
    [`${prefix}rebuilt_uncached_k`]: costs.rebuiltUncached / 1_000,
    [`${prefix}whole_task_equivalent_k`]: costs.taskEquivalent / 1_000,
  };
}

/** A ratio of 1.5 is a price that is too high or too low by half. */
export function toPreviewFigures(results: readonly PreviewResult[]): Figures {
  const ratios = results.map(({ preview, actual }) => toRatio(preview, actual));
  return {
    preview_cases: results.length,
    preview_x_actual: Math.max(...ratios),
    preview_x_actual_median: median(ratios),
    receipt_x_actual: Math.max(...results.map(({ receipt, actual }) => toRatio(receipt, actual))),
  };
}

function toRatio(one: number, other: number): number {
  return Math.max(one / other, other / one);
}

/** Measured once with the same task and the same cost. They are printed for comparison and not used in any figure. */
const OTHER_PEERS = `Other programs, measured on 2026-11-14 on 80 rounds of 12 KB in a window of 100,000 tokens, with summaries of 250 bytes. Cached input is the
longest prefix that any earlier request shares, and not, as here, what the provider's cache marks allow. k tokens:

                            compactions  context  cached share of summaries  summary equivalent  rebuilt, uncached  whole task
  Claude Code 2.1.325       5            65.5     0.98                       8.2                 36                 661
  opencode 1.18.33          3            85.7     0                          12.4                38                 688
  codex-cli 0.166.0         3            88.6     0.04                       86                  5                  877
  (pi 1.5.0, the same day)  3            82.7     0                          11.8                56                 678`;
