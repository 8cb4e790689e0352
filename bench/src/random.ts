/** Creates seeded random numbers. */

import { createSeededRandom } from "../../packages/context/test/support/seeded-random.ts";

export type Random = () => number;

/** Returns a function that generates numbers between 0 and 1. */
export function createRandom(seed: number): Random {
  return createSeededRandom(seed);
}

export function randomInteger(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}
