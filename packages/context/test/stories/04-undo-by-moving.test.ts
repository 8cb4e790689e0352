/** Story 4: a compaction is undone by moving to the entry before it. It stays in the log; coming back brings it back. */

import { expect, test } from "vitest";
import { contextLines } from "../support/story-context.ts";

const before = ["user: one", "says: two", "user: three", "says: four"];
const compacted = [...before, "compacts: too short a summary, keeps e4", "user: five"];

test("CTX10 moving to before the compaction restores the context as it was", () => {
  expect(contextLines(...compacted, "moves: e4")).toEqual(contextLines(...before));
});

test("CTX1 moving back to after the compaction gives the context with the summary again", () => {
  expect(contextLines(...compacted, "moves: e4", "user: other", "moves: e6")).toEqual(contextLines(...compacted));
});
