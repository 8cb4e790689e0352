/** Checks a summary against the session. Lines are never removed or reworded: code repairs the form and marks what it cannot confirm. */

import { findCitedReferences, formatCitation, replaceCitations } from "../citations.ts";
import { LONG_STEP, runAtOnce, type Steps } from "../event-loop.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Evidence } from "./evidence.ts";
import type { Flaw } from "./flaw.ts";
import { judgeLine, type NearbySource, type Verdict } from "./judge-line.ts";
import {
  demoteHeadings,
  findQuotations,
  findSummaryItems,
  GOAL_SECTION,
  isEmptyStatement,
  isUserSection,
  parseHeading,
  parseMark,
  REQUEST_SECTION,
  removeMarks,
  type SummaryItem,
  splitSummaryLines,
  stripLineMarkup,
} from "./parse-summary.ts";
import { addMark, type CitationRepairResult, repairCitations, restoreHeadings } from "./repair.ts";

/** The required form of a summary. */
export interface SummaryFormat {
  /** Required headings in order, e.g. `## Goal`; empty for a summary of any form. */
  readonly sections: readonly string[];
  readonly tokens: number;
}

export interface SummaryCheckResult {
  /** With headings restored, citations repaired and marks added. */
  readonly text: string;
  /** What only the model can correct. It gets one more request. */
  readonly problems: readonly Flaw[];
  /** What was marked or is worth knowing. The receipt lists it. */
  readonly flaws: readonly Flaw[];
}

/** Checks a summary, repairs its form and marks the lines that the evidence does not confirm. */
export function checkSummary(summary: string, evidence: Evidence, format: SummaryFormat): SummaryCheckResult {
  return runAtOnce(checkSummaryInSteps(summary, evidence, format));
}

/** Checks a summary in steps: a long session has many words, and each line is compared with many entries. */
export function* checkSummaryInSteps(
  summary: string,
  evidence: Evidence,
  format: SummaryFormat,
): Steps<SummaryCheckResult> {
  const lines = demoteHeadings(splitSummaryLines(summary));
  if (findSummaryItems(lines).length === 0)
    return { text: lines.join("\n"), problems: [EMPTY_SUMMARY_FLAW], flaws: [] };
  yield* loadEvidence(summary, lines, evidence);
  const linesWithHeadings = format.sections.length === 0 ? lines : restoreHeadings(lines, format.sections);
  const citations = repairCitations(linesWithHeadings ?? lines, evidence);
  const problems = [
    ...sizeProblem(summary, format),
    ...(linesWithHeadings === null ? [headingProblem(format)] : []),
    ...citationProblem(citations),
  ];
  const needsSources = format.sections.length > 0 && linesWithHeadings !== null;
  const { lines: markedLines, flaws } = yield* markLines(citations, evidence, needsSources);
  yield LONG_STEP;
  return {
    text: markedLines.join("\n"),
    problems,
    flaws: [...flaws, ...requestFlaw(markedLines, evidence), ...scriptFlaw(markedLines, evidence)],
  };
}

/** Computes what the checks will read. */
function* loadEvidence(summary: string, lines: readonly string[], evidence: Evidence): Steps<void> {
  yield* evidence.computeReferences();
  yield* evidence.computeNames();
  if (findQuotations(summary).length > 0) yield* evidence.computeAllWords();
  // A line that says what the user wants, and cites nothing, is compared with all messages of the user.
  const isUncited = ({ section, references }: SummaryItem): boolean =>
    isUserSection(section) && references.length === 0;
  const needsTyped = findSummaryItems(lines).some(isUncited);
  for (const source of evidence.sources().values()) {
    yield source.vocabulary().chars;
    if (needsTyped && source.isFromUser) yield source.typed().chars;
  }
}

const EMPTY_SUMMARY_FLAW: Flaw = {
  code: "empty",
  note: "The summary is empty.",
  advice: "Write what happened under its headings.",
};

function headingProblem({ sections }: SummaryFormat): Flaw {
  return { code: "sections", note: `Most of these headings are missing: ${sections.join(", ")}` };
}

// Counts the text that the model wrote, before any repair.
function sizeProblem(summary: string, { tokens }: SummaryFormat): readonly Flaw[] {
  const size = textTokens(summary);
  if (size <= tokens * LENGTH_TOLERANCE) return [];
  return [{ code: "too-long", note: `The summary has ${size} tokens; ${tokens} are allowed.` }];
}

const LENGTH_TOLERANCE = 1.1;

function citationProblem({ cited, unresolved }: CitationRepairResult): readonly Flaw[] {
  if (unresolved * 3 <= cited) return [];
  const problem = unresolved === 1 ? "refers to an entry that does not exist" : "refer to entries that do not exist";
  return [
    {
      code: "unresolved-citations",
      note: `${unresolved} of ${cited} citations ${problem}.`,
      advice: "Cite only the numbers at the start of a block.",
    },
  ];
}

function* markLines(
  { lines, unknownReferences: unknownByLine }: CitationRepairResult,
  evidence: Evidence,
  needsSources: boolean,
): Steps<{ readonly lines: readonly string[]; readonly flaws: readonly Flaw[] }> {
  const outputLines = [...lines];
  const flaws: Flaw[] = [];
  let uncitedMarks = 0;
  // The citations of each item after the check. A line without its own has those of its parent, also one that the check has added.
  const citations: (readonly string[])[] = [];
  for (const found of findSummaryItems(lines)) {
    const inherited = found.citedParent === null ? null : (citations[found.citedParent] ?? []);
    const item = inherited === null ? found : { ...found, references: inherited };
    const unknownReferences = lines
      .slice(item.start, item.end)
      .flatMap((_, offset) => unknownByLine.get(item.start + offset) ?? []);
    const verdict = judgeLine(item, evidence, { unknownReferences, needsSources });
    yield Math.max(JUDGED_LINE_CHARS, evidence.sources().size * COMPARED_SOURCE_CHARS);
    if (verdict.type === "mark" && item.references.length === 0 && !isUserSection(item.section)) uncitedMarks += 1;
    const isSpared = uncitedMarks > MAX_UNCITED_MARKS && verdict.type === "mark" && verdict.code === "uncited";
    if (!isSpared) applyVerdict(verdict, item, outputLines);
    const ownCitations = findCitedReferences(outputLines.slice(item.start, item.end).join("\n"));
    citations.push(ownCitations.length > 0 ? ownCitations : item.references);
    if (isSpared) continue;
    if (verdict.type === "mark" && parseMark(item.text) === null)
      flaws.push({
        code: verdict.code,
        note: `“${truncateClaim(item.text)}” is marked ${verdict.mark} because it ${verdict.why}`,
      });
  }
  return { lines: outputLines, flaws };
}

/** A summary with more such lines cites hardly anything, and marks on all of them would only make it longer. */
const MAX_UNCITED_MARKS = 5;

/** A line takes as long as this many characters of other steps, or less. */
const JUDGED_LINE_CHARS = 20_000;
/** A line without a citation is compared with every entry. */
const COMPARED_SOURCE_CHARS = 20;

/** AUD7: changes only the citation or the mark at the end of a line. */
function applyVerdict(verdict: Verdict, { start, end }: SummaryItem, lines: string[]): void {
  const lastIndex = end - 1;
  const line = lines[lastIndex] ?? "";
  switch (verdict.type) {
    case "ok":
      return;
    case "unmark":
      lines[lastIndex] = removeMarks(line);
      return;
    case "mark":
      lines[lastIndex] = addMark(line, verdict.mark);
      return;
    case "cite":
      lines[lastIndex] = `${line.trimEnd()}${formatCitation([verdict.reference])}`;
      return;
    case "correct":
      for (let index = start; index < end; index += 1) lines[index] = replaceReference(lines[index] ?? "", verdict);
      if (!findCitedReferences(lines.slice(start, end).join("\n")).includes(verdict.right))
        lines[lastIndex] = `${(lines[lastIndex] ?? "").trimEnd()}${formatCitation([verdict.right])}`;
  }
}

/** Replaces a wrong reference in the citations of a line. */
function replaceReference(line: string, { wrong, right }: NearbySource): string {
  return replaceCitations(line, ({ references }) =>
    formatCitation([...new Set(references.map((each) => (each === wrong ? right : each)))]),
  );
}

function truncateClaim(text: string): string {
  const plain = stripLineMarkup(text.slice(0, MAX_CLAIM_CHARS * 4).toWellFormed()).replace(/\s+/g, " ");
  const chars = [...plain];
  return chars.length > MAX_CLAIM_CHARS ? `${chars.slice(0, MAX_CLAIM_CHARS).join("")}…` : plain;
}

const MAX_CLAIM_CHARS = 80;

/** AUD6: the Goal cites the user's latest request. */
function requestFlaw(lines: readonly string[], { request }: Evidence): readonly Flaw[] {
  if (request === null) return [];
  const isGoal = (section: string | undefined): boolean => section === GOAL_SECTION || section === REQUEST_SECTION;
  if (!lines.some((line) => isGoal(parseHeading(line)?.name))) return [];
  const goals = findSummaryItems(lines).filter(({ section }) => isGoal(section));
  if (goals.some(({ references }) => references.includes(request.reference))) return [];
  return [{ code: "wrong-request", note: `The Goal does not cite your latest request, ${request.reference}.` }];
}

/** AUD8: a summary is written in the script that the user writes in. */
function scriptFlaw(lines: readonly string[], { userTexts }: Evidence): readonly Flaw[] {
  const [userScript, summaryScript] = [
    mainScript(userTexts().join("\n").slice(-MAX_SCRIPT_CHARS)),
    mainScript(
      lines
        .filter((line) => !isEmptyStatement(line) && !parseHeading(line))
        .map(removeMarks)
        .join("\n"),
    ),
  ];
  if (userScript === null || summaryScript === null || userScript === summaryScript) return [];
  return [
    {
      code: "other-language",
      note: `You write in ${userScript} script, but the summary is in ${summaryScript} script.`,
    },
  ];
}

/** Returns the main script of a text; null for a text with few letters. Technical terms are Latin everywhere, so a quarter of another script decides. */
function mainScript(text: string): string | null {
  const words = (text.match(/\S+/gu) ?? []).filter((word) => !/[`\d_/\\@#$=]/.test(word));
  // Most words are ASCII, whose letters are Latin. The patterns are slow.
  const { ascii = [], other: otherWords = [] } = Object.groupBy(words, (word) =>
    /^[\x21-\x7e]+$/.test(word) ? "ascii" : "other",
  );
  const asciiLetters = ascii.join("").replace(/[^a-z]+/gi, "").length;
  const otherText = otherWords.join(" ");
  const counts = SCRIPT_PATTERNS.map(({ name, pattern }) => ({ name, count: otherText.match(pattern)?.length ?? 0 }));
  const all = counts.reduce((sum, { count }) => sum + count, asciiLetters);
  if (all < MIN_SCRIPT_LETTERS) return null;
  const other = counts.slice(1).reduce((most, each) => (each.count > most.count ? each : most));
  return other.count * 4 >= all ? other.name : "Latin";
}

const MIN_SCRIPT_LETTERS = 12;
/** The user's newest text shows the script as well as all of it, and takes less time. */
const MAX_SCRIPT_CHARS = 50_000;

const SCRIPT_PATTERNS = [
  { name: "Latin", pattern: /\p{sc=Latin}/gu },
  { name: "Chinese or Japanese", pattern: /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/gu },
  { name: "Korean", pattern: /\p{sc=Hangul}/gu },
  { name: "Cyrillic", pattern: /\p{sc=Cyrillic}/gu },
  { name: "Greek", pattern: /\p{sc=Greek}/gu },
  { name: "Arabic", pattern: /\p{sc=Arabic}/gu },
  { name: "Hebrew", pattern: /\p{sc=Hebrew}/gu },
  { name: "Devanagari", pattern: /\p{sc=Devanagari}/gu },
  { name: "Thai", pattern: /\p{sc=Thai}/gu },
] as const;
