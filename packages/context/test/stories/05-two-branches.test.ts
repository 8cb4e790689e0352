/** Story 5: going back to an earlier place makes a branch. A summary at the new place describes what was left, if one was written. */

import { expect, test } from "vitest";
import { story } from "../../src/testing/story.ts";
import { branchEntries, buildTree, commonAncestor } from "../../src/tree.ts";
import { contextAt, contextLines } from "../support/story-context.ts";

const lines = [
  "user: make it fast",
  "says: cache or index?",
  "user: cache",
  "says: slower than before",
  "moves: e2",
  "left e4: a cache was tried; it was slower",
  "user: index then",
];

test("MOVE1 the new branch has its own past and the branch summary, without the other branch's messages", () => {
  expect(contextLines(...lines)).toEqual([
    "0 user      make it fast",
    "1 assistant cache or index?",
    "2 left      a cache was tried; it was slower",
    "3 user      index then",
  ]);
});

test("CTX1 the branch that was left keeps its context", () => {
  expect(contextAt(story(...lines), "e4").sources).toEqual(["e1", "e2", "e3", "e4"]);
});

test("TREE8 both branches contain their common ancestor", () => {
  const tree = buildTree(story(...lines));
  expect(commonAncestor(tree, "e4", "e7")).toBe("e2");
  expect(branchEntries(tree, "e7").map(({ id }) => id)).toEqual(["e1", "e2", "e5", "e6", "e7"]);
});
