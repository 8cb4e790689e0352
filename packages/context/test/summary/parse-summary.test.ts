/** Tests the parser of summaries: headings, items with sections and references, marks, quotations, line ends. */

import { describe, expect, test } from "vitest";
import {
  findQuotations,
  findSummaryItems,
  isEmptyStatement,
  isPlanSection,
  isUserSection,
  parseHeading,
  parseMark,
  removeMarks,
  splitSummaryLines,
  stripLineMarkup,
} from "../../src/summary/parse-summary.ts";

describe("headings", () => {
  test.each([
    ["## Goal", "goal", 2],
    ["# Goal", "goal", 1],
    ["   ### goal:", "goal", 3],
    ["## **Goal**", "goal", 2],
    ["## Goal ##", "goal", 2],
    ["## Constraints & Preferences", "constraints and preferences", 2],
    ["### constraints and   preferences:  ", "constraints and preferences", 3],
    ["## Décisions", "decisions", 2],
  ])("AUD1 %j has the name %j and the level %i", (line, name, level) => {
    expect(parseHeading(line)).toEqual({ name, level });
  });

  test.each(["Goal", "##Goal", "- ## Goal", "#12 is open", "####### Goal", "##", "    ## Goal", ""])(
    "AUD1 %j is no heading",
    (line) => {
      expect(parseHeading(line)).toBeNull();
    },
  );

  test("AUD4 Goal, Constraints and Original Request say what the user wants", () => {
    const names = ["## Goal", "## Constraints & Preferences", "## Original Request", "### Done", "## Key Decisions"];
    expect(names.map((line) => isUserSection(parseHeading(line)?.name ?? ""))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("AUD5 In Progress, Blocked and Next Steps are plans", () => {
    const names = ["### In Progress", "### Blocked", "## Next Steps", "### Done", "## Goal"];
    expect(names.map((line) => isPlanSection(parseHeading(line)?.name ?? ""))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("items", () => {
  /** The section, the first and last line, and the references of each. */
  const itemsIn = (...lines: readonly string[]) =>
    findSummaryItems(lines).map(
      ({ section, start, end, references }) => `${section} ${start}-${end - 1} ${references.join(",")}`,
    );

  test("AUD4 an item belongs to the last section, and a deeper heading with another name is an item of it", () => {
    expect(itemsIn("before", "## Goal", "- one [#1]", "- two", "### Scope", "three", "## Notes", "four")).toEqual([
      " 0-0 ",
      "goal 2-2 #1",
      "goal 3-3 ",
      "goal 4-4 ",
      "goal 5-5 ",
      "notes 7-7 ",
    ]);
  });

  test("AUD4 other lines continue the list item before them", () => {
    expect(itemsIn("- one", "  more", "of it [#1]", "- two", "* three", "1. four", "2) five")).toEqual([
      " 0-2 #1",
      " 3-3 ",
      " 4-4 ",
      " 5-5 ",
      " 6-6 ",
    ]);
  });

  test.each(["", "  ", "---", "***", "```", "```ts", "**Turn Context (split turn):**", "- (none)", "## Goal"])(
    "AUD4 %j is no item, and ends the one before",
    (line) => {
      const places = findSummaryItems(["one", line, "two"]).map(({ start, end }) => [start, end]);
      expect(places).toEqual([
        [0, 1],
        [2, 3],
      ]);
    },
  );

  test("AUD4 an item without citations has the references of its parent", () => {
    expect(
      itemsIn("- one [#1]", "  - two", "    - three", "  - four [#4]", "    - five", "- six", "  - seven"),
    ).toEqual([" 0-0 #1", " 1-1 #1", " 2-2 #1", " 3-3 #4", " 4-4 #4", " 5-5 ", " 6-6 "]);
  });

  test("AUD4 a heading ends the nesting", () => {
    expect(itemsIn("- one [#1]", "## Goal", "  - two")).toEqual([" 0-0 #1", "goal 2-2 "]);
  });

  test("AUD4 the text of an item is its lines as they are", () => {
    expect(findSummaryItems(["- **one** [#1]", "  `two`"]).map(({ text }) => text)).toEqual([
      "- **one** [#1]\n  `two`",
    ]);
  });
});

describe("empty statements", () => {
  test.each(["", "  ", "- (none)", "(none)", "- None.", "1. n/a", "- [ ] none", "* N/A", "- **none**", "- [#3]"])(
    "AUD1 %j",
    (line) => {
      expect(isEmptyStatement(line)).toBe(true);
    },
  );

  test.each(["- x", "- none of them works", "- (nothing)", "- 0", "- 好", "none (yet)"])(
    "AUD1 %j is a statement",
    (line) => {
      expect(isEmptyStatement(line)).toBe(false);
    },
  );
});

describe("stripLineMarkup", () => {
  test.each([
    ["- [x] **Fixed** `login` [#3] (unconfirmed)", "Fixed login"],
    ["  12. next [#3, #4] step", "next step"],
    ["> - quoted", "quoted"],
    ["## Goal", "Goal"],
    ["• bullet (not from the user)", "bullet"],
    ["issue #12 stays", "issue #12 stays"],
  ])("AUD4 %j is %j", (line, plain) => {
    expect(stripLineMarkup(line)).toBe(plain);
  });
});

describe("marks", () => {
  test.each([
    ["- x (unconfirmed)", "(unconfirmed)"],
    ["- x [#3] (not from the user)", "(not from the user)"],
    ["- x (unconfirmed)  ", "(unconfirmed)"],
    ["- x\n  y (unconfirmed)", "(unconfirmed)"],
    ["- x", null],
    ["- x (unconfirmed) [#3]", null],
    ["- x (unconfirmed) and more", null],
    ["- x unconfirmed", null],
  ])("AUD7 the mark of %j is %j", (line, mark) => {
    expect(parseMark(line)).toBe(mark);
  });

  test("AUD7 removing the marks restores the text", () => {
    expect(removeMarks("- x [#3] (unconfirmed)\n- y (not from the user)\n- z")).toBe("- x [#3]\n- y\n- z");
  });
});

describe("quotations", () => {
  test.each<[string, readonly string[]]>([
    ['say "one two" and "three"', ["one two", "three"]],
    ["“one two”", ["one two"]],
    ["„eins zwei“ „drei”", ["eins zwei", "drei"]],
    ["«un deux»", ["un deux"]],
    ["»eins zwei«", ["eins zwei"]],
    ["「一二」『三四』", ["一二", "三四"]],
    ["`a \"b c d\" e` and 'single' and it's", []],
    ['one " alone', []],
    ['"over\ntwo lines"', []],
    ['""', [""]],
  ])("AUD3 %j quotes %j", (text, quotations) => {
    expect(findQuotations(text)).toEqual(quotations);
  });
});

test("AUD7 splits at every line end that a model recognises", () => {
  expect(splitSummaryLines("a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fi\n\nj")).toEqual([..."abcdefghi", "", "j"]);
});
