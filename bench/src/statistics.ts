/** Computes medians, quantiles and shares. */

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
  if (value === undefined) throw new Error("no measurements");
  return value;
}

/** The share of the items that match, from 0 to 1. */
export function shareOf<Item>(items: readonly Item[], matches: (item: Item, index: number) => boolean): number {
  return items.filter(matches).length / Math.max(1, items.length);
}
