/** Whether somebody looks. */

import { expect, test } from "vitest";
import { gazeAfter, isFocusWord, looksFor, neverSeen } from "../../../src/screen/notifying/gaze.ts";

const GAINED = "\x1b[I";
const LOST = "\x1b[O";

test("MAN20 a terminal that says nothing of its focus is looked at for ten seconds after a key, and before the first one not", () => {
  expect(looksFor(neverSeen, 5_000)).toBe(0);
  const typed = gazeAfter(neverSeen, "a", 5_000);
  expect(looksFor(typed, 5_000)).toBe(10_000);
  expect(looksFor(typed, 14_000)).toBe(1_000);
  expect(looksFor(typed, 15_000)).toBe(0);
});

test("MAN20 what a terminal says of its focus counts, until somebody types", () => {
  const lost = gazeAfter(gazeAfter(neverSeen, "a", 1_000), LOST, 1_001);
  expect(looksFor(lost, 1_002)).toBe(0);
  expect(looksFor(gazeAfter(lost, GAINED, 2_000), 99_000)).toBe(null);
  expect(looksFor(gazeAfter(lost, "b", 2_000), 99_000)).toBe(null);
  expect([GAINED, LOST, "\x1b", "I"].map(isFocusWord)).toEqual([true, true, false, false]);
});
