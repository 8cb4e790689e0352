/** What fills a context and how full it is: one value for `/context`, for `pith context` and for programs. Pure. */

import { type Budget, contextSize, due, type Preview, previewCompaction, type Window } from "@pith/context";
import { type ContextPart, contextParts } from "./context-parts.ts";
import { type BigEntry, biggest } from "./weighing/biggest.ts";
import { byFile, type FileWeight } from "./weighing/by-file.ts";
import { byTool, type ToolWeight } from "./weighing/by-tool.ts";
import { entryWeights } from "./weighing/entry-weights.ts";

export interface ContextReport {
  readonly tokens: number;
  /** Of those, by the last reply; the rest is estimated. */
  readonly measured: number;
  readonly contextWindow: number;
  /** More than this is too much; null in a window nobody knows. */
  readonly limit: number | null;
  /** From here on it is told that it fills up. */
  readonly soft: number | null;
  readonly isAutomatic: boolean;
  /** Why nothing would happen by itself although it is too much; null where it would, or need not. */
  readonly held: "off" | "undone" | "breaker" | null;
  readonly parts: readonly ContextPart[];
  /** Of what tools said, by tool and by file; the most first. */
  readonly tools: readonly ToolWeight[];
  readonly files: readonly FileWeight[];
  /** The entries that fill it most, and what becomes free without each. */
  readonly biggest: readonly BigEntry[];
  /** What a compaction would leave, if code alone told it; null where there is nothing to compact. */
  readonly afterCompaction: number | null;
}

export function contextReport(window: Window, budget: Budget): ContextReport {
  const { tokens, measured } = contextSize(window, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  const state = due(window, budget);
  const preview = previewCompaction(window, budget);
  return {
    ...breakdown(window, budget, preview),
    tokens,
    measured,
    contextWindow: budget.contextWindow,
    limit,
    soft: limit === null ? null : Math.floor(limit * soft),
    isAutomatic: enabled,
    held: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: contextParts(window, budget),
    afterCompaction: preview.type === "planned" ? preview.receipt.tokens.after : null,
  };
}

function breakdown(
  window: Window,
  budget: Budget,
  preview: Preview,
): Pick<ContextReport, "tools" | "files" | "biggest"> {
  const weights = entryWeights(window, budget);
  const covered = new Set(preview.type === "planned" ? preview.plan.covered.map(({ id }) => id) : []);
  return {
    tools: byTool(weights),
    files: byFile(weights, budget.tools).slice(0, MOST_FILES),
    biggest: biggest(weights, covered),
  };
}

const MOST_FILES = 50;
