/** Which rows a tree has, and how they hang together. */

import { describe, expect, test } from "vitest";
import {
  createNodeFilter,
  forkFilters,
  layoutRows,
  startsBranch,
  treeFilters,
} from "../../../../../src/modes/interactive/panels/tree/state.ts";
import type { Outline } from "../../../../../src/sessions/tree-outline.ts";
import { createTestOutline, twoTries } from "../../../../support/sample-sessions.ts";

interface Looking {
  readonly sieves?: typeof treeFilters;
  readonly sieve?: number;
  readonly query?: string;
  readonly folded?: readonly string[];
}

function rowsOf(
  outline: Outline,
  { sieves = treeFilters, sieve = 0, query = "", folded = [] }: Looking = {},
): string[] {
  const used = sieves[sieve];
  if (!used) throw new Error("no such sieve");
  const laid = layoutRows(outline, { matches: createNodeFilter(used, query, outline), folded: new Set(folded) });
  return laid.rows.map((row, at) => {
    const { node, depth, hiddenCount } = row;
    const mark = hiddenCount > 0 ? `▸${hiddenCount}` : node.isOnBranch ? "●" : "○";
    const stem = startsBranch(row) ? `${"│ ".repeat(depth - 1)}├─` : "│ ".repeat(depth);
    expect(laid.rowNumbers[node.number]).toBe(at + 1);
    return `${stem}${mark} ${node.id}${laid.isCurrentShown && laid.currentIndex === at ? " here" : ""}`;
  });
}

describe("rows", () => {
  test("WLK1 the current branch is a straight line, other branches are indented where they start, and the current position is marked", async () => {
    expect(rowsOf(await createTestOutline(twoTries))).toEqual([
      "● e1",
      "● e2",
      "├─○ e3",
      "│ ├─○ e5",
      "│ │ ○ e6",
      "│ ○ e8",
      "│ ○ e9",
      "● e11",
      "● e13",
      "● e14 here",
    ]);
  });

  test("WLK2 there are five filters: messages and tools, no tools, user messages, labeled, all; the first always shows labeled entries", async () => {
    const outline = await createTestOutline(twoTries);
    expect(rowsOf(outline, { sieve: 1 })).not.toContain("● e13");
    expect(rowsOf(outline, { sieve: 2 })).toEqual(["● e1", "├─○ e3", "│ ○ e8", "● e11"]);
    expect(rowsOf(outline, { sieve: 3 })).toEqual(["● e14 here"]);
    expect(rowsOf(outline, { sieve: 4 })).toHaveLength(15);
    const labelled = await createTestOutline([...twoTries, "labels e4: the call"]);
    expect(rowsOf(labelled)).toContain("│ ├─○ e4");
  });

  test("WLK2 branches that start at the root are counted", async () => {
    const outline = await createTestOutline([
      "user: fix the login",
      "says: Done.",
      "moves: root",
      "user: fix the logout",
    ]);
    const laid = layoutRows(outline, { matches: () => true, folded: new Set() });
    expect(laid.branchCount).toBe(2);
  });

  test("WLK3 a search matches all its words in any case, in the shown text and in labels", async () => {
    const outline = await createTestOutline(twoTries);
    expect(rowsOf(outline, { query: "TRY lock" })).toEqual(["○ e8"]);
    expect(rowsOf(outline, { query: "good" })).toEqual(["● e14 here"]);
    expect(rowsOf(outline, { query: "edit login.ts" })).toEqual(["● e13"]);
    expect(rowsOf(outline, { query: "(a+" })).toEqual([]);
  });

  test("WLK4 a folded branch is one row with the number of hidden entries", async () => {
    const outline = await createTestOutline(twoTries);
    expect(rowsOf(outline, { folded: ["e3"] })).toEqual(["● e1", "● e2", "├─▸4 e3", "● e11", "● e13", "● e14 here"]);
  });

  test("WLK5 the fork page lists all user messages of the branch, including those before compactions, or those of every branch", async () => {
    const outline = await createTestOutline([
      ...twoTries,
      "compacts: so far, keeps nothing",
      "user: go on",
      "says: yes",
    ]);
    expect(rowsOf(outline, { sieves: forkFilters })).toEqual(["● e1", "● e11", "● e17"]);
    expect(rowsOf(outline, { sieves: forkFilters, sieve: 1 })).toHaveLength(5);
  });

  test("an empty session has no rows, and a branch of twenty thousand entries has one row each", async () => {
    expect(rowsOf(await createTestOutline([]))).toEqual([]);
    const deep = await createTestOutline(Array.from({ length: 20_000 }, (_, at) => `user: ${at}`));
    expect(rowsOf(deep)).toHaveLength(20_000);
  });
});
