/** Tests the repair of headings, citations and marks. The text of a line never changes. */

import { describe, expect, test } from "vitest";
import { demoteHeadings } from "../../src/summary/parse-summary.ts";
import { addMark, repairCitations, restoreHeadings } from "../../src/summary/repair.ts";
import { sections, summaryWith, turnSections } from "./fixtures.ts";

const restore = (text: string, required: readonly string[] = sections): string | null =>
  restoreHeadings(text.split("\n"), required)?.join("\n") ?? null;

describe("headings", () => {
  test("AUD7 a summary with all headings in order stays as it is", () => {
    const text = summaryWith({ "## Goal": "- one [#1]\n\n  two  ", "### Done": "\t- [x] three" });
    expect(restore(text)).toBe(text);
  });

  test.each([
    "# **GOAL**:\n- one\n#### constraints and preferences\nN/A",
    "## Goal\n\n\n## Notes\n- one\n## Constraints & Preferences",
  ])("AUD7 other spellings, other headings and empty sections stay unchanged: %j", (text) => {
    expect(restore(text, ["## Goal", "## Constraints & Preferences"])).toBe(text);
  });

  test("AUD1 AUD7 missing headings are added with `- (none)`", () => {
    const text = "## Goal\n- one\n## Progress\n### Done\n- [x] two\n## Next Steps\n1. three";
    expect(restore(text)).toBe(
      summaryWith({ "## Goal": "- one", "### Done": "- [x] two", "## Next Steps": "1. three" }),
    );
  });

  test("AUD1 AUD7 the order is restored, and the text below a heading moves with it", () => {
    const text = "### Done\n- [x] one\n#### Details\n- two\n## Progress\n## Goal\n- three";
    expect(restore(text, ["## Goal", "## Progress", "### Done"])).toBe(
      "## Goal\n- three\n\n## Progress\n\n### Done\n- [x] one\n#### Details\n- two",
    );
  });

  test("AUD1 AUD7 two sections with one name are joined in order", () => {
    const text = "## Goal\n- one\n## Next Steps\n1. two\n## goal:\n- three";
    expect(restore(text, ["## Goal", "## Next Steps"])).toBe("## Goal\n- one\n- three\n\n## Next Steps\n1. two");
  });

  test("AUD7 text before the first heading and headings that are not required stay", () => {
    const text = "Here it is:\n\n## Goal\n- one\n\n## Notes\n- two\n\n## Next Steps\n1. three";
    expect(restore(text, ["## Goal", "## Next Steps"])).toBe(text);
  });

  test("AUD7 where headings are restored, other spellings become the required one", () => {
    const text = "#### constraints and preferences\n- two\n# **GOAL**:\n- one";
    expect(restore(text, ["## Goal", "## Constraints & Preferences"])).toBe(
      "## Goal\n- one\n\n## Constraints & Preferences\n- two",
    );
  });

  test("AUD7 where headings are restored, an empty section gets `- (none)`", () => {
    expect(restore("## Next Steps\n- None.\n\n## Goal\nN/A\n", ["## Goal", "## Next Steps"])).toBe(
      "## Goal\n- (none)\n\n## Next Steps\n- (none)",
    );
  });

  test("AUD1 four headings are enough, and so is half of them", () => {
    expect(restore("## Goal\n- x\n### Done\n### Blocked\n## Next Steps")).not.toBeNull();
    expect(restore("## Goal\n- x\n### Done\n### Blocked")).toBeNull();
    expect(restore("## Goal\n- x", ["## Goal", "### Done"])).not.toBeNull();
    expect(restore("## Goal\n- x", ["## Goal", "### Done", "## Next Steps"])).toBeNull();
    expect(restore("no headings at all")).toBeNull();
  });

  test("AUD1 a repeated heading counts once", () => {
    expect(restore("## Goal\n- x\n## Goal\n- x\n## Goal\n- x\n## Goal\n- x")).toBeNull();
  });
});

describe("a split turn", () => {
  const turn = "## Original Request\n- two [#3]\n\n## Early Progress\n- (none)\n\n## Context for Suffix\n- three";
  const title = "---\n\n**Turn Context (split turn):**";

  test("AUD7 its rule and title stay", () => {
    const text = `${summaryWith({ "## Goal": "- one" })}\n\n${title}\n\n${turn}`;
    expect(restore(text, turnSections)).toBe(text);
  });

  test.each([
    ["are added", ""],
    ["are added to a title", "**Turn Context (split turn):**\n\n"],
    ["stay", "---\n\n\n\n**Turn Context (split turn):**\n\n\n"],
  ])("AUD7 where headings are restored, they %s", (_, written) => {
    const history = summaryWith({ "## Goal": "- one" });
    const text = `${history.replace("### Blocked\n- (none)\n\n", "")}\n\n${written}${turn}`;
    expect(restore(text, turnSections)).toBe(`${history}\n\n${title}\n\n${turn}`);
  });

  test("AUD7 a summary of the turn alone has no title", () => {
    expect(restore(turn, turnSections.slice(-3))).toBe(turn);
  });
});

describe("headings of the first level", () => {
  test.each([
    ["# Goal", "## Goal"],
    ["  # Goal", "## Goal"],
    ["#", "##"],
    ["#\tGoal", "##\tGoal"],
    ["====", "\\===="],
    [" = ", "\\= "],
  ])("AUD7 %j becomes %j", (line, lowered) => {
    expect(demoteHeadings([line])).toEqual([lowered]);
    expect(demoteHeadings([lowered])).toEqual([lowered]);
  });

  test.each(["## Goal", "#12 is open", "- # x", "    # code", "a = b", "----", ""])("AUD7 %j stays", (line) => {
    expect(demoteHeadings([line])).toEqual([line]);
  });
});

describe("citations", () => {
  const resolve = (reference: string): string | null =>
    reference === "entry:e3" ? "#3" : ["#1", "#2", "#3"].includes(reference) ? reference : null;
  const repair = (...lines: readonly string[]) => {
    const isCompaction = (reference: string): boolean => reference === "#7";
    const { unknownReferences, ...rest } = repairCitations(lines, { resolve, isCompaction });
    return { ...rest, unknown: [...unknownReferences] };
  };

  test.each([
    ["- done [#1]", "- done [#1]"],
    ["- fixed (#1) in release (#99)", "- fixed (#1) in release (#99)"],
    ["- done (entry:e3)", "- done [#3]"],
    ["- done [#1,#2]", "- done [#1, #2]"],
    ["- done [#1–#3]", "- done [#1–#3]"],
    ["- done [#1–#99]", "- done [#1]"],
    ["- done [#1, #99]", "- done [#1]"],
    ["- done (entry:e3, #3)", "- done [#3]"],
    ["- done[#1]", "- done [#1]"],
    ["- done [#1], then [#2] more", "- done [#1], then [#2] more"],
    ["- done [#1].", "- done [#1]."],
    ["- issue #99 and [x] and [99]", "- issue #99 and [x] and [99]"],
    ["- no citation  ", "- no citation  "],
  ])("AUD2 %j becomes %j", (line, repaired) => {
    expect(repair(line).lines).toEqual([repaired]);
    expect(repair(repaired).lines).toEqual([repaired]);
    expect(repair(repaired).unknown).toEqual([]);
  });

  test.each([
    ["- done [#99]", "- done", ["#99"]],
    ["- done [#98, entry:no] at last", "- done at last", ["#98", "entry:no"]],
    ["  - done [#98] [#99]  ", "  - done", ["#98", "#99"]],
    ["- done [#99] and [#2]", "- done and [#2]", ["#99"]],
  ])("AUD2 %j loses its unknown references, and they are reported", (line, repaired, unknown) => {
    expect(repair("- first [#1]", line)).toMatchObject({ lines: ["- first [#1]", repaired], unknown: [[1, unknown]] });
  });

  test("AUD2 a citation of a compaction is removed and not counted", () => {
    expect(repair("- done [#7]", "- done [#7, #2]")).toMatchObject({
      ...{ lines: ["- done", "- done [#2]"], cited: 1, unresolved: 0, unknown: [] },
    });
  });

  test("AUD2 every reference is counted", () => {
    expect(repair("- a [#1, #99] [#2]", "- b [#98]", "- c #97")).toMatchObject({ cited: 4, unresolved: 2 });
    expect(repair("- a")).toMatchObject({ cited: 0, unresolved: 0 });
  });
});

describe("marks", () => {
  test("AUD7 a mark is added at the end of a line", () => {
    expect(addMark("- done [#1]  ", "(unconfirmed)")).toBe("- done [#1] (unconfirmed)");
    expect(addMark("- done", "(not from the user)")).toBe("- done (not from the user)");
  });

  test("AUD7 a line has one mark at most", () => {
    expect(addMark("- done (unconfirmed)", "(unconfirmed)")).toBe("- done (unconfirmed)");
    expect(addMark("- done (unconfirmed)", "(not from the user)")).toBe("- done (unconfirmed)");
  });
});
