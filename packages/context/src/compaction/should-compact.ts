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
import { isFromUser } from "../context/entry-text.ts";
import { BREAKER_TYPE, type Entry, MOVE_TYPE } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { type Budget, shouldCompact } from "./budget.ts";

/** Automatic compactions have stopped because they no longer help. It is in the log, so it holds after a restart too. */
export interface Breaker {
  /** What fills the window. */
  readonly fills: BreakerCause;
  /** Its tokens. */
  readonly tokens: number;
  /** The limit that it exceeds; null if the context window is not known. */
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

/** Returns the breaker of this branch, or null. A later compaction closes it. */
export function findBreaker({ entries, compactionIndex }: LoadedBranch): Breaker | null {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER_TYPE);
  const entry = entries[index];
  return index > compactionIndex && entry?.type === "custom" ? parseBreaker(entry.data) : null;
}

/** Creates a breaker that names what fills the window most. */
export function createBreaker(branch: LoadedBranch, budget: Budget): Breaker {
  const { fixed, tokens, bytes } = contextSize(branch, budget);
  const pins = branch.state.pins.reduce((sum, { text }) => sum + textTokens(text), 0);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  if (tokens <= budget.limit && bytes > budget.bytes) return { fills: "bytes", tokens, limit };
  if (limit === null || Math.max(fixed, pins) <= limit / 2) return { fills: "refill", tokens, limit };
  return fixed >= pins ? { fills: "fixed", tokens: fixed, limit } : { fills: "pins", tokens: pins, limit };
}

// GUARD2: a larger window closes it, and also less content of the reported kind, or a new message of the user.
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

// It comes from a file. Invalid data is ignored.
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

/** Whether the context exceeds the budget and nothing prevents a compaction. */
export function compactionDue(branch: LoadedBranch, budget: Budget): CompactionDue {
  const size = contextSize(branch, budget);
  const why = shouldCompact(size, budget);
  if (!why) return { type: "not-due", why: "fits", size };
  if (!budget.limits.enabled) return { type: "not-due", why: "off", size };
  if (isBreakerOpen(branch, budget)) return { type: "not-due", why: "breaker", size };
  if (isQuietAfterUndo(branch, budget)) return { type: "not-due", why: "undone", size };
  return { type: "due", why, size };
}

// UNDO2: after an undo, the same compaction does not run again at once.
function isQuietAfterUndo(branch: LoadedBranch, budget: Budget): boolean {
  const undoIndex = branch.entries.findLastIndex(isUndo);
  if (undoIndex === -1 || undoIndex < branch.compactionIndex) return false;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const addedTokens = branch.entries
    .slice(undoIndex)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(branch.edits, entry), calibration), 0);
  return addedTokens < budget.shareBase * budget.limits.quietAfterUndo;
}

/** Whether an entry is a move that undid a compaction. */
export function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}

/** Checks cheaply, before every request, whether the context surely fits. DUE6: if false, `compactionDue` must count. */
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

/** Per UTF-16 unit. No known tokenizer uses more than three, and a calibration at most doubles that. */
const MAX_TOKENS_PER_CHAR = 6;
const MAX_BYTES_PER_CHAR = 3;

const jsonLengthCache = new WeakMap<Entry, number>();

/** Entries never change, so each is measured once. */
function jsonLength(entry: Entry): number {
  const cached = jsonLengthCache.get(entry);
  if (cached !== undefined) return cached;
  const length = JSON.stringify(entry).length;
  jsonLengthCache.set(entry, length);
  return length;
}
