/** Limits the output tokens of a request so that request and reply fit the context window. */

import type { Request } from "@pith/context";
import { requestTokens } from "@pith/context/host";

export interface OutputBudget {
  /** Tokens of the request, estimated on demand. */
  readonly tokens: () => number;
  readonly window: number;
  /** The output tokens to request. */
  readonly maxTokens: number;
}

export function computeOutputBudget(
  request: Request,
  { window, maxTokens }: { readonly window: number; readonly maxTokens: number },
): OutputBudget {
  const tokens = (): number => requestTokens(request);
  const { replyBudget } = request;
  if (replyBudget) return { tokens, window, maxTokens: limitOutput(replyBudget.tokens, { window, maxTokens }) };
  // A short request needs no estimate, so that a program that has just started does not load the estimator.
  if (isShorterThan(request, (window - maxTokens) / MAX_TOKENS_PER_CHARACTER)) return { tokens, window, maxTokens };
  const availableTokens = Math.floor(window - tokens() * ESTIMATE_MARGIN);
  return { tokens, window, maxTokens: limitOutput(availableTokens, { window, maxTokens }) };
}

function limitOutput(
  availableTokens: number,
  { window, maxTokens }: Pick<OutputBudget, "window" | "maxTokens">,
): number {
  return Math.min(maxTokens, window, Math.max(availableTokens, MIN_OUTPUT_TOKENS));
}

// A request that leaves less room is refused by the provider, which is better than a reply of one token.
const MIN_OUTPUT_TOKENS = 1024;

/**
 * The budget of a second attempt after the provider refused input and output together; null if the input alone should not fit.
 * Our count differs from the provider's, and a refused request costs nothing.
 */
export function reduceOutputBudget(budget: OutputBudget, limit: number = budget.window): OutputBudget | null {
  const tokens = budget.tokens();
  const maxTokens = Math.max(MIN_OUTPUT_TOKENS, Math.min(RETRY_OUTPUT_TOKENS, limit - tokens));
  return tokens < limit && maxTokens < budget.maxTokens ? { ...budget, maxTokens } : null;
}

const RETRY_OUTPUT_TOKENS = 4096;
const ESTIMATE_MARGIN = 1.1;
/** Tokens of one character in the worst script. */
const MAX_TOKENS_PER_CHARACTER = 3;

/** Compares the length of the request as JSON, images included, and stops counting at the maximum. */
function isShorterThan({ system, tools, messages }: Request, maxCharacters: number): boolean {
  let characters = 0;
  for (const part of [system, tools, ...messages]) {
    characters += countCharacters(part);
    if (characters > maxCharacters) return false;
  }
  return true;
}

const characterCounts = new WeakMap<object, number>();

/** Cached: a request repeats the messages of the one before it, and messages never change. */
function countCharacters(part: object): number {
  const cached = characterCounts.get(part);
  if (cached !== undefined) return cached;
  const characters = JSON.stringify(part).length;
  characterCounts.set(part, characters);
  return characters;
}
