/** Checks how long work takes on a machine of any speed: at most a given time, in proportion to the input, or a bounded multiple of a reference. */

import { expect } from "vitest";
import { cpuSlowdown, measureCpuTime } from "./machine-speed.ts";

/** `prepare` creates the work for each attempt, so that nothing is cached from the previous one; it is not measured. */
export function expectFasterThan(milliseconds: number, prepare: () => () => unknown): void {
  const attempts: string[] = [];
  for (let count = 0; count < 3; count++) {
    const elapsed = measureCpuTime(prepare());
    if (elapsed <= milliseconds) return;
    const slowdown = cpuSlowdown();
    if (elapsed <= milliseconds * slowdown) return;
    attempts.push(`${Math.round(elapsed)} ms where ${Math.round(milliseconds * slowdown)} were allowed`);
  }
  expect.fail(attempts.join(", "));
}

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

export interface CpuRatio {
  readonly run: () => Promise<unknown>;
  /** Other work, measured in turn with it. */
  readonly reference: () => unknown;
  readonly ratio: number;
  /** Less is always enough. */
  readonly floorMs: number;
}

/** Checks that work takes at most so many times as long as a reference. The best of a few tries counts, as above. */
export async function expectCpuRatio({ run, reference, ratio, floorMs }: CpuRatio): Promise<void> {
  let [referenceMs, runMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < 10 && !(runMs <= Math.max(floorMs, ratio * referenceMs)); tries += 1) {
    referenceMs = Math.min(referenceMs, measureCpuMs(reference));
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    runMs = Math.min(runMs, (user + system) / 1_000);
  }
  expect(runMs).toBeLessThanOrEqual(Math.max(floorMs, ratio * referenceMs));
}

/** Measures processor time, so that other programs do not count. */
function measureCpuMs(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
