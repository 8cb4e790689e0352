/** Manages the breaker that stops automatic compactions when they no longer help. */

import { contextSize } from "../context/context-size.ts";
import { isFromUser } from "../context/entry-text.ts";
import { BREAKER_TYPE, type Entry } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Budget } from "./budget.ts";

/** Stops automatic compactions that no longer help; the log stores it, so it stays open after a restart. */
export interface Breaker {
  /** The content that fills the window. */
  readonly fills: BreakerCause;
  /** The tokens of that content. */
  readonly tokens: number;
  /** The token limit of the budget; null if the context window is unknown. */
  readonly limit: number | null;
}

/** Explains why each kind of breaker is open, and what to do about it. */
export const breakerNotes = {
  fixed:
    "the system prompt and the tools alone fill the context window; use fewer tools, a shorter prompt or a model with a larger window",
  pins: "the pins alone fill the context window; remove some, or use a model with a larger window",
  refill:
    "the context fills up again right after a compaction; use a model with a larger window, or work in smaller steps",
  bytes: "the images exceed the request size limit; remove some from the newest messages",
} as const;

export type BreakerCause = keyof typeof breakerNotes;

/** Returns the breaker of this branch, or null if there is none or a later compaction closed it. */
export function findBreaker({ entries, compactionIndex }: LoadedBranch): Breaker | null {
  const index = entries.findLastIndex(isBreakerEntry);
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
  return entries.slice(entries.findLastIndex(isBreakerEntry) + 1).some((entry) => isFromUser(entry, edits));
}

function isBreakerEntry(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === BREAKER_TYPE;
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
