/** Computes the token and byte limits for a model's context window, checks a context against them, and defines the compaction levels. */

import type { ContextSize } from "../context/context-size.ts";
import type { ModelName } from "../model.ts";
import {
  type CompactionLimits,
  resolveTokens,
  shareOfWindow,
  type Threshold,
  type TokenAmount,
  type TokenLimit,
  type ToolRoles,
} from "../settings.ts";

/** The model, the agent and the context window that a budget is for. */
export interface BudgetInput {
  /** The size of the model's context window in tokens; 0 if it is unknown. */
  readonly contextWindow: number;
  readonly model?: ModelName;
  readonly agent?: string;
  /** Tokens sent in addition to the log: a prompt and tools that are not entries. */
  readonly fixed?: number;
  /** The meaning of the host's tool arguments, if their names do not show it. */
  readonly tools?: ToolRoles;
}

/** The token and byte limits for one model's context window. */
export interface Budget extends BudgetInput {
  /** The maximum number of tokens; infinite if the window is unknown. */
  readonly limit: number;
  /** The number of tokens that all shares refer to. */
  readonly shareBase: number;
  readonly tail: number;
  readonly userMessages: number;
  readonly checkpoint: number;
  readonly branchSummary: number;
  /** The maximum number of tokens of an abandoned branch to summarize, newest first; infinite if the window is unknown. */
  readonly branchInput: number;
  readonly shortenedMessage: number;
  /** The maximum size of a request in bytes. */
  readonly bytes: number;
  readonly limits: CompactionLimits;
}

/**
 * Creates a budget whose amounts are shares of the window, so that it works for windows of 8k and of 1M tokens. If the threshold is far
 * below the window, they are shares of a smaller window that has this threshold.
 */
export function createBudget(limits: CompactionLimits, input: BudgetInput): Budget {
  const isKnown = input.contextWindow > 0 && Number.isFinite(input.contextWindow);
  const window = isKnown ? input.contextWindow : DEFAULT_CONTEXT_WINDOW;
  const limit = lowestThreshold(limits, { ...input, contextWindow: window });
  const shareBase = Math.min(window, Math.floor(limit / (1 - maxReserveShare(limits))));
  const share = ({ tokens, share }: TokenLimit): number =>
    Math.max(0, Math.floor(Math.min(tokens, shareOfWindow(share, shareBase))) || 0);
  return {
    ...input,
    limit: isKnown ? limit : Number.POSITIVE_INFINITY,
    shareBase,
    tail: share(limits.tail),
    userMessages: share(limits.userMessages),
    checkpoint: share(limits.checkpoint),
    branchSummary: share(limits.branch),
    branchInput: isKnown
      ? Math.floor(subtractReserve(limits.branchReserve, window, maxReserveShare(limits)))
      : Number.POSITIVE_INFINITY,
    shortenedMessage: share(limits.shortenedMessage),
    bytes: Math.floor(limits.requestSize.bytes * limits.requestSize.share),
    limits,
  };
}

/** The window that shares are computed from if the real one is unknown. */
const DEFAULT_CONTEXT_WINDOW = 128_000;

/** Returns which limit the context exceeds, or null if it fits. */
export function findExceededLimit({ tokens, bytes }: ContextSize, budget: Budget): "tokens" | "bytes" | null {
  if (tokens > budget.limit) return "tokens";
  return bytes > budget.bytes ? "bytes" : null;
}

// DUE2: a threshold is a number, a percentage or a reserve, for all models and agents or for one. The lowest that applies counts.
function lowestThreshold(limits: CompactionLimits, { contextWindow, model, agent }: BudgetInput): number {
  const modelId = model && `${model.provider}/${model.model}`;
  const thresholds = limits.thresholds.filter(
    (threshold) =>
      (threshold.model === undefined || threshold.model === modelId) &&
      (threshold.agent === undefined || threshold.agent === agent),
  );
  const thresholdTokens = thresholds.flatMap((threshold) =>
    toTokenLimits(threshold, contextWindow, maxReserveShare(limits)),
  );
  return Math.max(0, Math.floor(Math.min(contextWindow, ...thresholdTokens.filter((limit) => !Number.isNaN(limit)))));
}

// Users write the settings. A share that would leave no tokens, or is invalid, is ignored.
function maxReserveShare({ largestReserve }: CompactionLimits): number {
  return largestReserve >= 0 && largestReserve < 1 ? largestReserve : 0;
}

function toTokenLimits({ tokens, percent, reserve }: Threshold, window: number, maxReserve: number): readonly number[] {
  return [
    ...(tokens === undefined ? [] : [tokens]),
    // Rounds off binary errors: 32.3% of 8,000 must be 2,584, not 2,583.
    ...(percent === undefined ? [] : [Number(((window * percent) / 100).toPrecision(12))]),
    ...(reserve === undefined ? [] : [subtractReserve(reserve, window, maxReserve)]),
  ];
}

function subtractReserve(reserve: TokenAmount, window: number, maxReserve: number): number {
  return window - Math.min(resolveTokens(reserve, window), window * maxReserve);
}

export interface CompactionLevel {
  readonly name: "whole" | "reduced" | "half" | "quarter" | "summary-only" | "barest";
  /** The share of the tail's budget to use. */
  readonly tailShare: number;
  /** The share of the summary message's budgets to use. */
  readonly summaryShare: number;
  /** A kept message larger than this share of the tail's budget is shortened to its head and tail. */
  readonly shortenAbove: number;
}

/** The compaction levels in order; each keeps less than the previous one. */
export const compactionLevels: readonly [CompactionLevel, ...CompactionLevel[]] = [
  { name: "whole", tailShare: 1, summaryShare: 1, shortenAbove: 1 },
  { name: "reduced", tailShare: 1, summaryShare: 1, shortenAbove: 0.25 },
  { name: "half", tailShare: 0.5, summaryShare: 1, shortenAbove: 0.25 },
  { name: "quarter", tailShare: 0.25, summaryShare: 0.5, shortenAbove: 0.1 },
  { name: "summary-only", tailShare: 0, summaryShare: 0.5, shortenAbove: 0 },
  { name: "barest", tailShare: 0, summaryShare: 0.1, shortenAbove: 0 },
];
