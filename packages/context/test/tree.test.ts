/** Tests tree.ts. */

import { expect, test } from "vitest";
import { story } from "../src/testing/story.ts";
import { branchEntries, buildTree, collectLabels, commonAncestor, findBranchSummaries } from "../src/tree.ts";

//  e1 ─ e2 ─ e3 ─ e4
//        └── e5 ─ e6 ─ e7
//  e8
const tree = buildTree(
  story("user: a", "says: b", "user: c", "says: d", "moves: e2", "user: e", "says: f", "moves: root"),
);
const ids = (entries: readonly { id: string }[] | undefined): string => (entries ?? []).map(({ id }) => id).join(" ");

test("TREE1 a branch runs from its root to its leaf, and an unknown leaf has no branch", () => {
  expect(ids(branchEntries(tree, "e7"))).toBe("e1 e2 e5 e6 e7");
  expect(ids(branchEntries(tree, "e3"))).toBe("e1 e2 e3");
  expect(ids(branchEntries(tree, null))).toBe("");
  expect(ids(branchEntries(tree, "nobody"))).toBe("");
});

test("TREE1 children are in file order, the roots under null", () => {
  expect(ids(tree.children.get("e2"))).toBe("e3 e5");
  expect(ids(tree.children.get(null))).toBe("e1 e8");
});

test.each([
  ["e4", "e7", "e2"],
  ["e7", "e4", "e2"],
  ["e3", "e4", "e3"],
  ["e7", "e7", "e7"],
  ["e8", "e4", null],
  [null, "e4", null],
])("TREE8 the deepest entry that %s and %s share is %s", (one, other, shared) => {
  expect(commonAncestor(tree, one, other)).toBe(shared);
});

test("STO12 branch summaries are found by the leaf of the abandoned branch", () => {
  const entries = story(
    "user: a",
    "says: b",
    "left e2: one",
    "labels e2: name",
    "moves: e1",
    "left e2: two",
    "left e3: no",
  );
  expect(findBranchSummaries(entries, new Set(["e2"]))).toEqual([entries[2], entries[5]]);
});

test("TREE5 the last label in the file counts, and an empty one removes it", () => {
  const named = buildTree(
    story("user: a", "labels e1: one", "moves: e1", "labels e1: two", "labels e2: other", "labels e2"),
  );
  expect([...collectLabels(named.entries.values())]).toEqual([["e1", "two"]]);
});
