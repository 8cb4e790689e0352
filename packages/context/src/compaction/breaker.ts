/** The breaker: automatic compactions have stopped because they no longer help. It is in the log, so it holds after a restart too. */

import { BREAKER } from "../entry.ts";
import { isTyped } from "../keeping/user-words.ts";
import { contextSize } from "../reading/tokens/context-size.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import type { Window } from "../session/window.ts";
import type { Budget } from "./planning/budget.ts";

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
  return entries.slice(at + 1).some((entry) => isTyped(entry, edits));
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
