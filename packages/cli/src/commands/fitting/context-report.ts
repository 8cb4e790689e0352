/** What fills a context and how full it is: one value for `/context`, for `pith context` and for programs. Pure. */

import { type Budget, contextSize, due, previewCompaction, type Window } from "@pith/context";
import { type ContextPart, contextParts } from "./context-parts.ts";

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
