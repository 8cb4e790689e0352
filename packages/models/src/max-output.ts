/** Limits the output tokens of a request so that the request and its answer fit the context window. */

import type { Request } from "@pith/context";
import { requestTokens } from "@pith/context/host";

export interface OutputBudget {
  /** Tokens of the request, estimated when somebody wants to know. */
  readonly tokens: () => number;
  readonly window: number;
  /** To be asked for. */
  readonly maxTokens: number;
}

export function computeOutputBudget(
  request: Request,
  { window, maxTokens }: { readonly window: number; readonly maxTokens: number },
): OutputBudget {
  const tokens = (): number => requestTokens(request);
  const { replyBudget: givenBudget } = request;
  if (givenBudget) return { tokens, window, maxTokens: limitOutput(givenBudget.tokens, { window, maxTokens }) };
  // A short request needs no estimate, and a program that has just started no estimator.
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

// A request that leaves less is refused, and says so: better than an answer of one token.
const MIN_OUTPUT_TOKENS = 1024;

/**
 * The room for a second try where a provider refused input and answer together, and the input alone should fit; null where it should not.
 * Nobody counts as the provider does, and the refused request has cost nothing.
 */
export function reduceOutputBudget(budget: OutputBudget, limit: number = budget.window): OutputBudget | null {
  const tokens = budget.tokens();
  const maxTokens = Math.max(MIN_OUTPUT_TOKENS, Math.min(RETRY_OUTPUT_TOKENS, limit - tokens));
  return tokens < limit && maxTokens < budget.maxTokens ? { ...budget, maxTokens } : null;
}

const RETRY_OUTPUT_TOKENS = 4096;
const ESTIMATE_MARGIN = 1.1;
/** Tokens of one letter in the worst of scripts. */
const MAX_TOKENS_PER_CHARACTER = 3;

/** Counted as it would be written down, names, ids and pictures in full; no further than it takes to know. */
function isShorterThan({ system, tools, messages }: Request, maxCharacters: number): boolean {
  let characters = 0;
  for (const part of [system, tools, ...messages]) {
    characters += countCharacters(part);
    if (characters > maxCharacters) return false;
  }
  return true;
}

const characterCounts = new WeakMap<object, number>();

/** Once for each: a request repeats the one before it, and messages never change. */
function countCharacters(part: object): number {
  const cached = characterCounts.get(part);
  if (cached !== undefined) return cached;
  const characters = JSON.stringify(part).length;
  characterCounts.set(part, characters);
  return characters;
}
