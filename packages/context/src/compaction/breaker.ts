/** The breaker: automatic compactions have stopped because they no longer help. It is in the log, so it holds after a restart too. */

import { BREAKER } from "../entry.ts";
import type { Window } from "../session/window.ts";

export interface Breaker {
  /** What fills the window. */
  readonly fills: Filling;
  /** How much of it there is, in tokens. */
  readonly tokens: number;
  /** The limit it does not fit under; a higher one closes the breaker. */
  readonly limit: number;
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

/** The one that is open at the leaf. A compaction behind it closes it: it has helped after all (GUARD2). */
export function breakerAt({ entries, compactionAt }: Window): Breaker | null {
  const at = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === BREAKER);
  const entry = entries[at];
  return at > compactionAt && entry?.type === "custom" ? breakerIn(entry.data) : null;
}

// It comes from a file; what is no breaker stops nothing.
function breakerIn(value: unknown): Breaker | null {
  const { fills, tokens, limit } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isFilling(fills) || typeof tokens !== "number" || typeof limit !== "number") return null;
  return { fills, tokens, limit };
}

function isFilling(value: unknown): value is Filling {
  return typeof value === "string" && Object.hasOwn(breakerNotes, value);
}
