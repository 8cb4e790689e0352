/** Decides whether a compaction is due, and reads the breaker that stops automatic compactions when they no longer help. */

import { latestEdit } from "../context/build-context.ts";
import { type ContextSize, calibrationAt, contextSize, entryTokens, fitOf } from "../context/context-size.ts";
import { measuredAt, measureOf, replyIn } from "../context/entry-size.ts";
import { BREAKER, type Entry, MOVE } from "../entry.ts";
import type { Window } from "../session/loaded-branch.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { type Budget, shouldCompact } from "./budget.ts";
import { isFromUser } from "./user-messages.ts";

/** Automatic compactions have stopped because they no longer help. It is in the log, so it holds after a restart too. */
export interface Breaker {
  /** What fills the window. */
  readonly fills: Filling;
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

export type Filling = keyof typeof breakerNotes;

/** The one that stands at the leaf. A compaction behind it has closed it: it has helped after all. */
export function breakerAt({ entries, compactionAt }: Window): Breaker | null {
  const at = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER);
  const entry = entries[at];
  return at > compactionAt && entry?.type === "custom" ? breakerIn(entry.data) : null;
}

/** What fills a window most. */
export function fillingOf(window: Window, budget: Budget): Breaker {
  const { fixed, tokens, bytes } = contextSize(window, budget);
  const pins = window.state.pins.reduce((sum, { text }) => sum + textTokens(text), 0);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  if (tokens <= budget.limit && bytes > budget.bytes) return { fills: "bytes", tokens, limit };
  if (limit === null || Math.max(fixed, pins) <= limit / 2) return { fills: "refill", tokens, limit };
  return fixed >= pins ? { fills: "fixed", tokens: fixed, limit } : { fills: "pins", tokens: pins, limit };
}

// GUARD2: more room closes it, and so does it when what filled the window has become less, or somebody goes on all the same.
export function isOpen(window: Window, budget: Budget): boolean {
  const breaker = breakerAt(window);
  if (!breaker || (breaker.limit ?? Number.POSITIVE_INFINITY) < budget.limit) return false;
  const now = fillingOf(window, budget);
  if (breaker.fills === "refill") return !hasSpokenSince(window);
  return now.fills === breaker.fills && now.tokens >= breaker.tokens * 0.9;
}

function hasSpokenSince({ entries, edits }: Window): boolean {
  const at = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER);
  return entries.slice(at + 1).some((entry) => isFromUser(entry, edits));
}

// It comes from a file; what is no breaker stops nothing.
function breakerIn(value: unknown): Breaker | null {
  const { fills, tokens, limit } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isFilling(fills) || typeof tokens !== "number") return null;
  if (limit !== null && typeof limit !== "number") return null;
  return { fills, tokens, limit };
}

function isFilling(value: unknown): value is Filling {
  return typeof value === "string" && Object.hasOwn(breakerNotes, value);
}

export type Due =
  | { readonly type: "due"; readonly why: "tokens" | "bytes"; readonly size: ContextSize }
  | { readonly type: "not-due"; readonly why: "fits" | "off" | "undone" | "breaker"; readonly size: ContextSize };

/** Whether the context as it would be sent now is too much, and nothing says to wait. */
export function due(window: Window, budget: Budget): Due {
  const size = contextSize(window, budget);
  const why = shouldCompact(size, budget);
  if (!why) return { type: "not-due", why: "fits", size };
  if (!budget.limits.enabled) return { type: "not-due", why: "off", size };
  if (isOpen(window, budget)) return { type: "not-due", why: "breaker", size };
  if (isQuiet(window, budget)) return { type: "not-due", why: "undone", size };
  return { type: "due", why, size };
}

// UNDO2: who undid a compaction is not given the same one again at once.
function isQuiet(window: Window, budget: Budget): boolean {
  const undo = window.entries.findLastIndex(isUndo);
  if (undo === -1 || undo < window.compactionAt) return false;
  const fit = fitOf(calibrationAt(window), budget.to);
  const grown = window.entries
    .slice(undo)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(window.edits, entry), fit), 0);
  return grown < budget.span * budget.limits.quietAfterUndo;
}

/** Whether a move has undone a compaction. */
export function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE && typeof Object(entry.data).undoes === "string";
}

/** A cheap check before every request. DUE6: false says nothing; then `due` counts. */
export function surelyFits(window: Window, { limit, bytes, to, fixed = 0 }: Budget): boolean {
  const { entries, compactionAt } = window;
  const at = measuredAt(window, to);
  const reply = replyIn(entries[at]);
  // What is sent besides the log is learnt from any reply, and carried by a compaction.
  if (!reply && (compactionAt >= 0 || entries.some(replyIn))) return false;
  const measured = (reply && measureOf(reply)?.total) ?? fixed;
  const since = entries.slice(at + 1).reduce((sum, entry) => sum + lengthOf(entry), 0);
  const all = entries.reduce((sum, entry) => sum + lengthOf(entry), 0);
  return measured + since * MOST_TOKENS <= limit && all * MOST_BYTES <= bytes;
}

/** Of a UTF-16 unit; no tokenizer that we know of takes more than three, and a calibration adds at most as much again. */
const MOST_TOKENS = 6;
const MOST_BYTES = 3;

const lengths = new WeakMap<Entry, number>();

/** Entries never change, so that each is measured once. */
function lengthOf(entry: Entry): number {
  const known = lengths.get(entry);
  if (known !== undefined) return known;
  const length = JSON.stringify(entry).length;
  lengths.set(entry, length);
  return length;
}
