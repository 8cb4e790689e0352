/** Checks that time is linear: four times the input may take at most eight times as long. */

import { expect } from "vitest";

// The best of a few tries counts, because other programs use the machine too; quadratic code fails all of them. On a slow
// machine a few tries take longer than the deadline.
export function expectLinearTime(small: () => unknown, large: () => unknown): void {
  let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const deadline = performance.now() + 3_000;
  let tries = 0;
  do {
    tries++;
    smallMs = Math.min(smallMs, measureCpuMs(small), measureCpuMs(small));
    largeMs = Math.min(largeMs, measureCpuMs(large));
  } while (largeMs > 8 * smallMs + 20 && (tries < 10 || performance.now() < deadline));
  expect(largeMs).toBeLessThanOrEqual(8 * smallMs + 20);
}

/** Measures processor time, so that other programs do not count. */
function measureCpuMs(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
