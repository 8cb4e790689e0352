/** Proves what is said of headings: each is there once, in order, however it is written. */

import { expect, test } from "vitest";
import { sectionFlaws } from "../../../../src/summary/auditing/checks/sections.ts";
import { placeLines } from "../../../../src/summary/auditing/story/place-lines.ts";
import { sections, sectionsOfTurn, summaryWith } from "../asked.ts";

const flawsOf = (text: string, required = sections) => sectionFlaws(placeLines(text.split("\n")), required);

test("AUD1 a summary with all headings in order has no flaw", () => {
  expect(flawsOf(summaryWith({}))).toEqual([]);
  expect(flawsOf(sectionsOfTurn.join("\n"), sectionsOfTurn)).toEqual([]);
});

test("AUD1 case, colon, emphasis, level and `and` make no difference", () => {
  const text = sections
    .map((heading) => heading.replace("## Goal", "# **goal**:").replace("&", "and").replace("### Done", "## DONE ##"))
    .join("\r\n");
  expect(flawsOf(text)).toEqual([]);
});

test("AUD1 more headings than required are no flaw", () => {
  expect(flawsOf(`# Summary\n${summaryWith({ "## Goal": "x\n### Scope\ny" })}\n## Notes`)).toEqual([]);
});

test("AUD1 missing, doubled and misplaced headings are named", () => {
  const text = ["## Progress", "## Goal", "### Done", "## Progress", "## Goal", "## Progress"].join("\n");
  expect(flawsOf(text, ["## Goal", "## Progress", "### Done", "## Next Steps"])).toEqual([
    { code: "sections", note: 'the heading "## Goal" stands twice, again in line 5', line: 5 },
    { code: "sections", note: 'the heading "## Progress" stands twice, again in line 4', line: 4 },
    { code: "sections", note: 'the heading "## Progress" in line 1 stands behind one that follows it', line: 1 },
    { code: "sections", note: 'the heading "## Next Steps" is missing', line: null },
  ]);
});

test("AUD1 without a required heading nothing is required", () => {
  expect(flawsOf("anything", [])).toEqual([]);
});
