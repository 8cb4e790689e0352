/** Finds the place of a replacement: an exact match, or one that ignores typographic characters or whitespace. */

import type { Replacement } from "../file-access.ts";
import { findCommonEnds, type Splice } from "./text-file.ts";

export type MatchKind = "exact" | "typographic characters" | "whitespace";

export type EditMatch =
  | { readonly type: "found"; readonly splice: Splice; readonly matchKind: MatchKind }
  | { readonly type: "several"; readonly offsets: readonly number[]; readonly matchKind: MatchKind }
  | { readonly type: "none" };

/** Tries each matcher in turn. The first that finds anything decides, so a loose match never competes with an exact one. */
export function findMatch(searched: SearchedText, edit: Replacement): EditMatch {
  for (const [matchKind, matcher] of searched.text.length > MAX_LOOSE_CHARS ? matchers.slice(0, 1) : matchers) {
    const splices = matcher(searched, edit);
    const [splice] = splices;
    if (splice && splices.length === 1) return { type: "found", splice, matchKind };
    if (splice) return { type: "several", offsets: splices.map(({ start }) => start), matchKind };
  }
  return { type: "none" };
}

/** Longer texts are only searched for exact matches, because a loose search would block for seconds. */
export const MAX_LOOSE_CHARS: number = 2 * 1024 * 1024;

type Matcher = (searched: SearchedText, edit: Replacement) => readonly Splice[];

const matchers: readonly (readonly [MatchKind, Matcher])[] = [
  [
    "exact",
    ({ text }, { oldText, newText }) => findOffsets(text, oldText).map((start) => spliceAt(start, oldText, newText)),
  ],
  ["typographic characters", matchIgnoringTypography],
  ["whitespace", findLooseLines],
];

function matchIgnoringTypography(
  { text, normalized }: SearchedText,
  { oldText, newText }: Replacement,
): readonly Splice[] {
  return findOffsets(normalized, normalizeCharacters(oldText)).map((start) => {
    const fileText = text.slice(start, start + oldText.length);
    return spliceAt(start, oldText, keepFileCharacters(fileText, { oldText, newText }));
  });
}

/** Keeps the file's characters where old and new text start or end alike. */
function keepFileCharacters(fileText: string, { oldText, newText }: Replacement): string {
  const { head, tail } = findCommonEnds(oldText, newText);
  return fileText.slice(0, head) + newText.slice(head, newText.length - tail) + fileText.slice(fileText.length - tail);
}

function spliceAt(start: number, oldText: string, text: string): Splice {
  return { start, end: start + oldText.length, text };
}

/** All occurrences, including overlapping ones, up to `MAX_MATCHES`. */
function findOffsets(text: string, wanted: string): readonly number[] {
  const offsets: number[] = [];
  for (
    let offset = text.indexOf(wanted);
    offset >= 0 && offsets.length < MAX_MATCHES;
    offset = text.indexOf(wanted, offset + 1)
  ) {
    offsets.push(offset);
  }
  return offsets;
}

export const MAX_MATCHES = 1_000;

/** Finds whole lines that match apart from trailing spaces and indentation. The replacement is indented like the file. */
function findLooseLines({ lines, trimmedLines }: SearchedText, edit: Replacement): readonly Splice[] {
  const wanted = splitEditLines(edit);
  if (wanted.oldLines.every((line) => line.trim() === "")) return [];
  if (wanted.oldLines.length * lines.length > MAX_COMPARISONS) return [];
  const keys = wanted.oldLines.map((line) => normalizeCharacters(line).trim());
  const firstLines = [...trimmedLines.keys()].filter((firstLine) =>
    keys.every((key, index) => trimmedLines[firstLine + index] === key),
  );
  if (firstLines.length === 0) return [];
  const starts = lineStarts(lines);
  return firstLines.flatMap((firstLine) => {
    const fileLines = lines.slice(firstLine, firstLine + keys.length);
    const indent = compareIndent(fileLines, wanted.oldLines);
    if (indent === null) return [];
    const start = starts[firstLine] ?? 0;
    const end =
      start +
      fileLines.join("\n").length +
      (wanted.includesLineEnd && firstLine + fileLines.length < lines.length ? 1 : 0);
    return [{ start, end, text: replacementLines(fileLines, wanted, indent).join("\n") }];
  });
}

/** Limits the time for repetitive texts, where every line starts a long comparison. */
const MAX_COMPARISONS = 100_000_000;

interface EditLines {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** The line end after the last line is replaced too. */
  readonly includesLineEnd: boolean;
}

function splitEditLines({ oldText, newText }: Replacement): EditLines {
  if (!oldText.endsWith("\n"))
    return { oldLines: oldText.split("\n"), newLines: newText.split("\n"), includesLineEnd: false };
  const includesLineEnd = !newText.endsWith("\n");
  return {
    oldLines: oldText.slice(0, -1).split("\n"),
    newLines: (includesLineEnd ? newText : newText.slice(0, -1)).split("\n"),
    includesLineEnd,
  };
}

function lineStarts(lines: readonly string[]): readonly number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}

/** Unchanged lines are taken from the file; changed lines are indented like the file. */
function replacementLines(fileLines: readonly string[], wanted: EditLines, indent: Indent): readonly string[] {
  const { head, tail } = findCommonEnds(wanted.oldLines, wanted.newLines);
  return wanted.newLines.map((line, index) => {
    const fromEnd = wanted.newLines.length - index;
    if (index < head) return fileLines[index] ?? line;
    if (fromEnd <= tail) return fileLines[fileLines.length - fromEnd] ?? line;
    return reindent(line, indent);
  });
}

export interface Indent {
  /** How many spaces a tab counts as. */
  readonly width: number;
  /** The file's style if the other text has a different one. */
  readonly style: "tabs" | "spaces" | "as-is";
}

/** Compares the indentation of lines that differ only in whitespace; null if their depths differ. */
function compareIndent(fileLines: readonly string[], wanted: readonly string[]): Indent | null {
  const width = TAB_WIDTHS.find((candidate) =>
    wanted.every((line, index) => hasSameDepth(fileLines[index] ?? "", line, candidate)),
  );
  if (width === undefined) return null;
  const fileStyle = indentStyle(fileLines);
  return { width, style: fileStyle === indentStyle(wanted) ? "as-is" : fileStyle };
}

function reindent(line: string, { width, style }: Indent): string {
  if (style === "as-is") return line;
  const whitespace = getLeadingWhitespace(line);
  const depth = indentDepth(whitespace, width);
  const spaces = style === "tabs" ? depth % width : depth;
  const tabs = style === "tabs" ? (depth - spaces) / width : 0;
  return "\t".repeat(tabs) + " ".repeat(spaces) + line.slice(whitespace.length);
}

/** The first width that matches is used. */
const TAB_WIDTHS: readonly number[] = [4, 2, 8, 3];

function hasSameDepth(fileLine: string, wantedLine: string, width: number): boolean {
  if (wantedLine.trim() === "") return true;
  return indentDepth(getLeadingWhitespace(fileLine), width) === indentDepth(getLeadingWhitespace(wantedLine), width);
}

function indentStyle(lines: readonly string[]): Indent["style"] {
  const indents = lines.filter((line) => line.trim() !== "").map(getLeadingWhitespace);
  if (indents.some((indent) => indent.includes("\t"))) return "tabs";
  return indents.some((indent) => indent !== "") ? "spaces" : "as-is";
}

function getLeadingWhitespace(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The column where the text starts. A tab moves to the next multiple of its width. */
function indentDepth(whitespace: string, width: number): number {
  return [...whitespace].reduce(
    (depth, character) => (character === "\t" ? depth - (depth % width) + width : depth + 1),
    0,
  );
}

/** Replaces typographic characters by plain ones, one for one, so that offsets stay valid. */
export function normalizeCharacters(text: string): string {
  return text.replace(TYPOGRAPHIC, (character) => {
    if (SINGLE_QUOTES.includes(character)) return "'";
    if (DOUBLE_QUOTES.includes(character)) return '"';
    return DASHES.includes(character) ? "-" : " ";
  });
}

const SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032";
const DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033";
const DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212";
const SPACES = "\u00a0\u2002-\u200a\u202f\u205f\u3000";
const TYPOGRAPHIC = new RegExp(`[${SINGLE_QUOTES}${DOUBLE_QUOTES}${DASHES}${SPACES}]`, "g");

/** A text that is searched several times; its derived forms are computed once. */
export class SearchedText {
  readonly text: string;
  #normalized: string | null = null;
  #lines: readonly string[] | null = null;
  #trimmedLines: readonly string[] | null = null;
  #compactLines: readonly string[] | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** With typographic characters replaced; offsets are unchanged. */
  get normalized(): string {
    this.#normalized ??= normalizeCharacters(this.text);
    return this.#normalized;
  }

  get lines(): readonly string[] {
    this.#lines ??= this.text.split("\n");
    return this.#lines;
  }

  /** Normalized lines without leading and trailing whitespace. */
  get trimmedLines(): readonly string[] {
    this.#trimmedLines ??= this.normalized.split("\n").map((line) => line.trim());
    return this.#trimmedLines;
  }

  /** Normalized lines without any whitespace. */
  get compactLines(): readonly string[] {
    this.#compactLines ??= this.trimmedLines.map((line) => line.replace(/\s+/g, ""));
    return this.#compactLines;
  }
}
