/** Story 6: the user interrupts while two tools run. One result comes late, one never; the conversation can be sent all the same. */

import { expect, test } from "vitest";
import { sentLines } from "../support/story-context.ts";

const interrupted = [
  "user: run both",
  "calls: bash command=make; bash command=test",
  "result c1: made",
  "user: stop",
  "says: stopped",
];

test("CTX6 a call whose result never came gets a marked placeholder", () => {
  expect(sentLines(...interrupted)).toEqual([
    "0 user      run both",
    "1 assistant [c1: bash command=make] [c2: bash command=test]",
    "2 tool      c1 -> made",
    "3 tool      c2 -> (error) There is no result for this call: it was interrupted or its output was lost.",
    "4 user      stop",
    "5 assistant stopped",
  ]);
});

test("CTX7 REQ2 a late result is sent as text, and the messages sent before it do not change", () => {
  const late = sentLines(...interrupted, "result c2: 3 tests failed", "user: go on");
  expect(late.slice(0, 6)).toEqual(sentLines(...interrupted));
  expect(late.slice(6)).toEqual([
    "6 user      Output of an earlier call of the tool bash (c2), received after the conversation had continued: 3 tests failed",
    "7 user      go on",
  ]);
});
