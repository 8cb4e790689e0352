/** Finds which sentences of the user's messages the lines of a summary carry over, and puts back lines that a newer summary left out. */

import { memoize } from "../cache.ts";
import { findCitedReferences, formatCitation, removeCitations } from "../citations.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  CONSTRAINTS_SECTION,
  DECISIONS_SECTION,
  findSummaryItems,
  isEmptyStatement,
  parseHeading,
  parseMark,
  removeMarks,
  type SummaryItem,
  splitSummaryLines,
  stripLineMarkup,
  TURN_SEPARATOR,
} from "./parse-summary.ts";
import { buildVocabulary, hasListedWord, listWords, type Vocabulary } from "./word-overlap.ts";

/** A line of a summary that can stand for what a user said: unmarked, with a citation, and in a section that lasts. */
export type CarryingLine = Pick<SummaryItem, "text" | "section" | "references">;

/**
 * Finds the lines that may carry over messages of the user. The Goal is left out: it says what the work is about now, so the next
 * summary replaces it.
 */
export function findCarryingLines(summary: string): readonly CarryingLine[] {
  return findSummaryItems(splitSummaryLines(summary)).filter(
    ({ section, text, references }) =>
      (section === CONSTRAINTS_SECTION || section === DECISIONS_SECTION) &&
      references.length > 0 &&
      parseMark(text) === null,
  );
}

/** Returns for each sentence of a message whether lines of a summary carry it over. */
export type CarryCheck = (reference: string, sentences: readonly string[]) => readonly boolean[];

/** Creates the check for a summary. `ignored`: lines that carry over sentences which are no longer among those that are checked. */
export function createCarryCheck(summary: string, ignored: readonly CarryingLine[] = []): CarryCheck {
  const ignoredKeys = new Set(ignored.map(lineKey));
  const lines = findCarryingLines(summary).filter((line) => !ignoredKeys.has(lineKey(line)));
  return (reference, sentences) => {
    const citing = lines.filter(({ references }) => references.includes(reference)).map(claimText);
    return citing.length === 0 ? sentences.map(() => false) : findCarriedSentences(sentences, citing);
  };
}

const claimText = ({ text }: CarryingLine): string => removeCitations(removeMarks(text));

interface SentenceWords {
  readonly words: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly numbers: ReadonlySet<string>;
  /** The words and numbers that lines carry over. */
  readonly carried: Set<string>;
}

/**
 * A sentence is carried over if lines have two thirds of its words and all of its numbers: a rule with another number is another rule.
 * A line counts for the sentence that it shares most words with, and for others only with the words that this one does not have.
 */
function findCarriedSentences(sentences: readonly string[], lines: readonly string[]): readonly boolean[] {
  const candidates = sentences.map((sentence): SentenceWords => {
    const text = stripLineMarkup(sentence);
    const numbers = listDigitRuns(text);
    return { words: listWords(text), vocabulary: buildVocabulary(text), numbers, carried: new Set() };
  });
  for (const line of lines) {
    const vocabulary = buildVocabulary(line);
    const lineNumbers = listDigitRuns(line);
    const minShared = listWords(line).length * MIN_LINE_SHARE;
    const matches = candidates
      .map((candidate) => ({ candidate, shared: candidate.words.filter((word) => hasListedWord(word, vocabulary)) }))
      .filter(({ shared }) => shared.length > 0 && shared.length >= minShared)
      .toSorted((one, other) => other.shared.length - one.shared.length);
    matches.forEach(({ candidate, shared }, index) => {
      const better = matches.slice(0, index).map((match) => match.candidate.vocabulary);
      for (const word of shared)
        if (!better.some((vocabulary) => hasListedWord(word, vocabulary))) candidate.carried.add(word);
      for (const number of candidate.numbers) if (lineNumbers.has(number)) candidate.carried.add(number);
    });
  }
  return candidates.map(
    ({ words, numbers, carried }) =>
      words.length > 0 &&
      words.filter((word) => carried.has(word)).length >= words.length * MIN_SENTENCE_SHARE &&
      [...numbers].every((number) => carried.has(number)),
  );
}

const HAS_WORDS = /[\p{L}\p{N}]/u;
/** The share of a sentence's words that the lines must have, and of a line's words that a sentence must have. */
const MIN_SENTENCE_SHARE = 2 / 3;
const MIN_LINE_SHARE = 0.3;

function listDigitRuns(text: string): ReadonlySet<string> {
  return new Set(text.normalize("NFKC").match(/\p{Nd}+/gu) ?? []);
}

/** Stands for sentences that lines of the summary carry over. */
export const CARRIED_MARK = "[…]";

export interface RemainingText {
  /** The text with a mark in place of each run of carried sentences; empty if every sentence is carried. */
  readonly text: string;
  /** Whether a sentence was removed now. */
  readonly isChanged: boolean;
}

/** Removes the carried sentences from a message. A sentence is never cut. */
export function removeCarriedSentences(
  text: string,
  findCarried: (sentences: readonly string[]) => readonly boolean[],
): RemainingText {
  const segments = splitSentences(text);
  const isCarried = findCarried(segments);
  const parts: string[] = [];
  let [isChanged, hasWords, isAfterMark] = [false, false, false];
  segments.forEach((segment, index) => {
    const isMark = segment.trim() === CARRIED_MARK;
    const isWordless = !HAS_WORDS.test(segment);
    const isRemoved = isMark || (!isWordless && isCarried[index] === true);
    isChanged ||= isRemoved && !isMark;
    if (isRemoved) {
      const [space = ""] = /\s*$/.exec(segment) ?? [];
      // A run of removed sentences keeps one mark, and the white space after it.
      parts.push(`${isAfterMark ? (parts.pop() ?? "").trimEnd() : CARRIED_MARK}${space}`);
    } else parts.push(segment);
    isAfterMark = isRemoved || (isAfterMark && segment.trim() === "");
    hasWords ||= !isRemoved && !isWordless;
  });
  return { text: hasWords ? parts.join("").trim() : "", isChanged };
}

/** Splits a text into sentences with the white space after them. List items and other lines are sentences of their own. */
export function splitSentences(text: string): readonly string[] {
  return text
    .split(/(?<=\n)|(?<=\[…\]\s*)(?=\S)|(?=\[…\])/u)
    .flatMap((line) => Array.from(sentenceSegmenter().segment(line), ({ segment }) => segment));
}

// Created on first use, because loading a segmenter takes time.
const sentenceSegmenter = memoize(() => new Intl.Segmenter(undefined, { granularity: "sentence" }));

export interface CompareLinesOptions {
  /** The summary of the previous compaction. */
  readonly previous: string;
  /** The new summary. */
  readonly summary: string;
  /** The references of messages that have left the context in whole or in part. */
  readonly carried: ReadonlySet<string>;
  /** Whether a reference is a message of the user. */
  readonly isUserMessage: (reference: string) => boolean;
}

/** What became of the lines that carry over messages. */
export interface ComparedLines {
  /** Lines that the new summary neither keeps nor replaces. */
  readonly missing: readonly CarryingLine[];
  /** References that a line of the new summary stands for, but does not cite. */
  readonly uncited: readonly UncitedReferences[];
}

export interface UncitedReferences {
  readonly line: CarryingLine;
  readonly references: readonly string[];
}

/**
 * Compares the lines of the previous summary that carry over messages with a new summary. A line is kept if a new one cites the same
 * message and has half of its words, and replaced if a new one that cites a newer message of the user has. Lines that stood side by
 * side before do not replace each other.
 */
export function compareLines({ previous, summary, carried, isUserMessage }: CompareLinesOptions): ComparedLines {
  if (carried.size === 0 || previous === "") return { missing: [], uncited: [] };
  const previousLines = findCarryingLines(previous);
  const previousKeys = new Set(previousLines.map(lineKey));
  const lines = findCarryingLines(summary);
  const missing: CarryingLine[] = [];
  const uncited: UncitedReferences[] = [];
  for (const previousLine of previousLines) {
    const references = previousLine.references.filter((reference) => carried.has(reference));
    if (references.length === 0) continue;
    const isNewer = (reference: string): boolean =>
      isUserMessage(reference) && previousLine.references.every((other) => isNewerReference(reference, other));
    const line =
      lines.find((each) => lineKey(each) === lineKey(previousLine)) ??
      lines.find((each) => each.references.some((one) => references.includes(one)) && hasHalfOf(previousLine, each)) ??
      lines.find(
        (each) => !previousKeys.has(lineKey(each)) && each.references.some(isNewer) && hasHalfOf(previousLine, each),
      );
    const added = references.filter((reference) => !line?.references.includes(reference));
    if (!line) missing.push(previousLine);
    else if (added.length > 0) uncited.push({ line, references: added });
  }
  return { missing, uncited };
}

const lineKey = (line: CarryingLine): string => stripLineMarkup(line.text).replace(/\s+/g, " ");

function hasHalfOf(line: CarryingLine, other: CarryingLine): boolean {
  const words = listWords(claimText(line));
  const vocabulary = buildVocabulary(claimText(other));
  const shared = words.filter((word) => hasListedWord(word, vocabulary)).length;
  return shared >= Math.min(2, words.length) && shared >= words.length / 2;
}

function isNewerReference(one: string, other: string): boolean {
  const [number, otherNumber] = [entryNumber(one), entryNumber(other)];
  return number !== null && otherNumber !== null && number > otherNumber;
}

/** Returns the number of a reference such as `#412`; null for a reference by id. */
export function entryNumber(reference: string): number | null {
  const number = /^#(\d+)$/.exec(reference)?.[1];
  return number === undefined ? null : Number(number);
}

/** Compares references by age, for sorting, oldest first. References by id keep their order. */
export function compareReferences(one: string, other: string): number {
  return (entryNumber(one) ?? 0) - (entryNumber(other) ?? 0);
}

/**
 * Puts lines back at the end of their sections, the oldest first, as far as the summary stays within its maximum size, and adds
 * citations to the lines that took the place of others.
 */
export function putBackLines(summary: string, { missing, uncited }: ComparedLines, maxTokens: number): string {
  let result = uncited.reduce(addReferences, summary);
  let freeTokens = maxTokens - textTokens(result);
  for (const line of missing) {
    const tokens = textTokens(line.text) + LINE_MARGIN_TOKENS;
    if (tokens > freeTokens) continue;
    freeTokens -= tokens;
    result = insertLine(result, line);
  }
  return result;
}

function addReferences(summary: string, { line, references }: UncitedReferences): string {
  const lines = [...splitSummaryLines(summary)];
  const item = findSummaryItems(lines).find((each) => lineKey(each) === lineKey(line) && each.section === line.section);
  const last = lines[(item?.end ?? 0) - 1];
  if (!item || last === undefined) return summary;
  const cited = findCitedReferences(last);
  const all = formatCitation([...new Set([...cited, ...references])].slice(0, MAX_LINE_REFERENCES));
  lines[item.end - 1] = `${removeCitations(last).trimEnd()}${all}`;
  return lines.join("\n");
}

/** A line that replaces one rule after the other cites the newest of them. */
const MAX_LINE_REFERENCES = 6;

/** The heading of a section that the summary does not have, and line breaks. */
const LINE_MARGIN_TOKENS = 8;

function insertLine(summary: string, { text, section, references }: CarryingLine): string {
  const [history = "", ...turn] = summary.split(TURN_SEPARATOR);
  const lines = [...splitSummaryLines(history)];
  // A nested line takes its citation from the line above it.
  const citation = findCitedReferences(text).length > 0 ? "" : ` [${references.join(", ")}]`;
  const line = `${text.replace(/^\s*(?:[-*+•]\s+)?/, "- ").trimEnd()}${citation}`;
  const heading = lines.findIndex((each) => parseHeading(each)?.name === section);
  if (heading === -1) lines.push("", SECTION_HEADINGS[section] ?? SECTION_HEADINGS[CONSTRAINTS_SECTION] ?? "", line);
  else {
    const next = lines.findIndex((each, index) => index > heading && parseHeading(each) !== null);
    let end = next === -1 ? lines.length : next;
    while (end > heading + 1 && (lines[end - 1] ?? "").trim() === "") end -= 1;
    const isEmpty = end > heading + 1 && lines.slice(heading + 1, end).every(isEmptyStatement);
    lines.splice(isEmpty ? heading + 1 : end, isEmpty ? end - heading - 1 : 0, line);
  }
  return [lines.join("\n"), ...turn].join(TURN_SEPARATOR);
}

const SECTION_HEADINGS: Readonly<Record<string, string>> = {
  [CONSTRAINTS_SECTION]: "## Constraints & Preferences",
  [DECISIONS_SECTION]: "## Key Decisions",
};
