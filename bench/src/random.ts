/** Numbers that look random and come again with the same seed. */

export type Random = () => number;

/** Between 0 and 1; a small generator (mulberry32), good enough to fill files with. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function between(next: Random, low: number, high: number): number {
  return low + Math.floor(next() * (high - low + 1));
}
