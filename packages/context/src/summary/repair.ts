/** Repairs the form of a summary without changing its content: headings, citations of unknown entries, and marks at the ends of lines. */

import { formatCitation, replaceCitations } from "../citations.ts";
import type { Evidence } from "./evidence.ts";
import {
  findCodeLines,
  isCodeFence,
  isEmptyStatement,
  parseHeading,
  parseMark,
  type SummaryMark,
  TURN_CONTEXT_TITLE,
} from "./parse-summary.ts";

/** Inserts every required heading once and in order; text below a heading moves with it. Null for a text with too few of them. */
export function restoreHeadings(lines: readonly string[], required: readonly string[]): readonly string[] | null {
  if (hasHeadingsInOrder(lines, required)) return lines;
  const blocks = splitByHeadings(removeOpenFence(removeTurnTitle(lines)), required);
  if (!hasEnoughHeadings(blocks, required)) return null;
  const bodyOf = (requiredHeading: string | null): readonly string[] =>
    blocks.filter(({ heading }) => heading === requiredHeading).flatMap(({ body }) => trimBlankLines(body));
  const sections = required.map((heading, index) => {
    const body = bodyOf(heading);
    const isParent = headingLevel(required[index + 1]) > headingLevel(heading);
    const title = heading === FIRST_TURN_HEADING && index > 0 ? ["---", "", TURN_CONTEXT_TITLE, ""] : [];
    return [...title, heading, ...(body.every(isEmptyStatement) && !isParent ? [EMPTY_SECTION_ITEM] : body)];
  });
  const nonEmptySections = [bodyOf(null), ...sections].filter((section) => section.length > 0);
  return nonEmptySections.flatMap((section, index) => (index === 0 ? section : ["", ...section]));
}

function hasHeadingsInOrder(lines: readonly string[], required: readonly string[]): boolean {
  const requiredNames = required.map((heading) => parseHeading(heading)?.name);
  const presentNames = findHeadingNames(lines).filter((name) => name !== undefined && requiredNames.includes(name));
  return presentNames.join("\n") === requiredNames.join("\n");
}

const FIRST_TURN_HEADING = "## Original Request";
const EMPTY_SECTION_ITEM = "- (none)";

const headingLevel = (heading: string | undefined): number => (heading && parseHeading(heading)?.level) || 0;

interface HeadingBlock {
  /** The required heading; null for text before the first. */
  readonly heading: string | null;
  readonly body: readonly string[];
}

/** Splits at required headings; other headings stay part of the text. */
function splitByHeadings(lines: readonly string[], required: readonly string[]): readonly HeadingBlock[] {
  const byName = new Map(required.map((heading) => [parseHeading(heading)?.name, heading]));
  const blocks: { readonly heading: string | null; readonly body: string[] }[] = [{ heading: null, body: [] }];
  const names = findHeadingNames(lines);
  for (const [index, line] of lines.entries()) {
    const name = names[index];
    const heading = name === undefined ? undefined : byName.get(name);
    if (heading === undefined) blocks.at(-1)?.body.push(line);
    else blocks.push({ heading, body: [] });
  }
  return blocks;
}

/** The heading name of each line; undefined for other lines and for lines in a code block. */
function findHeadingNames(lines: readonly string[]): readonly (string | undefined)[] {
  const isCode = findCodeLines(lines);
  return lines.map((line, index) => (isCode[index] ? undefined : parseHeading(line)?.name));
}

function hasEnoughHeadings(blocks: readonly HeadingBlock[], required: readonly string[]): boolean {
  const presentHeadings = new Set(blocks.map(({ heading }) => heading));
  const count = required.filter((heading) => presentHeadings.has(heading)).length;
  return count >= MIN_HEADINGS || count * 2 >= required.length;
}

const MIN_HEADINGS = 4;

function removeTurnTitle(lines: readonly string[]): readonly string[] {
  const index = lines.findIndex((line) => line.trim() === TURN_CONTEXT_TITLE);
  if (index < 0) return lines;
  const rule = lines.slice(0, index).findLastIndex((line) => line.trim() !== "");
  return [...lines.slice(0, lines[rule]?.trim() === "---" ? rule : index), ...lines.slice(index + 1)];
}

/** Removes a code fence that is never closed: after a move it would pair with another fence. */
function removeOpenFence(lines: readonly string[]): readonly string[] {
  const isCode = findCodeLines(lines);
  return lines.filter((line, index) => isCode[index] || !isCodeFence(line));
}

function trimBlankLines(body: readonly string[]): readonly string[] {
  const isText = (line: string): boolean => line.trim() !== "";
  const first = body.findIndex(isText);
  return first < 0 ? [] : body.slice(first, body.findLastIndex(isText) + 1);
}

/** Lines with repaired citations, and how many citations were unknown. */
export interface CitationRepairResult {
  readonly lines: readonly string[];
  readonly cited: number;
  readonly unresolved: number;
  /** The references to unknown entries, by line. */
  readonly unknownReferences: ReadonlyMap<number, readonly string[]>;
}

/** Writes every citation in its short form, and removes references to unknown entries and to compactions. */
export function repairCitations(
  lines: readonly string[],
  { resolve, isCompaction }: Pick<Evidence, "resolve" | "isCompaction">,
): CitationRepairResult {
  let cited = 0;
  const unknownReferences = new Map<number, readonly string[]>();
  const repairedLines = lines.map((line, lineIndex) => {
    const text = replaceCitations(line, ({ start, end, references }) => {
      const citedEntries = references.filter((reference) => !isCompaction(reference));
      const knownReferences = citedEntries.flatMap((reference) => resolve(reference) ?? []);
      const unknown = citedEntries.filter((reference) => resolve(reference) === null);
      cited += citedEntries.length;
      if (unknown.length > 0)
        unknownReferences.set(lineIndex, [...(unknownReferences.get(lineIndex) ?? []), ...unknown]);
      const isUnchanged =
        knownReferences.length === references.length &&
        knownReferences.every((each, index) => each === references[index]);
      const isRange = /\d\s*[–—-]\s*(?:entry )?#?\d/.test(line.slice(start, end));
      return isUnchanged && isRange ? line.slice(start, end) : formatCitation([...new Set(knownReferences)]);
    });
    return text === line || isEmptyStatement(text) ? line : text.trimEnd();
  });
  const unresolved = [...unknownReferences.values()].reduce((sum, each) => sum + each.length, 0);
  return { lines: repairedLines, cited, unresolved, unknownReferences };
}

/** Adds a mark at the end of a line; a line has at most one mark. */
export function addMark(line: string, mark: SummaryMark): string {
  return parseMark(line) === null ? `${line.trimEnd()} ${mark}` : line;
}
