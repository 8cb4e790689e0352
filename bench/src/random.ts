/** Makes numbers that look random and repeat with the same seed. */

import { createSeededRandom } from "../../packages/context/test/support/seeded-random.ts";

export type Random = () => number;

/** Between 0 and 1. */
export function random(seed: number): Random {
  return createSeededRandom(seed);
}

export function between(next: Random, low: number, high: number): number {
  return low + Math.floor(next() * (high - low + 1));
}
