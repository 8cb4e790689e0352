/** Story 2: a compaction covers the past with a summary and keeps the end. Nothing is removed from the log. */

import { expect, test } from "vitest";
import { story } from "../../src/testing/story.ts";
import { contextAt, contextLines } from "../support/story-context.ts";

// Each line is an entry, e1 to e8; the compaction keeps from e5 on.
const lines = [
  "user: fix the parser",
  "calls: read path=parser.ts",
  "result: four hundred lines",
  "says: found it",
  "user: and add a test",
  "says: done",
  "compacts: the parser was fixed, keeps e5",
  "user: now the docs",
];

test("CTX2 the context has the summary, the kept entries, and the entries after the compaction", () => {
  expect(contextLines(...lines)).toEqual([
    "0 summary   the parser was fixed",
    "1 user      and add a test",
    "2 assistant done",
    "3 user      now the docs",
  ]);
});

test("LOG1 every entry stays in the log, and the context of an earlier entry can still be built", () => {
  expect(contextAt(story(...lines), "e6").messages).toHaveLength(6);
});
