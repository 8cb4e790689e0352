/** What tokens cost. */

import type { Cost, Usage } from "@pith/context";

/** Dollars for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** In dollars; nothing where no price is known. */
export function costOf(usage: Omit<Usage, "cost" | "totalTokens">, prices: Prices | undefined): Cost {
  const price = (of: keyof Prices): number => (usage[of] * (prices?.[of] ?? 0)) / MILLION;
  const cost = {
    input: price("input"),
    output: price("output"),
    cacheRead: price("cacheRead"),
    cacheWrite: price("cacheWrite"),
  };
  return { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite };
}

const MILLION = 1_000_000;
