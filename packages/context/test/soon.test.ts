/** Proves that a limit of time forgives a slow machine, and nothing else. */

import { expect, test } from "vitest";
import { QUIET, slowness, slownessOfWaiting, think } from "./slowness.ts";
import { expectSoon } from "./soon.ts";

test("work that takes what it always took is soon done, however slow the machine", () => {
  expectSoon(2 * QUIET.thinking, () => think);
});

test("work that takes three times as long as it did is not, however slow the machine", () => {
  const threefold = (): void => {
    for (let times = 0; times < 6; times++) think();
  };
  expect(() => expectSoon(2 * QUIET.thinking, () => threefold)).toThrow(/\d+ ms where \d+ were allowed/);
});

test("no machine counts as faster than the one the limits were measured on", () => {
  expect(slowness()).toBeGreaterThanOrEqual(1);
  expect(slownessOfWaiting()).toBeGreaterThanOrEqual(1);
});
