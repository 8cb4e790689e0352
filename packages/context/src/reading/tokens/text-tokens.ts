/** How many tokens a text costs, without a tokenizer: letter by letter, how often a token begins with it. */

import { sortOf } from "./letters/letter-sorts.ts";
import { TOKEN, type TokenSteps, tokenSteps } from "./letters/token-steps.ts";
import { tokenWeights } from "./letters/token-weights.ts";

/** Close to what o200k_base counts, on any kind of text. */
export function textTokens(text: string): number {
  steps ??= tokenSteps(tokenWeights);
  const { costs, nextRows, firstRow } = steps;
  let cost = 0;
  let row = firstRow;
  for (let at = 0; at < text.length; at++) {
    const step = row + (sortOf[text.charCodeAt(at)] as number);
    cost += costs[step] as number;
    row = nextRows[step] as number;
  }
  // A lone space has nothing to be counted with, and yet is a token.
  return Math.max(Math.min(text.length, 1), Math.round(cost / TOKEN));
}

/** Made when it is first needed, so that no start waits for it. */
let steps: TokenSteps | undefined;
