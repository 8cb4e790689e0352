/** Story 8: a long tool result is replaced by a short one in the context. The log keeps the long one, and the edit is an entry like any other. */

import { expect, test } from "vitest";
import { story } from "../../src/testing/story.ts";
import { contextAt, contextLines } from "../support/story-context.ts";

const lines = [
  "user: read it",
  "calls: read path=big.log",
  "result: ten thousand lines",
  "says: I see",
  "edits e3: [10,000 lines, see #3]",
  "user: and now?",
];

test("CTX3 after the edit the context has the short text", () => {
  expect(contextLines(...lines)).toEqual([
    "0 user      read it",
    "1 assistant [c1: read path=big.log]",
    "2 tool      c1 -> [10,000 lines, see #3]",
    "3 assistant I see",
    "4 user      and now?",
  ]);
});

test("CTX3 LOG1 the log keeps the long result, and the context before the edit has it", () => {
  const entries = story(...lines);
  expect(JSON.stringify(entries[2])).toContain("ten thousand lines");
  expect(JSON.stringify(contextAt(entries, "e4").messages)).toContain("ten thousand lines");
});
