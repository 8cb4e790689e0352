/** Checks that work takes at most a given time on a machine of any speed. One of three attempts must keep to the limit, scaled by the speed of the machine at that moment. */

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
