/** Parses a summary: headings, sections, list items, marks and quotations; and the summary message of the previous compaction. */

import { findCitedReferences, removeCitations } from "../citations.ts";
import { readSummaryPartTexts, type SummaryPartText } from "../context/read-summary-parts.ts";
import { type CompactionEntry, readPithDetails } from "../entry.ts";
import { foldAccents } from "../text/sanitize.ts";

/** Splits at every character that a model treats as the end of a line. */
export function splitSummaryLines(summary: string): readonly string[] {
  return summary.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/u);
}

/** A list item or a paragraph, with its continuation lines. */
export interface SummaryItem {
  /** The index of the first line, and of the line after the last. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The name of the heading above it; empty before the first heading. */
  readonly section: string;
  /** The citations of the item or, if it has none, of its parent item. */
  readonly references: readonly string[];
  /** The index of the parent item whose citations it has; null if it has its own or none. */
  readonly citedParent: number | null;
}

/** Finds every statement of a summary. Headings, rules, blank lines and `(none)` are not statements. */
export function findSummaryItems(lines: readonly string[]): readonly SummaryItem[] {
  const items: SummaryItem[] = [];
  const parents: { readonly indent: number; readonly index: number; readonly references: readonly string[] }[] = [];
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
    const parent = ownReferences.length > 0 ? undefined : parents.at(-1);
    const references = parent?.references ?? ownReferences;
    parents.push({ indent, index: items.length, references });
    items.push({ start, end, text, section, references, citedParent: parent?.index ?? null });
    start = end;
  }
  return items;
}

/** The initial level: any first heading starts a section. */
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

export interface Heading {
  /** Normalised: equal for `## Constraints & Preferences` and `### constraints and preferences:`. */
  readonly name: string;
  readonly level: number;
}

/** Parses a heading; null for any other line. */
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
export const CONSTRAINTS_SECTION = "constraints and preferences";
export const DECISIONS_SECTION = "key decisions";
export const NEXT_STEPS_SECTION = "next steps";

/** Whether a section says what the user wants. */
export const isUserSection = (section: string): boolean => USER_SECTIONS.has(section);
const USER_SECTIONS: ReadonlySet<string> = new Set([GOAL_SECTION, REQUEST_SECTION, CONSTRAINTS_SECTION]);

/** The sections of all formats. A deeper heading with another name is a statement of its section. */
const SECTION_NAMES: ReadonlySet<string> = new Set([
  ...["goal", "constraints and preferences", "progress", "done", "in progress", "blocked", "key decisions"],
  ...["next steps", "critical context", "original request", "early progress", "context for suffix"],
]);

/** Whether names and paths in a section may not exist yet. */
export const isPlanSection = (section: string): boolean => PLAN_SECTIONS.has(section);
const PLAN_SECTIONS: ReadonlySet<string> = new Set(["in progress", "blocked", NEXT_STEPS_SECTION]);

/** Marks the lines of code blocks, including the fences. A fence that is never closed does not count. */
export function findCodeLines(lines: readonly string[]): readonly boolean[] {
  const fences = lines.flatMap((line, lineIndex) => (isCodeFence(line) ? [lineIndex] : []));
  const isCode = lines.map(() => false);
  for (let index = 0; index + 1 < fences.length; index += 2)
    isCode.fill(true, fences[index], (fences[index + 1] ?? 0) + 1);
  return isCode;
}

/** Whether a line begins or ends a code block. */
export function isCodeFence(line: string): boolean {
  return /^\s*(?:```|~~~)/.test(line);
}

/** Demotes headings of the first level: only Pith writes them, to separate the parts of the summary message by author. */
export function demoteHeadings(lines: readonly string[]): readonly string[] {
  const isCode = findCodeLines(lines);
  return lines.map((line, index) => (isCode[index] ? line : demoteHeading(line)));
}

function demoteHeading(line: string): string {
  if (/^ {0,3}#(?:\s|$)/.test(line)) return `#${line.trimStart()}`;
  return /^ {0,3}=+\s*$/.test(line) ? `\\${line.trimStart()}` : line;
}

/** The title between a summary and the part about a split turn (B44). */
export const TURN_CONTEXT_TITLE = "**Turn Context (split turn):**";
/** Separates the summary of the history from the part about the split turn. */
export const TURN_SEPARATOR: string = `\n\n---\n\n${TURN_CONTEXT_TITLE}\n\n`;
const isRuleLine = (line: string): boolean =>
  /^\s*(?:-{3,}|\*{3,}|_{3,}|`{3,}\S*)\s*$/.test(line) || line.trim() === TURN_CONTEXT_TITLE;

/** Whether a line is blank or says that there is nothing, such as `- (none)`. */
export function isEmptyStatement(line: string): boolean {
  return /^\(?(?:none|n\/a)?\)?\.?$/i.test(stripLineMarkup(line));
}

/** Removes list marks, citations, check marks and emphasis from a line. */
export function stripLineMarkup(line: string): string {
  return removeCitations(removeMarks(line))
    .replace(LIST_PREFIX, "")
    .replace(/\*\*|__|`/g, "")
    .trim();
}

const LIST_PREFIX = /^\s*(?:>\s*)?(?:(?:[-*+•·◦▪‣–]|\d{1,3}[.)]|#{1,6})\s*)?(?:\[[ xX~-]?\]\s*)?/;

/** The marks that code puts at the end of a line it cannot confirm. The summary message explains them to the model. */
export type SummaryMark = "(unconfirmed)" | "(not from the user)";

/** Returns the mark at the end of a text; null for none. */
export function parseMark(text: string): SummaryMark | null {
  const [, mark = null] = END_MARK.exec(text) ?? [];
  return mark as SummaryMark | null;
}

/** Removes all marks from a text. */
export const removeMarks = (text: string): string => text.replaceAll(ANY_MARK, "");

const END_MARK = /(\(unconfirmed\)|\(not from the user\))\s*$/;
const ANY_MARK = /[ \t]{0,3}(?:\(unconfirmed\)|\(not from the user\))/g;

/** Finds texts between quotation marks of any language. Code in backticks is not a quotation. */
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

/** The content of the previous compaction that the next one reads. */
export interface PreviousSummary {
  readonly compaction: CompactionEntry | null;
  /** The parts of the summary message, in order; empty for a summary from another program. */
  readonly parts: readonly SummaryPartText[];
  /** The summary from a model, a hook or another program; empty if there is none. */
  readonly narrative: string;
  /** The entry at which the narrative was written; null if it is unknown. */
  readonly asOf: string | null;
  /** The list of turns, written without a model. */
  readonly notes: string;
  /** Whether the narrative was checked against the log when it was written. */
  readonly isChecked: boolean;
}

export const noPreviousSummary: PreviousSummary = {
  compaction: null,
  parts: [],
  narrative: "",
  asOf: null,
  notes: "",
  isChecked: false,
};

/** Splits a summary message into its parts. A summary from another program is one narrative. */
export function readPreviousSummary(compaction: CompactionEntry): PreviousSummary {
  const parts = readSummaryPartTexts(compaction);
  // A heading from another program must not look like the heading of a part.
  if (parts.length === 0)
    return {
      ...noPreviousSummary,
      compaction,
      narrative: demoteHeadings(splitSummaryLines(compaction.summary.trim())).join("\n"),
    };
  return {
    compaction,
    parts,
    narrative: partText(parts, "story").replace(NARRATIVE_TITLE, "").trim(),
    asOf: NARRATIVE_TITLE.exec(partText(parts, "story"))?.[1] ?? null,
    notes: partText(parts, "notes").trim(),
    // A summary from another program stays unchecked when a later compaction carries it over.
    isChecked: readPithDetails(compaction.details).checked === true,
  };
}

/** Returns the text of the first part of a kind, without the blank line before the next part. */
export function partText(parts: readonly SummaryPartText[], kind: string): string {
  const index = parts.findIndex(({ part }) => part.kind === kind);
  const text = parts[index]?.text ?? "";
  return index < parts.length - 1 ? text.replace(/\n\n$/, "") : text;
}

/** Returns the narrative and the notes of the previous summary as one text. */
export function previousNarrative({ narrative, notes }: PreviousSummary): string {
  return [narrative, notes].filter((text) => text !== "").join("\n\n");
}

/** Formats the heading above a narrative in the summary message. */
export function formatNarrativeTitle(asOf: string | null): string {
  return asOf === null
    ? "# Summary (a report, not the user's words)\n"
    : `# Summary as of ${asOf} (a report, not the user's words; later messages are newer and win)\n`;
}

const NARRATIVE_TITLE = /^# Summary(?: as of (#\d+|entry:\S+))? \(a report, not the user's words[^\n]*\)\n/;
