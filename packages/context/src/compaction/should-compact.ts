/** Decides whether a compaction is due, and manages the breaker that stops automatic compactions when they no longer help. */

import { latestEdit } from "../context/build-context.ts";
import {
  assistantReply,
  type ContextSize,
  collectCalibration,
  contextSize,
  entryTokens,
  findCalibration,
  lastMeasuredIndex,
  readTokenReport,
} from "../context/context-size.ts";
import { isFromUser } from "../context/entry-text.ts";
import { BREAKER_TYPE, type Entry, MOVE_TYPE } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { type Budget, shouldCompact } from "./budget.ts";

/** Stops automatic compactions that no longer help; the log stores it, so it stays open after a restart. */
export interface Breaker {
  /** The content that fills the window. */
  readonly fills: BreakerCause;
  /** The tokens of that content. */
  readonly tokens: number;
  /** The token limit of the budget; null if the context window is unknown. */
  readonly limit: number | null;
}

/** The cause of each kind of breaker, and what to do about it. */
export const breakerNotes = {
  fixed:
    "the system prompt and the tools fill the window by themselves; use fewer tools, a shorter prompt or a larger window",
  pins: "the pins fill the window by themselves; take some away, or use a larger window",
  refill: "the context is full again as soon as it was compacted; use a larger window, or smaller steps",
  bytes: "the images weigh more than a request may; take some away from the newest messages",
} as const;

export type BreakerCause = keyof typeof breakerNotes;

/** Returns the breaker of this branch, or null if there is none or a later compaction closed it. */
export function findBreaker({ entries, compactionIndex }: LoadedBranch): Breaker | null {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER_TYPE);
  const entry = entries[index];
  return index > compactionIndex && entry?.type === "custom" ? parseBreaker(entry.data) : null;
}

/** Creates a breaker that names the main cause of a full window. */
export function createBreaker(branch: LoadedBranch, budget: Budget): Breaker {
  const { fixed, tokens, bytes } = contextSize(branch, budget);
  const pins = branch.state.pins.reduce((sum, { text }) => sum + textTokens(text), 0);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  if (tokens <= budget.limit && bytes > budget.bytes) return { fills: "bytes", tokens, limit };
  if (limit === null || Math.max(fixed, pins) <= limit / 2) return { fills: "refill", tokens, limit };
  return fixed >= pins ? { fills: "fixed", tokens: fixed, limit } : { fills: "pins", tokens: pins, limit };
}

// GUARD2: a higher limit closes the breaker. So does less content of the reported kind or, for a refill, a new user message.
export function isBreakerOpen(branch: LoadedBranch, budget: Budget): boolean {
  const breaker = findBreaker(branch);
  if (!breaker || (breaker.limit ?? Number.POSITIVE_INFINITY) < budget.limit) return false;
  const current = createBreaker(branch, budget);
  if (breaker.fills === "refill") return !hasUserMessageAfterBreaker(branch);
  return current.fills === breaker.fills && current.tokens >= breaker.tokens * 0.9;
}

function hasUserMessageAfterBreaker({ entries, edits }: LoadedBranch): boolean {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER_TYPE);
  return entries.slice(index + 1).some((entry) => isFromUser(entry, edits));
}

// The data comes from a file. Invalid data is ignored.
function parseBreaker(value: unknown): Breaker | null {
  const { fills, tokens, limit } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isBreakerCause(fills) || typeof tokens !== "number") return null;
  if (limit !== null && typeof limit !== "number") return null;
  return { fills, tokens, limit };
}

function isBreakerCause(value: unknown): value is BreakerCause {
  return typeof value === "string" && Object.hasOwn(breakerNotes, value);
}

export type CompactionDue =
  | { readonly type: "due"; readonly why: "tokens" | "bytes"; readonly size: ContextSize }
  | { readonly type: "not-due"; readonly why: "fits" | "off" | "undone" | "breaker"; readonly size: ContextSize };

/** Returns whether the context exceeds the budget and nothing prevents a compaction. */
export function compactionDue(branch: LoadedBranch, budget: Budget): CompactionDue {
  const size = contextSize(branch, budget);
  const why = shouldCompact(size, budget);
  if (!why) return { type: "not-due", why: "fits", size };
  if (!budget.limits.enabled) return { type: "not-due", why: "off", size };
  if (isBreakerOpen(branch, budget)) return { type: "not-due", why: "breaker", size };
  if (isQuietAfterUndo(branch, budget)) return { type: "not-due", why: "undone", size };
  return { type: "due", why, size };
}

// UNDO2: prevents the same compaction from running again right after an undo.
function isQuietAfterUndo(branch: LoadedBranch, budget: Budget): boolean {
  const undoIndex = branch.entries.findLastIndex(isUndo);
  if (undoIndex === -1 || undoIndex < branch.compactionIndex) return false;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const addedTokens = branch.entries
    .slice(undoIndex)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(branch.edits, entry), calibration), 0);
  return addedTokens < budget.shareBase * budget.limits.quietAfterUndo;
}

/** Returns whether an entry is a move that undid a compaction. */
export function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}

/** DUE6: checks without counting tokens whether the context certainly fits; if false, call `compactionDue`. */
export function fitsWithoutCounting(branch: LoadedBranch, { limit, bytes, model, fixed = 0 }: Budget): boolean {
  const { entries, compactionIndex } = branch;
  const index = lastMeasuredIndex(branch, model);
  const reply = assistantReply(entries[index]);
  // The tokens sent in addition to the log may be known from an earlier reply or a compaction. Then only a count includes them.
  if (!reply && (compactionIndex >= 0 || entries.some(assistantReply))) return false;
  const measuredTokens = (reply && readTokenReport(reply)?.total) ?? fixed;
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
  const cached = jsonLengthCache.get(entry);
  if (cached !== undefined) return cached;
  const length = JSON.stringify(entry).length;
  jsonLengthCache.set(entry, length);
  return length;
}
