/** Finds the one place a replacement applies to: an exact match, else one apart from typographic characters or white space. */

import type { Replacement } from "../files.ts";
import type { Splice } from "./text-file.ts";

export interface Alike {
  readonly head: number;
  readonly tail: number;
}

/** Nothing is counted twice: in the shorter one, head and tail do not overlap. */
export function alike(one: ArrayLike<string>, other: ArrayLike<string>): Alike {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { head, tail };
}

export interface Indent {
  /** How many blanks a tab stands for. */
  readonly width: number;
  /** What the file has where the other text has something else. */
  readonly with: "tabs" | "blanks" | "as-is";
}

/** How lines of a file relate to lines that differ only in white space; null where their depths differ. */
export function indentBetween(there: readonly string[], wanted: readonly string[]): Indent | null {
  const width = WIDTHS.find((blanks) => wanted.every((line, at) => isAsDeep(there[at] ?? "", line, blanks)));
  if (width === undefined) return null;
  const changesTo = styleOf(there);
  return { width, with: changesTo === styleOf(wanted) ? "as-is" : changesTo };
}

export function indented(line: string, { width, with: style }: Indent): string {
  if (style === "as-is") return line;
  const lead = leadOf(line);
  const depth = depthOf(lead, width);
  const blanks = style === "tabs" ? depth % width : depth;
  const tabs = style === "tabs" ? (depth - blanks) / width : 0;
  return "\t".repeat(tabs) + " ".repeat(blanks) + line.slice(lead.length);
}

/** The first that fits is taken. */
const WIDTHS: readonly number[] = [4, 2, 8, 3];

function isAsDeep(there: string, wanted: string, width: number): boolean {
  if (wanted.trim() === "") return true;
  return depthOf(leadOf(there), width) === depthOf(leadOf(wanted), width);
}

function styleOf(lines: readonly string[]): Indent["with"] {
  const leads = lines.filter((line) => line.trim() !== "").map(leadOf);
  if (leads.some((lead) => lead.includes("\t"))) return "tabs";
  return leads.some((lead) => lead !== "") ? "blanks" : "as-is";
}

function leadOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

/** The column where a text begins: a tab leads to the next multiple of its width. */
function depthOf(lead: string, width: number): number {
  return [...lead].reduce((depth, sign) => (sign === "\t" ? depth - (depth % width) + width : depth + 1), 0);
}

/** Replaces typographic characters by plain ones, one for one, so that offsets stay valid. */
export function plainSigns(text: string): string {
  return text.replace(FANCY, (sign) => {
    if (SINGLE.includes(sign)) return "'";
    if (DOUBLE.includes(sign)) return '"';
    return DASHES.includes(sign) ? "-" : " ";
  });
}

const SINGLE = "\u2018\u2019\u201a\u201b\u2032";
const DOUBLE = "\u201c\u201d\u201e\u201f\u2033";
const DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212";
const BLANKS = "\u00a0\u2002-\u200a\u202f\u205f\u3000";
const FANCY = new RegExp(`[${SINGLE}${DOUBLE}${DASHES}${BLANKS}]`, "g");

/** Whole lines that match apart from trailing blanks and indentation; their replacement is indented as the file is. */
export function looseLines({ lines, trimmed }: SearchedText, edit: Replacement): readonly Splice[] {
  const wanted = wantedLines(edit);
  if (wanted.old.every((line) => line.trim() === "")) return [];
  if (wanted.old.length * lines.length > MOST_COMPARED) return [];
  const keys = wanted.old.map((line) => plainSigns(line).trim());
  const froms = [...trimmed.keys()].filter((from) => keys.every((key, at) => trimmed[from + at] === key));
  if (froms.length === 0) return [];
  const starts = startsOf(lines);
  return froms.flatMap((from) => {
    const there = lines.slice(from, from + keys.length);
    const indent = indentBetween(there, wanted.old);
    if (indent === null) return [];
    const start = starts[from] ?? 0;
    const end = start + there.join("\n").length + (wanted.takesBreak && from + there.length < lines.length ? 1 : 0);
    return [{ start, end, text: instead(there, wanted, indent).join("\n") }];
  });
}

/** A text that repeats itself is compared at each of its lines to the end of the wanted ones. */
const MOST_COMPARED = 100_000_000;

interface WantedLines {
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** The line end behind the last line goes too. */
  readonly takesBreak: boolean;
}

function wantedLines({ oldText, newText }: Replacement): WantedLines {
  if (!oldText.endsWith("\n")) return { old: oldText.split("\n"), new: newText.split("\n"), takesBreak: false };
  const takesBreak = !newText.endsWith("\n");
  return {
    old: oldText.slice(0, -1).split("\n"),
    new: (takesBreak ? newText : newText.slice(0, -1)).split("\n"),
    takesBreak,
  };
}

function startsOf(lines: readonly string[]): readonly number[] {
  let place = 0;
  return lines.map((line) => {
    const start = place;
    place += line.length + 1;
    return start;
  });
}

/** Lines that the replacement leaves as they were stay as the file has them; the others take its way of indenting. */
function instead(there: readonly string[], wanted: WantedLines, indent: Indent): readonly string[] {
  const { head, tail } = alike(wanted.old, wanted.new);
  return wanted.new.map((line, at) => {
    const fromEnd = wanted.new.length - at;
    if (at < head) return there[at] ?? line;
    if (fromEnd <= tail) return there[there.length - fromEnd] ?? line;
    return indented(line, indent);
  });
}

export type How = "exact" | "typographic signs" | "white space";

export type Found =
  | { readonly type: "found"; readonly splice: Splice; readonly how: How }
  | { readonly type: "several"; readonly places: readonly number[]; readonly how: How }
  | { readonly type: "none" };

/** Tries each way in turn; the first that finds anything decides, so that a loose match never competes with an exact one. */
export function findSpot(there: SearchedText, edit: Replacement): Found {
  for (const [how, way] of there.text.length > LARGEST_LOOSE ? ways.slice(0, 1) : ways) {
    const splices = way(there, edit);
    const [splice] = splices;
    if (splice && splices.length === 1) return { type: "found", splice, how };
    if (splice) return { type: "several", places: splices.map(({ start }) => start), how };
  }
  return { type: "none" };
}

/** In longer texts only what is exactly there is found: looking loosely would hold up everything else for seconds. */
export const LARGEST_LOOSE: number = 2 * 1024 * 1024;

type Way = (there: SearchedText, edit: Replacement) => readonly Splice[];

const ways: readonly (readonly [How, Way])[] = [
  [
    "exact",
    ({ text }, { oldText, newText }) => placesOf(text, oldText).map((start) => spliceAt(start, oldText, newText)),
  ],
  ["typographic signs", apartFromSigns],
  ["white space", looseLines],
];

function apartFromSigns({ text, plain }: SearchedText, { oldText, newText }: Replacement): readonly Splice[] {
  return placesOf(plain, plainSigns(oldText)).map((start) => {
    const there = text.slice(start, start + oldText.length);
    return spliceAt(start, oldText, carriedOver(there, { oldText, newText }));
  });
}

/** What old and new text begin and end with alike keeps the signs that the file has there. */
function carriedOver(there: string, { oldText, newText }: Replacement): string {
  const { head, tail } = alike(oldText, newText);
  return there.slice(0, head) + newText.slice(head, newText.length - tail) + there.slice(there.length - tail);
}

function spliceAt(start: number, oldText: string, text: string): Splice {
  return { start, end: start + oldText.length, text };
}

/** All places, overlapping ones too; no more than anybody wants to know. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && places.length < MOST_PLACES; at = text.indexOf(wanted, at + 1)) {
    places.push(at);
  }
  return places;
}

/** So many places are enough to say that there are too many. */
export const MOST_PLACES = 1_000;

/** A text that is searched several times; its derived forms are computed once. */
export class SearchedText {
  readonly text: string;
  #plain: string | null = null;
  #lines: readonly string[] | null = null;
  #trimmed: readonly string[] | null = null;
  #bare: readonly string[] | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** With plain signs, each at its place. */
  get plain(): string {
    this.#plain ??= plainSigns(this.text);
    return this.#plain;
  }

  get lines(): readonly string[] {
    this.#lines ??= this.text.split("\n");
    return this.#lines;
  }

  /** Lines of plain signs without the blanks at their ends. */
  get trimmed(): readonly string[] {
    this.#trimmed ??= this.plain.split("\n").map((line) => line.trim());
    return this.#trimmed;
  }

  /** Without any blanks. */
  get bare(): readonly string[] {
    this.#bare ??= this.trimmed.map((line) => line.replace(/\s+/g, ""));
    return this.#bare;
  }
}
