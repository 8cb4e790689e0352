/** Decides from the size of a context whether it should be compacted, and computes how many tokens a reply may use. */

import { getOrCompute } from "../cache.ts";
import { findCalibration } from "../context/calibration.ts";
import {
  assistantReply,
  type ContextSize,
  collectCalibration,
  contextSize,
  lastMeasuredIndex,
  readTokenReport,
} from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import type { ReplyBudget, Request } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { requestTokens } from "../tokens/estimate-tokens.ts";
import { isBreakerOpen } from "./breaker.ts";
import { type Budget, findExceededLimit } from "./budget.ts";
import { isQuietAfterUndo } from "./undo.ts";

/** pi's compaction settings: the tokens reserved at the end of the window, and the tokens of recent messages to keep. */
export interface CompactionSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

/** Returns which limit the context exceeds, `"tokens"` or `"bytes"`, or null if it fits. */
export function shouldCompact(size: ContextSize, budget: Budget): "tokens" | "bytes" | null;
/**
 * Compatible with pi: returns whether the context exceeds the window minus the reserve, e.g. `shouldCompact(190_000, 200_000, settings)`.
 * The full reserve applies here; in a budget it is limited to a share of the window.
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
      "shouldCompact needs the context tokens, the model's context window and settings: shouldCompact(190_000, 200_000, { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }); or a size and a budget: shouldCompact(contextSize(window), budget).",
    );
  return settings.enabled && first > second - settings.reserveTokens;
}

export function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

export function isCompactionSettings(settings: unknown): settings is CompactionSettings {
  const { enabled, reserveTokens, keepRecentTokens } = Object(settings) as Partial<CompactionSettings>;
  return typeof enabled === "boolean" && isTokenCount(reserveTokens) && isTokenCount(keepRecentTokens);
}

export type CompactionDue =
  | { readonly type: "due"; readonly why: "tokens" | "bytes"; readonly size: ContextSize }
  | { readonly type: "not-due"; readonly why: "fits" | "off" | "undone" | "breaker"; readonly size: ContextSize };

/** Returns whether the context exceeds the budget and nothing prevents a compaction. */
export function compactionDue(branch: LoadedBranch, budget: Budget): CompactionDue {
  const size = contextSize(branch, budget);
  const why = findExceededLimit(size, budget);
  if (!why) return { type: "not-due", why: "fits", size };
  if (!budget.limits.enabled) return { type: "not-due", why: "off", size };
  if (isBreakerOpen(branch, budget)) return { type: "not-due", why: "breaker", size };
  if (isQuietAfterUndo(branch, budget)) return { type: "not-due", why: "undone", size };
  return { type: "due", why, size };
}

/** DUE6: checks without counting tokens whether the context certainly fits; if false, call `compactionDue`. */
export function fitsWithoutCounting(branch: LoadedBranch, { limit, bytes, model, fixed = 0 }: Budget): boolean {
  const { entries, compactionIndex } = branch;
  const index = lastMeasuredIndex(branch, model);
  const reply = assistantReply(entries[index]);
  // The tokens sent in addition to the log may be known from an earlier reply or a compaction. Then only a count includes them.
  if (!reply && (compactionIndex >= 0 || entries.some(assistantReply))) return false;
  const measuredTokens = (reply && readTokenReport(reply)?.total) ?? fixed;
  if (measuredTokens > limit) return false;
  const charsSince = entries.slice(index + 1).reduce((sum, entry) => sum + jsonLength(entry), 0);
  const totalChars = entries.reduce((sum, entry) => sum + jsonLength(entry), 0);
  return measuredTokens + charsSince * MAX_TOKENS_PER_CHAR <= limit && totalChars * MAX_BYTES_PER_CHAR <= bytes;
}

/** Per UTF-16 code unit. No known tokenizer uses more than three tokens, and calibration at most doubles that. */
const MAX_TOKENS_PER_CHAR = 6;
const MAX_BYTES_PER_CHAR = 3;

const jsonLengthCache = new WeakMap<Entry, number>();

/** Caches the length, because entries never change. */
function jsonLength(entry: Entry): number {
  return getOrCompute(jsonLengthCache, entry, () => JSON.stringify(entry).length);
}

export interface ReplyBudgetOptions {
  readonly budget: Budget;
  /** The model's maximum number of output tokens. */
  readonly maxTokens: number;
  /** The request, if hooks have changed it. Its size is estimated, because measured sizes apply only to the session's own context. */
  readonly request?: Request | undefined;
}

/** Computes the tokens left for a reply, at least the reserve while no compaction is due; undefined if the window is unknown. */
export function computeReplyBudget(
  branch: LoadedBranch,
  { budget, maxTokens, request }: ReplyBudgetOptions,
): ReplyBudget | undefined {
  const { contextWindow, limit } = budget;
  if (!Number.isFinite(limit)) return undefined;
  const reserve = contextWindow - limit;
  const freeTokenCount = request
    ? contextWindow - estimateHookedRequest(request, branch, budget)
    : freeTokens(branch, budget, maxTokens);
  return { tokens: Math.min(maxTokens, Math.max(0, freeTokenCount)), reserve };
}

function freeTokens(branch: LoadedBranch, budget: Budget, maxTokens: number): number {
  const { contextWindow, limit } = budget;
  // Avoids an estimate: it takes time, and the estimator is not loaded right after the start of a program.
  if (fitsWithoutCounting(branch, { ...budget, limit: contextWindow - maxTokens })) return maxTokens;
  const { tokens, measured } = contextSize(branch, budget);
  const free = contextWindow - measured - Math.ceil((tokens - measured) * ESTIMATE_MARGIN);
  return Math.max(free, Math.min(contextWindow - limit, contextWindow - tokens));
}

// Several providers refuse a request if its input and `max_tokens` together exceed the window. Measured tokens are exact, so only
// estimated tokens need a margin. The margin never reduces the reply below the reserve: if such a request exceeds the window, the
// context is above the threshold, and a smaller request follows.
const ESTIMATE_MARGIN = 1.25;

function estimateHookedRequest(request: Request, branch: LoadedBranch, { model }: Budget): number {
  return Math.ceil(
    requestTokens(request) * findCalibration(collectCalibration(branch), model).factor * HOOK_REQUEST_MARGIN,
  );
}

const HOOK_REQUEST_MARGIN = 1.1;
