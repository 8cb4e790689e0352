/** Computes the limits for one model's context window, checks a context against them, and defines the reduction levels. */

import type { ContextSize } from "../context/context-size.ts";
import type { ModelName } from "../model.ts";
import {
  type CompactionLimits,
  compactionLimits,
  resolveTokens,
  type Threshold,
  type TokenShare,
  type TokensOrShare,
} from "../settings.ts";
import type { ToolRoles } from "../tool-roles.ts";

/** Who is asked, and by whom. */
export interface BudgetInput {
  /** Tokens the model can see at once; 0 for a window nobody knows. */
  readonly contextWindow: number;
  readonly model?: ModelName;
  readonly agent?: string;
  /** Tokens that are sent besides the log: a prompt and tools that are no entries. */
  readonly fixed?: number;
  /** What the arguments of the host's tools mean, where their names do not say it. */
  readonly tools?: ToolRoles;
}

/** The token and byte limits for one model's context window. */
export interface Budget extends BudgetInput {
  /** More tokens than this are too much. Of a window nobody knows, none are. */
  readonly limit: number;
  /** What the amounts are shares of. */
  readonly shareBase: number;
  readonly tail: number;
  readonly userMessages: number;
  readonly checkpoint: number;
  readonly branchSummary: number;
  /** Tokens of a left branch that are summarised, newest first; all of them if the window is not known. */
  readonly branchInput: number;
  readonly reducedMessage: number;
  /** More bytes on the wire than this are too much. */
  readonly bytes: number;
  readonly limits: CompactionLimits;
}

/**
 * Every amount is a share of the window, so that 8k works as 1M does. Where the threshold lies far below the window, of what it
 * would be the threshold of.
 */
export function createBudget(limits: CompactionLimits, input: BudgetInput): Budget {
  const isKnown = input.contextWindow > 0 && Number.isFinite(input.contextWindow);
  const window = isKnown ? input.contextWindow : DEFAULT_CONTEXT_WINDOW;
  const limit = lowestThreshold(limits, { ...input, contextWindow: window });
  const shareBase = Math.min(window, Math.floor(limit / (1 - maxReserveShare(limits))));
  const share = ({ tokens, share }: TokenShare): number =>
    Math.max(0, Math.floor(Math.min(resolveTokens(tokens, shareBase), shareBase * share)) || 0);
  return {
    ...input,
    limit: isKnown ? limit : Number.POSITIVE_INFINITY,
    shareBase,
    tail: share(limits.tail),
    userMessages: share(limits.words),
    checkpoint: share(limits.checkpoint),
    branchSummary: share(limits.branch),
    branchInput: isKnown
      ? Math.floor(subtractReserve(limits.branchReserve, window, maxReserveShare(limits)))
      : Number.POSITIVE_INFINITY,
    reducedMessage: share(limits.reduced),
    bytes: Math.floor(limits.wire.bytes * limits.wire.share),
    limits,
  };
}

/** The compaction settings of pi: what is free at the end of the window, and what is kept of the newest messages, in tokens. */
export interface CompactionSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

/** Limits as such settings have them. What is kept is what they say: a share of a window would need a window. */
export function toCompactionLimits({ enabled, reserveTokens, keepRecentTokens }: CompactionSettings): CompactionLimits {
  return {
    ...compactionLimits,
    enabled,
    thresholds: [{ reserve: reserveTokens }],
    tail: { tokens: keepRecentTokens, share: Number.POSITIVE_INFINITY },
  };
}

/** What is kept of a context in a window nobody knows. */
const DEFAULT_CONTEXT_WINDOW = 128_000;

/** What there is too much of in a context: `"tokens"`, `"bytes"`, or null where it fits. */
export function shouldCompact(size: ContextSize, budget: Budget): "tokens" | "bytes" | null;
/**
 * As pi has it: whether more tokens are used than the window holds without the reserve, e.g. `shouldCompact(190_000, 200_000, settings)`.
 * The reserve counts whole here; in a budget it takes a quarter of the window at most.
 */
export function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean;
export function shouldCompact(
  first: ContextSize | number,
  second: Budget | number,
  settings?: CompactionSettings,
): "tokens" | "bytes" | null | boolean {
  if (typeof first !== "number" && typeof second !== "number" && second) return findExceededLimit(first, second);
  if (!isTokenCount(first) || typeof second !== "number" || !isCompactionSettings(settings))
    throw new Error(
      "shouldCompact needs the tokens of the context, the model's window and settings: shouldCompact(190_000, 200_000, { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }); or a size and a budget: shouldCompact(contextSize(window), budget).",
    );
  return settings.enabled && first > second - settings.reserveTokens;
}

function findExceededLimit({ tokens, bytes }: ContextSize, budget: Budget): "tokens" | "bytes" | null {
  if (tokens > budget.limit) return "tokens";
  return bytes > budget.bytes ? "bytes" : null;
}

export function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

export function isCompactionSettings(settings: unknown): settings is CompactionSettings {
  const { enabled, reserveTokens, keepRecentTokens } = Object(settings) as Partial<CompactionSettings>;
  return typeof enabled === "boolean" && isTokenCount(reserveTokens) && isTokenCount(keepRecentTokens);
}

// DUE2: a number, a percentage or a reserve; for all, for one model, for one agent: the lowest of those that apply.
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

// Settings come from people: a share that would leave nothing is none.
function maxReserveShare({ largestReserve }: CompactionLimits): number {
  return largestReserve >= 0 && largestReserve < 1 ? largestReserve : 0;
}

function toTokenLimits({ tokens, percent, reserve }: Threshold, window: number, maxReserve: number): readonly number[] {
  return [
    ...(tokens === undefined ? [] : [tokens]),
    // 32.3 % of 8,000 are 2,584, and not one less because 32.3 has no end in binary.
    ...(percent === undefined ? [] : [Number(((window * percent) / 100).toPrecision(12))]),
    ...(reserve === undefined ? [] : [subtractReserve(reserve, window, maxReserve)]),
  ];
}

function subtractReserve(reserve: TokensOrShare, window: number, maxReserve: number): number {
  return window - Math.min(resolveTokens(reserve, window), window * maxReserve);
}

export interface ReductionLevel {
  readonly name: "whole" | "reduced" | "half" | "quarter" | "summary-only" | "barest";
  /** Of the tail's budget. */
  readonly tailShare: number;
  /** Of the front's budgets. */
  readonly summaryShare: number;
  /** What is bigger than this share of the tail's budget is reduced to head and tail, if it stays in the tail. */
  readonly reduceAbove: number;
}

/** From what is kept gladly to the barest; each keeps less than the one before. */
export const reductionLevels: readonly [ReductionLevel, ...ReductionLevel[]] = [
  { name: "whole", tailShare: 1, summaryShare: 1, reduceAbove: 1 },
  { name: "reduced", tailShare: 1, summaryShare: 1, reduceAbove: 0.25 },
  { name: "half", tailShare: 0.5, summaryShare: 1, reduceAbove: 0.25 },
  { name: "quarter", tailShare: 0.25, summaryShare: 0.5, reduceAbove: 0.1 },
  { name: "summary-only", tailShare: 0, summaryShare: 0.5, reduceAbove: 0 },
  { name: "barest", tailShare: 0, summaryShare: 0.1, reduceAbove: 0 },
];
