/** One model as a short row of figures, and what the row says. */

import type { ModelFacts, Prices } from "./facts.ts";

/** Name, window, longest answer, 1 for images + 2 for reasoning, then four prices or none. */
export type Row = readonly [id: string, contextWindow: number, maxTokens: number, kinds: number, ...prices: number[]];

export function rowFacts([, contextWindow, maxTokens, kinds, ...figures]: Row): ModelFacts {
  const limits = { contextWindow, maxTokens };
  const reads = { input: (kinds & 1) === 1 ? (["text", "image"] as const) : (["text"] as const) };
  const known: ModelFacts = { ...limits, ...reads, reasoning: (kinds & 2) === 2 };
  return figures.length === 4 ? { ...known, prices: prices(figures) } : known;
}

// Without a price of their own, tokens read from or written to a cache are billed as input.
function prices([input = 0, output = 0, cacheRead = 0, cacheWrite = 0]: readonly number[]): Prices {
  return { input, output, cacheRead: cacheRead || input, cacheWrite: cacheWrite || input };
}
