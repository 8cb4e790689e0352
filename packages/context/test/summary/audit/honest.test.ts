/** Measures the checks on honest summaries: lines change only in their citations, and few are marked. */

import { expect, test } from "vitest";
import { removeCitations } from "../../../src/citations.ts";
import { checkSummary, type SummaryCheckResult, type SummaryFormat } from "../../../src/summary/audit.ts";
import {
  findSummaryItems,
  isEmptyStatement,
  parseMark,
  removeMarks,
  splitSummaryLines,
} from "../../../src/summary/parse-summary.ts";
import { evidenceFor, sections, turnSections } from "../fixtures.ts";
import type { HonestSummary } from "./honest/honest-summary.ts";
import { honest } from "./honest.ts";

const results = honest.map((each) => ({ ...each, checked: check(each) }));

test("AUD7 no line of an honest summary is removed, added or reworded", () => {
  for (const { summary, checked } of results) expect(contentOf(checked.text)).toEqual(contentOf(summary));
});

test("AUD1 AUD2 no honest summary needs a correction", () => {
  expect(results.flatMap(({ checked }) => checked.problems)).toEqual([]);
});

test("AUD4 few honest lines are marked", () => {
  const lines = sum(results.map(({ summary }) => findSummaryItems(splitSummaryLines(summary)).length));
  const marked = results.flatMap(({ checked }) =>
    splitSummaryLines(checked.text).filter((line) => parseMark(line) !== null),
  );
  const other = results.flatMap(({ checked }) => checked.flaws).length - marked.length;
  console.log(
    `honest summaries: ${honest.length}; lines: ${lines}; marked: ${marked.length} (${percent(marked.length / lines)}); ` +
      `other remarks: ${other}`,
  );
  expect(honest.length).toBeGreaterThanOrEqual(30);
  expect(marked.length / lines).toBeLessThanOrEqual(0.05);
});

test("AUD7 a second check changes nothing", () => {
  for (const { session, summary, checked } of results) {
    const again = checkSummary(checked.text, evidenceFor(session), formatFor(summary));
    expect(again.text).toBe(checked.text);
  }
});

function check({ session, summary }: HonestSummary): SummaryCheckResult {
  return checkSummary(summary, evidenceFor(session), formatFor(summary));
}

function formatFor(summary: string): SummaryFormat {
  return { sections: summary.includes("## Original Request") ? turnSections : sections, tokens: 4_000 };
}

/** All statements, without marks and citations. */
function contentOf(summary: string): readonly string[] {
  return splitSummaryLines(summary)
    .filter((line) => !isEmptyStatement(line))
    .map((line) => removeCitations(removeMarks(line)).trimEnd());
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
