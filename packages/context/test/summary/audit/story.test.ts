/** Proves how a summary is read: lines and their places, citations, quotations, names of headings, and first words. */

import { describe, expect, test } from "vitest";
import { claimOf, isQuotingLine, quotingLine } from "../../../src/summary/claims/claim.ts";
import {
  bare,
  citedIds,
  headingOf,
  isOfUser,
  isOfWork,
  itemIndent,
  leftOver,
  maskedCitations,
  placeLines,
  quotations,
  saysNothing,
  withCitation,
  withKnownIds,
  withoutCitations,
  withoutQuotations,
} from "../../../src/summary/summary-lines.ts";

test.each([
  ["- [x] **Done** it `now` (entry:e1)", "Done  it  now"],
  ["12) go [e4]", "go"],
  ["  * [ ] go entry:e1", "go"],
  ["### Title", "Title"],
  ["-- no item", "-- no item"],
  ["[name not found] is blank", "is blank"],
])("AUD4 of %j it says %j", (text, words) => {
  expect(bare(text)).toBe(words);
});

test.each([
  ["- a", 0],
  ["  * a", 2],
  ["\t1. a", 1],
  ["a", null],
  ["-a", null],
  ["1a. b", null],
])("AUD4 %j is indented by %s", (text, indent) => {
  expect(itemIndent(text)).toBe(indent);
});

test.each(["- (none)", "N/A", "- [ ]", "**none**", "- (entry:e1)", "无", "—"])("AUD1 %j says nothing", (text) => {
  expect(saysNothing(text)).toBe(true);
});

describe("citations", () => {
  const text = "a (entry:e1, entry:b-2) c entry:x.y. [e3, e4] (see entry:z)";

  test("AUD2 are found wherever they stand", () => {
    expect(citedIds(text)).toEqual(["e1", "b-2", "x.y.", "z"]);
    expect(leftOver(text)).toEqual([" [e3, e4]"]);
  });

  test("AUD2 are taken out, or only blanked", () => {
    expect(withoutCitations(text)).toBe("a  c    (see  )");
    expect(maskedCitations(text)).toBe(
      `a ${" ".repeat(21)} c ${" ".repeat(10)}${" ".repeat(9)} (see ${" ".repeat(7)})`,
    );
    expect(maskedCitations(text)).toHaveLength(text.length);
  });

  test("AUD2 stay where they are known", () => {
    expect(withKnownIds(text, (id) => id === "b-2")).toBe("a (entry:b-2) c  (see )");
    expect(withKnownIds("  (entry:no) a ", () => false)).toBe("  a");
    expect(withCitation("a ", "e1")).toBe("a (entry:e1)");
  });
});

test.each([
  ["\"a\" “b” „c“ „d” «e» »f« 「g」 『h』 ‘i’ 'j'", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]],
  ["it's the user's 'don't do it' rule", ["don't do it"]],
  ["‘it’s’ here", ["it’s"]],
  ['"" "…" "!"', []],
  ['an " alone', []],
  ["`code`", []],
])("AUD3 of %j these are quotations", (text, quoted) => {
  expect([...quotations(text)].sort()).toEqual([...quoted].sort());
});

test("AUD8 a text without its quotations", () => {
  expect(withoutQuotations('a "b" c «d» e')).toBe("a   c   e");
});

test.each([
  ["## Goal", { name: "goal", level: 2 }],
  ["### **Constraints & Preferences:** ###", { name: "constraints and preferences", level: 3 }],
  ["# Ziele\r", { name: "ziele", level: 1 }],
  ["#Goal", null],
  ["####### a", null],
  ["##  ", null],
  ["a ## b", null],
])("AUD1 %j is the heading %j", (text, heading) => {
  expect(headingOf(text)).toEqual(heading);
});

test.each([
  "goal",
  "constraints and preferences",
  "original request",
  "user's wishes",
  "latest request",
  "approvals",
  "目标",
  "vorgaben",
])("AUD4 under %j the user is taken to speak", (name) => {
  expect([isOfUser(name), isOfWork(name)]).toEqual([true, false]);
});

test.each([
  "progress",
  "done",
  "in progress",
  "blocked",
  "key decisions",
  "next steps",
  "critical context",
  "early progress",
  "context for suffix",
])("AUD4 under %j the work is told", (name) => {
  expect([isOfUser(name), isOfWork(name)]).toEqual([false, true]);
});

describe("the places of lines", () => {
  const shown = (...lines: readonly string[]): readonly string[] =>
    placeLines(lines).map(({ number, section, passes }) => `${number} ${section} ${passes ?? "-"}`);

  test("AUD4 sections", () => {
    expect(shown("a", "## Goal", "b", "", "### More", "c", "## Progress", "d", "### User requests", "e")).toEqual([
      "1  -",
      "2 goal -",
      "3 goal by-section",
      "4 goal by-section",
      "5 more -",
      "6 more by-section",
      "7 progress -",
      "8 progress -",
      "9 user requests -",
      "10 user requests by-section",
    ]);
  });

  test("AUD4 leads", () => {
    expect(
      shown("The user wants:", "- a", "  more", "- b", "", "- c", "end", "- d").map((line) => line.slice(3)),
    ).toEqual(["-", "by-lead", "by-lead", "by-lead", "by-lead", "by-lead", "-", "-"].map((passes) => passes));
  });

  test("AUD4 leads in lists reach what is deeper", () => {
    expect(shown("- The user wants:", "  - a", "    - b", "- c", "  - d").map((line) => line.slice(3))).toEqual([
      "-",
      "by-lead",
      "by-lead",
      "-",
      "-",
    ]);
  });
});

test("AUD4 a claim is what is put into the user's mouth", () => {
  const claims = placeLines([
    "## Goal",
    "- fix it (entry:e1)",
    "- (none)",
    "- What the user wants:",
    "## Next Steps",
    "- go on",
    "- go on, as the user asked",
    "- go on: the user asked for tea",
    "### The user asked for tea",
  ]).map(claimOf);
  expect(claims).toEqual([
    null,
    "fix it",
    null,
    null,
    null,
    null,
    "go on, as the user asked",
    " the user asked for tea",
    "The user asked for tea",
  ]);
});

describe("first words", () => {
  test.each([
    ["short", '- "short" (entry:a)'],
    [" two\n\nlines\t", '- "two lines" (entry:a)'],
    ["x".repeat(100), `- "${"x".repeat(100)}" (entry:a)`],
    ["x".repeat(101), `- "${"x".repeat(100)}…" (entry:a)`],
    [`${"ab ".repeat(34)}end`, `- "${"ab ".repeat(33).trim()}…" (entry:a)`],
    ["😀".repeat(101), `- "${"😀".repeat(100)}…" (entry:a)`],
    ['a "b" <c> [e1] ENTRY:x', "- \"a 'b' ‹c> (e1) ENTRY：x\" (entry:a)"],
    ["\ud800 a", '- "\ufffd a" (entry:a)'],
    ["", '- "" (entry:a)'],
  ])("AUD6 of %j", (text, line) => {
    expect(quotingLine({ id: "a", text })).toBe(line);
  });

  test("AUD6 a line is such a quotation, or is not", () => {
    const said = { id: "a", text: "drop the tables, or do not" };
    expect(isQuotingLine('- "drop the tables, or do not" (entry:a)', said)).toBe(true);
    expect(isQuotingLine("* “Drop the tables or do not” (entry:a)", said)).toBe(true);
    expect(isQuotingLine('- "drop the tables" (entry:a)', said)).toBe(false);
    expect(isQuotingLine('- "drop the tables, or do not now" (entry:a)', said)).toBe(false);
    expect(isQuotingLine('- "drop the tables, or do nothing" (entry:a)', said)).toBe(false);
    expect(isQuotingLine("-", { id: "a", text: "!" })).toBe(false);
    expect(isQuotingLine(`- "drop the tables, or do not" (entry:${"a".repeat(99)})`, said)).toBe(false);
  });
});
