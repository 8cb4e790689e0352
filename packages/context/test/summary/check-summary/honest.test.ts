/** Measures the checks on honest summaries: lines change only in their citations, and few are marked. */

import { expect, test } from "vitest";
import { findCitedReferences, removeCitations } from "../../../src/citations.ts";
import { checkSummary, type SummaryCheckResult, type SummaryFormat } from "../../../src/summary/check-summary.ts";
import {
  findSummaryItems,
  isEmptyStatement,
  parseMark,
  removeMarks,
  splitSummaryLines,
} from "../../../src/summary/parse-summary.ts";
import type { HonestSummary } from "../fixtures.ts";
import { evidenceFor, sections, turnSections } from "../fixtures.ts";
import { chinese } from "./honest/chinese.ts";
import { english } from "./honest/english.ts";
import { german } from "./honest/german.ts";
import { others } from "./honest/others.ts";
import { spanish } from "./honest/spanish.ts";

const honest: readonly HonestSummary[] = [...english, ...german, ...spanish, ...chinese, ...others];

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

test("PFX6 few honest lines are marked if code adds the citations of the work", () => {
  const uncited = honest.map(({ session, summary }) => ({
    session,
    summary,
    ...removeWorkCitations({ session, summary }),
  }));
  const checks = uncited.map(({ session, summary, text }) =>
    checkSummary(text, evidenceFor(session), formatFor(summary)),
  );
  const pairs = uncited.flatMap(({ session, summary, changed }, index) => {
    const [before, after] = [summary, checks[index]?.text ?? ""].map(splitSummaryLines);
    return changed.map((at) => [before?.[at] ?? "", after?.[at] ?? ""].map((line) => resolveAll(line, session)));
  });
  const cited = pairs.filter(([, after]) => (after ?? []).length > 0);
  const same = cited.filter(([before, after]) => after?.some((reference) => before?.includes(reference)));
  const marked = checks.flatMap(({ text }) => splitSummaryLines(text).filter((line) => parseMark(line) !== null));
  const lines = sum(honest.map(({ summary }) => findSummaryItems(splitSummaryLines(summary)).length));
  console.log(
    `lines without a citation: ${pairs.length}; cited by code: ${cited.length}, as the author did: ${same.length}; ` +
      `marked: ${marked.length} of ${lines} (${percent(marked.length / lines)})`,
  );
  expect(pairs.length).toBeGreaterThan(100);
  expect(cited.length / pairs.length).toBeGreaterThan(0.5);
  expect(same.length / cited.length).toBeGreaterThan(0.8);
  expect(marked.length / lines).toBeLessThanOrEqual(0.05);
  expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
});

function resolveAll(line: string, session: HonestSummary["session"]): readonly (string | null)[] {
  return findCitedReferences(line).map(evidenceFor(session).resolve);
}

/** Removes the citations that a model cannot know if it sees no entry numbers: all but those of the user's messages. */
function removeWorkCitations({ session, summary }: Omit<HonestSummary, "title">): {
  readonly text: string;
  readonly changed: readonly number[];
} {
  const { sourceOf, resolve } = evidenceFor(session);
  const lines = splitSummaryLines(summary);
  const isWork = (line: string): boolean => {
    const references = findCitedReferences(line);
    return (
      references.length > 0 && references.every((reference) => sourceOf(resolve(reference) ?? "")?.isFromUser === false)
    );
  };
  const changed = lines.flatMap((line, index) => (isWork(line) ? [index] : []));
  return { text: lines.map((line) => (isWork(line) ? removeCitations(line).trimEnd() : line)).join("\n"), changed };
}

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
