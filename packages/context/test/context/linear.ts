/** Checks that time is linear: four times the input may take at most eight times as long. */

import { expect } from "vitest";

// The best of a few tries counts, since others use the machine too; whatever is quadratic fails all of them. On a slow
// machine a few tries take longer than patience lasts.
export function expectLinear(small: () => unknown, large: () => unknown): void {
  let [one, four] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const patience = performance.now() + 3_000;
  let tries = 0;
  do {
    tries++;
    one = Math.min(one, milliseconds(small), milliseconds(small));
    four = Math.min(four, milliseconds(large));
  } while (four > 8 * one + 20 && (tries < 10 || performance.now() < patience));
  expect(four).toBeLessThanOrEqual(8 * one + 20);
}

/** Measures processor time, so that other programs do not count. */
function milliseconds(run: () => unknown): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}
