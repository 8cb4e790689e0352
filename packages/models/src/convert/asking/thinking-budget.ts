/** How much of its answer an older Claude may think: part of what is asked for, and the same from request to request. */

import type { JSONObject } from "@ai-sdk/provider";
import type { ThinkingLevel } from "@pith/context";

export interface AnswerSize {
  /** Tokens that are asked for, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give. */
  readonly longest: number;
}

/**
 * Null: there is too little room to think in. The budget follows from what the model can do, not from what is left: a
 * change of it costs the cache of all messages. Where the room gets narrow it is halved, which happens a few times only.
 */
export function thinkingBudget(
  level: Exclude<ThinkingLevel, "off">,
  { maxTokens, longest }: AnswerSize,
): number | null {
  let budget = Math.floor(longest * shares[level]);
  while (budget > maxTokens / 2) budget = Math.floor(budget / 2);
  return budget >= LEAST_BUDGET ? budget : null;
}

const shares: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  minimal: 0.05,
  low: 0.1,
  medium: 0.25,
  high: 0.5,
  xhigh: 0.5,
  max: 0.5,
};

/** Less is refused. */
const LEAST_BUDGET = 1024;

/** As the package takes it, which asks for thoughts and answer together. */
export function budgeted(budget: number | null): JSONObject {
  return { thinking: budget === null ? { type: "disabled" } : { type: "enabled", budgetTokens: budget } };
}
