/** Computes the limits for one model's context window, checks a context against them, and defines the reduction levels. */

import type { ContextSize } from "../context/context-size.ts";
import type { ToolRoles } from "../ledger/touched-files.ts";
import type { ModelName } from "../model.ts";
import {
  type Amount,
  type CompactionLimits,
  compactionLimits,
  type Threshold,
  type TokensOrShare,
  tokensIn,
} from "../settings.ts";

/** Who is asked, and by whom. */
export interface Setting {
  /** Tokens the model can see at once; 0 for a window nobody knows. */
  readonly contextWindow: number;
  readonly to?: ModelName;
  readonly agent?: string;
  /** Tokens that are sent besides the log: a prompt and tools that are no entries. */
  readonly fixed?: number;
  /** What the arguments of the host's tools mean, where their names do not say it. */
  readonly tools?: ToolRoles;
}

/** The token and byte limits for one model's context window. */
export interface Budget extends Setting {
  /** More tokens than this are too much. Of a window nobody knows, none are. */
  readonly limit: number;
  /** What the amounts are shares of. */
  readonly span: number;
  readonly tail: number;
  readonly words: number;
  readonly checkpoint: number;
  readonly branch: number;
  /** Tokens of a left branch that are summarised, newest first; all of them if the window is not known. */
  readonly branchRoom: number;
  readonly reduced: number;
  /** More bytes on the wire than this are too much. */
  readonly bytes: number;
  readonly limits: CompactionLimits;
}

/**
 * Every amount is a share of the window, so that 8k works as 1M does. Where the threshold lies far below the window, of what it
 * would be the threshold of.
 */
export function budgetFor(limits: CompactionLimits, setting: Setting): Budget {
  const isKnown = setting.contextWindow > 0 && Number.isFinite(setting.contextWindow);
  const window = isKnown ? setting.contextWindow : UNKNOWN_WINDOW;
  const limit = lowest(limits, { ...setting, contextWindow: window });
  const span = Math.min(window, Math.floor(limit / (1 - largestReserve(limits))));
  const share = ({ tokens, share }: Amount): number =>
    Math.max(0, Math.floor(Math.min(tokensIn(tokens, span), span * share)) || 0);
  return {
    ...setting,
    limit: isKnown ? limit : Number.POSITIVE_INFINITY,
    span,
    tail: share(limits.tail),
    words: share(limits.words),
    checkpoint: share(limits.checkpoint),
    branch: share(limits.branch),
    branchRoom: isKnown
      ? Math.floor(afterReserve(limits.branchReserve, window, largestReserve(limits)))
      : Number.POSITIVE_INFINITY,
    reduced: share(limits.reduced),
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
export function limitsFrom({ enabled, reserveTokens, keepRecentTokens }: CompactionSettings): CompactionLimits {
  return {
    ...compactionLimits,
    enabled,
    thresholds: [{ reserve: reserveTokens }],
    tail: { tokens: keepRecentTokens, share: Number.POSITIVE_INFINITY },
  };
}

/** What is kept of a context in a window nobody knows. */
const UNKNOWN_WINDOW = 128_000;

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
  if (typeof first !== "number" && typeof second !== "number" && second) return exceededLimit(first, second);
  if (!isCount(first) || typeof second !== "number" || !isSettings(settings))
    throw new Error(
      "shouldCompact needs the tokens of the context, the model's window and settings: shouldCompact(190_000, 200_000, { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }); or a size and a budget: shouldCompact(contextSize(window), budget).",
    );
  return settings.enabled && first > second - settings.reserveTokens;
}

function exceededLimit({ tokens, bytes }: ContextSize, budget: Budget): "tokens" | "bytes" | null {
  if (tokens > budget.limit) return "tokens";
  return bytes > budget.bytes ? "bytes" : null;
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

export function isSettings(settings: unknown): settings is CompactionSettings {
  const { enabled, reserveTokens, keepRecentTokens } = Object(settings) as Partial<CompactionSettings>;
  return typeof enabled === "boolean" && isCount(reserveTokens) && isCount(keepRecentTokens);
}

// DUE2: a number, a percentage or a reserve; for all, for one model, for one agent: the lowest of those that apply.
function lowest(limits: CompactionLimits, { contextWindow, to, agent }: Setting): number {
  const model = to && `${to.provider}/${to.model}`;
  const applying = limits.thresholds.filter(
    (threshold) =>
      (threshold.model === undefined || threshold.model === model) &&
      (threshold.agent === undefined || threshold.agent === agent),
  );
  const found = applying.flatMap((threshold) => limitsOf(threshold, contextWindow, largestReserve(limits)));
  return Math.max(0, Math.floor(Math.min(contextWindow, ...found.filter((limit) => !Number.isNaN(limit)))));
}

// Settings come from people: a share that would leave nothing is none.
function largestReserve({ largestReserve }: CompactionLimits): number {
  return largestReserve >= 0 && largestReserve < 1 ? largestReserve : 0;
}

function limitsOf({ tokens, percent, reserve }: Threshold, window: number, largest: number): readonly number[] {
  return [
    ...(tokens === undefined ? [] : [tokens]),
    // 32.3 % of 8,000 are 2,584, and not one less because 32.3 has no end in binary.
    ...(percent === undefined ? [] : [Number(((window * percent) / 100).toPrecision(12))]),
    ...(reserve === undefined ? [] : [afterReserve(reserve, window, largest)]),
  ];
}

function afterReserve(reserve: TokensOrShare, window: number, largest: number): number {
  return window - Math.min(tokensIn(reserve, window), window * largest);
}

export interface Rung {
  readonly name: "whole" | "reduced" | "half" | "quarter" | "summary-only" | "barest";
  /** Of the tail's budget. */
  readonly tail: number;
  /** Of the front's budgets. */
  readonly front: number;
  /** What is bigger than this share of the tail's budget is reduced to head and tail, if it stays in the tail. */
  readonly reduceAbove: number;
}

/** From what is kept gladly to the barest; each keeps less than the one before. */
export const rungs: readonly [Rung, ...Rung[]] = [
  { name: "whole", tail: 1, front: 1, reduceAbove: 1 },
  { name: "reduced", tail: 1, front: 1, reduceAbove: 0.25 },
  { name: "half", tail: 0.5, front: 1, reduceAbove: 0.25 },
  { name: "quarter", tail: 0.25, front: 0.5, reduceAbove: 0.1 },
  { name: "summary-only", tail: 0, front: 0.5, reduceAbove: 0 },
  { name: "barest", tail: 0, front: 0.1, reduceAbove: 0 },
];
