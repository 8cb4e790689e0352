/** Finds the one place a replacement applies to: an exact match, else one apart from typographic characters or white space. */

import type { Replacement } from "../files.ts";
import type { Splice } from "./text-file.ts";

export interface CommonEnds {
  readonly head: number;
  readonly tail: number;
}

/** Nothing is counted twice: in the shorter one, head and tail do not overlap. */
export function findCommonEnds(one: ArrayLike<string>, other: ArrayLike<string>): CommonEnds {
  const shorterLength = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorterLength && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorterLength - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { head, tail };
}

export interface Indent {
  /** How many blanks a tab stands for. */
  readonly width: number;
  /** What the file has where the other text has something else. */
  readonly style: "tabs" | "blanks" | "as-is";
}

/** How lines of a file relate to lines that differ only in white space; null where their depths differ. */
export function compareIndent(fileLines: readonly string[], wanted: readonly string[]): Indent | null {
  const width = TAB_WIDTHS.find((blanks) =>
    wanted.every((line, index) => hasSameDepth(fileLines[index] ?? "", line, blanks)),
  );
  if (width === undefined) return null;
  const fileStyle = indentStyle(fileLines);
  return { width, style: fileStyle === indentStyle(wanted) ? "as-is" : fileStyle };
}

export function reindent(line: string, { width, style }: Indent): string {
  if (style === "as-is") return line;
  const whitespace = leadingWhitespace(line);
  const depth = indentDepth(whitespace, width);
  const blanks = style === "tabs" ? depth % width : depth;
  const tabs = style === "tabs" ? (depth - blanks) / width : 0;
  return "\t".repeat(tabs) + " ".repeat(blanks) + line.slice(whitespace.length);
}

/** The first that fits is taken. */
const TAB_WIDTHS: readonly number[] = [4, 2, 8, 3];

function hasSameDepth(fileLine: string, wantedLine: string, width: number): boolean {
  if (wantedLine.trim() === "") return true;
  return indentDepth(leadingWhitespace(fileLine), width) === indentDepth(leadingWhitespace(wantedLine), width);
}

function indentStyle(lines: readonly string[]): Indent["style"] {
  const indents = lines.filter((line) => line.trim() !== "").map(leadingWhitespace);
  if (indents.some((indent) => indent.includes("\t"))) return "tabs";
  return indents.some((indent) => indent !== "") ? "blanks" : "as-is";
}

function leadingWhitespace(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The column where a text begins: a tab leads to the next multiple of its width. */
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

/** Whole lines that match apart from trailing blanks and indentation; their replacement is indented as the file is. */
export function findLooseLines({ lines, trimmedLines }: SearchedText, edit: Replacement): readonly Splice[] {
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

/** A text that repeats itself is compared at each of its lines to the end of the wanted ones. */
const MAX_COMPARISONS = 100_000_000;

interface EditLines {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** The line end behind the last line goes too. */
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

/** Lines that the replacement leaves as they were stay as the file has them; the others take its way of indenting. */
function replacementLines(fileLines: readonly string[], wanted: EditLines, indent: Indent): readonly string[] {
  const { head, tail } = findCommonEnds(wanted.oldLines, wanted.newLines);
  return wanted.newLines.map((line, index) => {
    const fromEnd = wanted.newLines.length - index;
    if (index < head) return fileLines[index] ?? line;
    if (fromEnd <= tail) return fileLines[fileLines.length - fromEnd] ?? line;
    return reindent(line, indent);
  });
}

export type MatchKind = "exact" | "typographic signs" | "white space";

export type EditMatch =
  | { readonly type: "found"; readonly splice: Splice; readonly matchKind: MatchKind }
  | { readonly type: "several"; readonly offsets: readonly number[]; readonly matchKind: MatchKind }
  | { readonly type: "none" };

/** Tries each way in turn; the first that finds anything decides, so that a loose match never competes with an exact one. */
export function findMatch(searched: SearchedText, edit: Replacement): EditMatch {
  for (const [matchKind, matcher] of searched.text.length > MAX_LOOSE_CHARS ? matchers.slice(0, 1) : matchers) {
    const splices = matcher(searched, edit);
    const [splice] = splices;
    if (splice && splices.length === 1) return { type: "found", splice, matchKind };
    if (splice) return { type: "several", offsets: splices.map(({ start }) => start), matchKind };
  }
  return { type: "none" };
}

/** In longer texts only what is exactly there is found: looking loosely would hold up everything else for seconds. */
export const MAX_LOOSE_CHARS: number = 2 * 1024 * 1024;

type Matcher = (there: SearchedText, edit: Replacement) => readonly Splice[];

const matchers: readonly (readonly [MatchKind, Matcher])[] = [
  [
    "exact",
    ({ text }, { oldText, newText }) => findOffsets(text, oldText).map((start) => spliceAt(start, oldText, newText)),
  ],
  ["typographic signs", matchIgnoringTypography],
  ["white space", findLooseLines],
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

/** What old and new text begin and end with alike keeps the signs that the file has there. */
function keepFileCharacters(fileText: string, { oldText, newText }: Replacement): string {
  const { head, tail } = findCommonEnds(oldText, newText);
  return fileText.slice(0, head) + newText.slice(head, newText.length - tail) + fileText.slice(fileText.length - tail);
}

function spliceAt(start: number, oldText: string, text: string): Splice {
  return { start, end: start + oldText.length, text };
}

/** All places, overlapping ones too; no more than anybody wants to know. */
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

/** So many places are enough to say that there are too many. */
export const MAX_MATCHES = 1_000;

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

  /** With plain signs, each at its place. */
  get normalized(): string {
    this.#normalized ??= normalizeCharacters(this.text);
    return this.#normalized;
  }

  get lines(): readonly string[] {
    this.#lines ??= this.text.split("\n");
    return this.#lines;
  }

  /** Lines of plain signs without the blanks at their ends. */
  get trimmedLines(): readonly string[] {
    this.#trimmedLines ??= this.normalized.split("\n").map((line) => line.trim());
    return this.#trimmedLines;
  }

  /** Without any blanks. */
  get compactLines(): readonly string[] {
    this.#compactLines ??= this.trimmedLines.map((line) => line.replace(/\s+/g, ""));
    return this.#compactLines;
  }
}
