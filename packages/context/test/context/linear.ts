/** Checks that time is linear: four times the input may take at most eight times as long. */

import { expect } from "vitest";

// The best of a few tries counts, because other programs use the machine too; quadratic code fails all of them. On a slow
// machine a few tries take longer than the deadline.
export function expectLinear(small: () => unknown, large: () => unknown): void {
  let [one, four] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const deadline = performance.now() + 3_000;
  let tries = 0;
  do {
    tries++;
    one = Math.min(one, processorMs(small), processorMs(small));
    four = Math.min(four, processorMs(large));
  } while (four > 8 * one + 20 && (tries < 10 || performance.now() < deadline));
  expect(four).toBeLessThanOrEqual(8 * one + 20);
}

/** Measures processor time, so that other programs do not count. */
function processorMs(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
