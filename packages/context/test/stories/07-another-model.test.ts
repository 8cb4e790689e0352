/** Story 7: in the middle of a session the user changes the model. The new one gets the words, and none of the old one's reasoning. */

import { expect, test } from "vitest";
import { otherModel, sentLinesFor, storyModel } from "../support/story-context.ts";

const lines = [
  "user: why?",
  "thinks: they mean the bug",
  "calls: read path=a.ts",
  "result: text",
  "thinks: a typo",
  "says: a typo",
  "model: elsewhere/stranger",
  "user: sure?",
];

test("CTX5 reasoning is sent back unchanged to the model that produced it", () => {
  expect(sentLinesFor(storyModel, ...lines)).toEqual([
    "0 user      why?",
    "1 assistant (thinks: they mean the bug) [c1: read path=a.ts]",
    "2 tool      c1 -> text",
    "3 assistant (thinks: a typo) a typo",
    "4 user      sure?",
  ]);
});

test("CTX5 reasoning is not sent to another model", () => {
  expect(sentLinesFor(otherModel, ...lines)).toEqual([
    "0 user      why?",
    "1 assistant [c1: read path=a.ts]",
    "2 tool      c1 -> text",
    "3 assistant a typo",
    "4 user      sure?",
  ]);
});
