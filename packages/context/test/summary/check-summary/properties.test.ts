/** Tests with random summaries that a check changes only headings, citations and marks, and that a second check changes nothing. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { removeCitations } from "../../../src/citations.ts";
import { checkSummary } from "../../../src/summary/check-summary.ts";
import {
  demoteHeadings,
  findCodeLines,
  isCodeFence,
  isEmptyStatement,
  parseHeading,
  parseMark,
  removeMarks,
  splitSummaryLines,
  TURN_CONTEXT_TITLE,
} from "../../../src/summary/parse-summary.ts";
import { evidenceFor, format, summaryWith } from "../fixtures.ts";
import { evidences, formats, summaries } from "./random-summary.ts";

const RUNS = 200;

test("AUD7 every line stays in its section and order; only citations, marks and heading levels change", () => {
  fc.assert(
    fc.property(summaries, evidences, formats, (summary, evidence, format) => {
      const { text } = checkSummary(summary, evidence, format);
      expect(contentBySection(text, format.sections)).toEqual(contentBySection(summary, format.sections));
    }),
    { numRuns: RUNS },
  );
});

test("AUD7 a line has at most one mark, and the flaws list every added mark", () => {
  fc.assert(
    fc.property(summaries, evidences, formats, (summary, evidence, format) => {
      const { text, flaws } = checkSummary(summary, evidence, format);
      const added = countMarks(text) - countMarks(summary);
      expect(added).toBeLessThanOrEqual(flaws.filter(({ note }) => note.includes("” is marked (")).length);
      expect(text).not.toMatch(/\((?:unconfirmed|not from the user)\)\s*\((?:unconfirmed|not from the user)\)/);
    }),
    { numRuns: RUNS },
  );
});

test("AUD7 a check of a checked summary changes nothing", () => {
  fc.assert(
    fc.property(summaries, evidences, formats, (summary, evidence, format) => {
      const { text } = checkSummary(summary, evidence, format);
      expect(checkSummary(text, evidence, format).text).toBe(text);
    }),
    { numRuns: RUNS },
  );
});

test("AUD7 a line below one that gets a citation is judged with it in the first check", () => {
  const evidence = evidenceFor(["user: use postgres for the sessions table", "says: ok"]);
  const body = "- use postgres for the sessions table\n  - use postgres for the sessions table (unconfirmed)";
  const { text } = checkSummary(summaryWith({ "## Constraints & Preferences": body }), evidence, format);
  expect(text).toContain("- use postgres for the sessions table [#1]\n  - use postgres for the sessions table\n");
});

test("AUD2 no unknown citation is left", () => {
  fc.assert(
    fc.property(summaries, evidences, formats, (summary, evidence, format) => {
      const { text, problems } = checkSummary(summary, evidence, format);
      fc.pre(problems.every(({ code }) => code !== "empty"));
      expect(text).not.toMatch(/\[(?:#9[89]|entry:zz)/);
    }),
    { numRuns: RUNS },
  );
});

/** The lines below each required heading, wherever it is; without blank lines and `(none)`. */
function contentBySection(summary: string, required: readonly string[]): ReadonlyMap<string, unknown> {
  const names = new Set(required.map((heading) => parseHeading(heading)?.name));
  const lines: { readonly section: string; readonly text: string }[] = [];
  let section = "";
  const all = demoteHeadings(splitSummaryLines(summary));
  const isCode = findCodeLines(all);
  for (const [at, line] of all.entries()) {
    const name = isCode[at] ? undefined : parseHeading(line)?.name;
    if (name !== undefined && names.has(name)) section = name;
    else if (isContent(line) && (isCode[at] || !isCodeFence(line)))
      lines.push({ section, text: removeCitations(removeMarks(line)).trimEnd() });
  }
  return Map.groupBy(lines, (line) => line.section);
}

// Code writes the rule and the title between a summary and the part about a split turn.
const isContent = (line: string): boolean =>
  !isEmptyStatement(line) && line.trim() !== TURN_CONTEXT_TITLE && line.trim() !== "---";

/** The number of statements with a mark. */
const countMarks = (text: string): number =>
  splitSummaryLines(text).filter((line) => !isEmptyStatement(line) && parseMark(line) !== null).length;
