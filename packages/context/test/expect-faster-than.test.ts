/** Tests that a time limit allows for a slow machine, and for nothing else. */

import { expect, test } from "vitest";
import { expectFasterThan } from "./support/expect-speed.ts";
import { cpuSlowdown, diskSlowdown, REFERENCE_MS, runCpuWork } from "./support/machine-speed.ts";

test("work within its limit passes, however slow the machine is", () => {
  expectFasterThan(2 * REFERENCE_MS.cpu, () => runCpuWork);
});

test("work that takes three times its limit fails, however slow the machine is", () => {
  const threefold = (): void => {
    for (let times = 0; times < 6; times++) runCpuWork();
  };
  expect(() => expectFasterThan(2 * REFERENCE_MS.cpu, () => threefold)).toThrow(/\d+ ms where \d+ were allowed/);
});

test("no machine counts as faster than the one on which the limits were measured", () => {
  expect(cpuSlowdown()).toBeGreaterThanOrEqual(1);
  expect(diskSlowdown()).toBeGreaterThanOrEqual(1);
});
