/** Parses a summary: headings, the section of each line, list items with their continuation lines, marks and quotations. */

import { findCitedReferences, removeCitations } from "../references.ts";
import { foldAccents } from "../text/sanitize.ts";

export interface Heading {
  /** The same for `## Constraints & Preferences` and `### constraints and preferences:`. */
  readonly name: string;
  readonly level: number;
}

/** Null for a line that is no heading. */
export function parseHeading(text: string): Heading | null {
  const [, marks = "", title = ""] = /^ {0,3}(#{1,6})\s+(\S.*)$/u.exec(text.trimEnd()) ?? [];
  return marks === "" ? null : { name: normalizeHeading(title), level: marks.length };
}

function normalizeHeading(title: string): string {
  return foldAccents(title)
    .replace(/&/g, "and")
    .replace(/[*_`:#\s]+/g, " ")
    .trim();
}

export const GOAL_SECTION = "goal";
export const REQUEST_SECTION = "original request";
export const DECISIONS_SECTION = "key decisions";

/** Sections that say what the user wants. */
export const isUserSection = (section: string): boolean => USER_SECTIONS.has(section);
const USER_SECTIONS: ReadonlySet<string> = new Set([GOAL_SECTION, REQUEST_SECTION, "constraints and preferences"]);

/** The sections of all formats; a deeper heading of another name is a statement of the section that it stands in. */
const SECTION_NAMES: ReadonlySet<string> = new Set([
  ...["goal", "constraints and preferences", "progress", "done", "in progress", "blocked", "key decisions"],
  ...["next steps", "critical context", "original request", "early progress", "context for suffix"],
]);

/** Sections whose names and paths may not exist yet. */
export const isPlanSection = (section: string): boolean => PLAN_SECTIONS.has(section);
const PLAN_SECTIONS: ReadonlySet<string> = new Set(["in progress", "blocked", "next steps"]);

/** A list item or a paragraph, with the lines that continue it. */
export interface SummaryItem {
  /** Index of its first line, and of the line behind its last. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The name of the heading it stands below; empty before the first. */
  readonly section: string;
  /** Cited in the item itself or, if it cites nothing, in the item that it is indented below. */
  readonly references: readonly string[];
}

/** Every statement of a summary; headings, rules, blank lines and `(none)` are no statements. */
export function findSummaryItems(lines: readonly string[]): readonly SummaryItem[] {
  const items: SummaryItem[] = [];
  const parents: { readonly indent: number; readonly references: readonly string[] }[] = [];
  let [section, level] = ["", DEEPEST_HEADING_LEVEL];
  const isCode = findCodeLines(lines);
  for (let start = 0; start < lines.length; ) {
    const line = lines[start] ?? "";
    const heading = isCode[start] ? null : parseHeading(line);
    const isSection = heading !== null && (SECTION_NAMES.has(heading.name) || heading.level <= level);
    if (isSection) [section, level] = [heading.name, heading.level];
    if (isSection || isRuleLine(line) || isEmptyStatement(line)) {
      if (isSection) parents.length = 0;
      start += 1;
      continue;
    }
    const end = heading ? start + 1 : findItemEnd(lines, start);
    const text = lines.slice(start, end).join("\n");
    const indent = indentWidth(line);
    while (parents.length > 0 && (parents.at(-1)?.indent ?? 0) >= indent) parents.pop();
    const ownReferences = findCitedReferences(text);
    const references = ownReferences.length > 0 ? ownReferences : (parents.at(-1)?.references ?? []);
    parents.push({ indent, references });
    items.push({ start, end, text, section, references });
    start = end;
  }
  return items;
}

/** Before the first heading, every heading begins a section. */
const DEEPEST_HEADING_LEVEL = 6;

function findItemEnd(lines: readonly string[], start: number): number {
  let end = start + 1;
  while (end < lines.length && continuesItem(lines[end] ?? "")) end += 1;
  return end;
}

function continuesItem(line: string): boolean {
  return /\S/.test(line) && !parseHeading(line) && !isRuleLine(line) && !LIST_ITEM_START.test(line);
}

const indentWidth = (line: string): number => line.length - line.trimStart().length;
const LIST_ITEM_START = /^\s*(?:[-*+•·◦▪‣–]|\d{1,3}[.)])\s/;

/** Which lines stand between two fences, the fences included. A fence that is never closed is none. */
export function findCodeLines(lines: readonly string[]): readonly boolean[] {
  const fences = lines.flatMap((line, lineIndex) => (isCodeFence(line) ? [lineIndex] : []));
  const isCode = lines.map(() => false);
  for (let index = 0; index + 1 < fences.length; index += 2)
    isCode.fill(true, fences[index], (fences[index + 1] ?? 0) + 1);
  return isCode;
}

/** Whether a code block begins or ends with this line. */
export function isCodeFence(line: string): boolean {
  return /^\s*(?:```|~~~)/.test(line);
}

/** Between a summary and the part about a split turn (B44). */
export const TURN_CONTEXT_TITLE = "**Turn Context (split turn):**";
const isRuleLine = (line: string): boolean =>
  /^\s*(?:-{3,}|\*{3,}|_{3,}|`{3,}\S*)\s*$/.test(line) || line.trim() === TURN_CONTEXT_TITLE;

/** Whether a line is blank or only says that there is nothing, such as `- (none)`. */
export function isEmptyStatement(line: string): boolean {
  return /^\(?(?:none|n\/a)?\)?\.?$/i.test(stripLineMarkup(line));
}

/** The line without list marks, citations, marks and emphasis. */
export function stripLineMarkup(line: string): string {
  return removeCitations(removeMarks(line))
    .replace(LIST_PREFIX, "")
    .replace(/\*\*|__|`/g, "")
    .trim();
}

const LIST_PREFIX = /^\s*(?:>\s*)?(?:(?:[-*+•·◦▪‣–]|\d{1,3}[.)]|#{1,6})\s*)?(?:\[[ xX~-]?\]\s*)?/;

/** What code puts behind a line that it cannot confirm. The lead of the summary message says what each means. */
export type SummaryMark = "(unconfirmed)" | "(not from the user)";

export function parseMark(text: string): SummaryMark | null {
  const [, mark = null] = END_MARK.exec(text) ?? [];
  return mark as SummaryMark | null;
}

export const removeMarks = (text: string): string => text.replaceAll(ANY_MARK, "");

const END_MARK = /(\(unconfirmed\)|\(not from the user\))\s*$/;
const ANY_MARK = /[ \t]{0,3}(?:\(unconfirmed\)|\(not from the user\))/g;

/** The texts between quotation marks of any language; code in backticks is no quotation. */
export function findQuotations(text: string): readonly string[] {
  const prose = text.replace(/`[^`\n]*`/g, " ");
  return QUOTATION_PATTERNS.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, quotation = ""]) => quotation));
}

const QUOTATION_PATTERNS: readonly RegExp[] = [
  /"([^"\n]*)"/gu,
  /“([^“”„\n]*)”/gu,
  /„([^„“”\n]*)[“”]/gu,
  /«([^«»\n]*)»/gu,
  /»([^«»\n]*)«/gu,
  /「([^「」\n]*)」/gu,
  /『([^『』\n]*)』/gu,
];

/** Splits at every character that a model takes for the end of a line. */
export function splitSummaryLines(summary: string): readonly string[] {
  return summary.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/u);
}
