/** Decides whether a compaction is due, and reads the breaker that stops automatic compactions when they no longer help. */

import { latestEdit } from "../context/build-context.ts";
import {
  type ContextSize,
  collectCalibration,
  contextSize,
  entryTokens,
  findCalibration,
} from "../context/context-size.ts";
import { assistantReply, lastMeasuredIndex, readTokenReport } from "../context/entry-size.ts";
import { BREAKER_TYPE, type Entry, MOVE_TYPE } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { type Budget, shouldCompact } from "./budget.ts";
import { isFromUser } from "./user-messages.ts";

/** Automatic compactions have stopped because they no longer help. It is in the log, so it holds after a restart too. */
export interface Breaker {
  /** What fills the window. */
  readonly fills: BreakerCause;
  /** How much of it there is, in tokens. */
  readonly tokens: number;
  /** The limit it does not fit under; null in a window nobody knows. */
  readonly limit: number | null;
}

/** What each means, and what to do about it. */
export const breakerNotes = {
  fixed:
    "the system prompt and the tools fill the window by themselves; use fewer tools, a shorter prompt or a larger window",
  pins: "the pins fill the window by themselves; take some away, or use a larger window",
  refill: "the context is full again as soon as it was compacted; use a larger window, or smaller steps",
  bytes: "the images weigh more than a request may; take some away from the newest messages",
} as const;

export type BreakerCause = keyof typeof breakerNotes;

/** The one that stands at the leaf. A compaction behind it has closed it: it has helped after all. */
export function findBreaker({ entries, compactionIndex }: LoadedBranch): Breaker | null {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER_TYPE);
  const entry = entries[index];
  return index > compactionIndex && entry?.type === "custom" ? parseBreaker(entry.data) : null;
}

/** What fills a window most. */
export function createBreaker(branch: LoadedBranch, budget: Budget): Breaker {
  const { fixed, tokens, bytes } = contextSize(branch, budget);
  const pins = branch.state.pins.reduce((sum, { text }) => sum + textTokens(text), 0);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  if (tokens <= budget.limit && bytes > budget.bytes) return { fills: "bytes", tokens, limit };
  if (limit === null || Math.max(fixed, pins) <= limit / 2) return { fills: "refill", tokens, limit };
  return fixed >= pins ? { fills: "fixed", tokens: fixed, limit } : { fills: "pins", tokens: pins, limit };
}

// GUARD2: more room closes it, and so does it when what filled the window has become less, or somebody goes on all the same.
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

// It comes from a file; what is no breaker stops nothing.
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

/** Whether the context as it would be sent now is too much, and nothing says to wait. */
export function compactionDue(branch: LoadedBranch, budget: Budget): CompactionDue {
  const size = contextSize(branch, budget);
  const why = shouldCompact(size, budget);
  if (!why) return { type: "not-due", why: "fits", size };
  if (!budget.limits.enabled) return { type: "not-due", why: "off", size };
  if (isBreakerOpen(branch, budget)) return { type: "not-due", why: "breaker", size };
  if (isQuietAfterUndo(branch, budget)) return { type: "not-due", why: "undone", size };
  return { type: "due", why, size };
}

// UNDO2: who undid a compaction is not given the same one again at once.
function isQuietAfterUndo(branch: LoadedBranch, budget: Budget): boolean {
  const undoIndex = branch.entries.findLastIndex(isUndo);
  if (undoIndex === -1 || undoIndex < branch.compactionIndex) return false;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const addedTokens = branch.entries
    .slice(undoIndex)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(branch.edits, entry), calibration), 0);
  return addedTokens < budget.shareBase * budget.limits.quietAfterUndo;
}

/** Whether a move has undone a compaction. */
export function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}

/** A cheap check before every request. DUE6: false says nothing; then `due` counts. */
export function fitsWithoutCounting(branch: LoadedBranch, { limit, bytes, model, fixed = 0 }: Budget): boolean {
  const { entries, compactionIndex } = branch;
  const index = lastMeasuredIndex(branch, model);
  const reply = assistantReply(entries[index]);
  // What is sent besides the log is learnt from any reply, and carried by a compaction.
  if (!reply && (compactionIndex >= 0 || entries.some(assistantReply))) return false;
  const measuredTokens = (reply && readTokenReport(reply)?.total) ?? fixed;
  const charsSince = entries.slice(index + 1).reduce((sum, entry) => sum + jsonLength(entry), 0);
  const totalChars = entries.reduce((sum, entry) => sum + jsonLength(entry), 0);
  return measuredTokens + charsSince * MAX_TOKENS_PER_CHAR <= limit && totalChars * MAX_BYTES_PER_CHAR <= bytes;
}

/** Of a UTF-16 unit; no tokenizer that we know of takes more than three, and a calibration adds at most as much again. */
const MAX_TOKENS_PER_CHAR = 6;
const MAX_BYTES_PER_CHAR = 3;

const jsonLengthCache = new WeakMap<Entry, number>();

/** Entries never change, so that each is measured once. */
function jsonLength(entry: Entry): number {
  const cached = jsonLengthCache.get(entry);
  if (cached !== undefined) return cached;
  const length = JSON.stringify(entry).length;
  jsonLengthCache.set(entry, length);
  return length;
}
