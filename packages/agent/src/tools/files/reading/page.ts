/** One page of a text: whole lines from an offset, within the bounds of a tool's output, and where to read on. */

import { cuttable } from "../../../text/whole-letters.ts";
import { countWithin, outputLimit } from "../../bounds.ts";
import { counted, sized } from "../../output.ts";

export interface PageWish {
  readonly path: string;
  /** The first line, counted from 1. */
  readonly offset: number;
  readonly limit?: number;
  /** Bytes that the page may have, with its note. */
  readonly room: number;
}

export type Page =
  | { readonly type: "page"; readonly text: string }
  | { readonly type: "beyond"; readonly message: string };

const LONGEST_LINE = 2_000;

export function pageOf(text: string, { path, offset, limit = outputLimit.lines, room }: PageWish): Page {
  const most = bytesIn(room);
  const { lines, all } = linesFrom(text, { offset, most: Math.min(limit, outputLimit.lines) });
  if (all === 0) return { type: "page", text: `[${path} is empty]` };
  if (offset > all) {
    return { type: "beyond", message: `offset ${offset} is beyond the end: ${path} has ${counted(all, "line")}` };
  }
  const cutLines = lines.map((line) => cut(line, longestIn(most)));
  const shown = cutLines.slice(0, Math.max(1, countWithin(cutLines, most)));
  const note = noteOn({ offset, shown: shown.length, wanted: lines.length, all, most });
  const end = text.endsWith("\n") ? "\n" : "";
  return { type: "page", text: shown.join("\n") + (note === "" ? end : `\n\n${note}`) };
}

/** Bytes for lines where a page has so much room: its note takes some. */
export function bytesIn(room: number): number {
  return Math.max(LEAST_BYTES, Math.min(outputLimit.bytes, room - NOTE_BYTES));
}

const NOTE_BYTES = 200;
const LEAST_BYTES = 500;

/** A letter takes at most three bytes, and one line always fits. */
function longestIn(most: number): number {
  return Math.min(LONGEST_LINE, Math.floor((most - CUT_BYTES) / 3));
}

const CUT_BYTES = 100;

interface Lines {
  readonly lines: readonly string[];
  /** How many the text has. */
  readonly all: number;
}

// Most of a large file is only counted: as a list of lines it would take many times its size.
function linesFrom(text: string, { offset, most }: { readonly offset: number; readonly most: number }): Lines {
  const lines: string[] = [];
  let all = 0;
  for (let start = 0; start < text.length; all++) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    if (all >= offset - 1 && lines.length < most) lines.push(text.slice(start, end).replace(/\r$/, ""));
    start = end + 1;
  }
  return { lines, all };
}

/** The end of a long line is left out: minified code would fill the page, and one line can have megabytes. */
function cut(line: string, longest: number): string {
  if (line.length <= longest) return line;
  const end = cuttable(line, longest);
  return `${line.slice(0, end)} [… ${counted(line.length - end, "more character")} in this line; see them with the shell]`;
}

interface Shown {
  readonly offset: number;
  readonly shown: number;
  /** How many would have been shown, were they shorter. */
  readonly wanted: number;
  readonly all: number;
  readonly most: number;
}

function noteOn({ offset, shown, wanted, all, most }: Shown): string {
  const last = offset - 1 + shown;
  if (last >= all) return "";
  const why = shown < wanted ? `, ${sized(most)} at a time` : "";
  return `[lines ${offset} to ${last} of ${all}${why}; read on with offset ${last + 1}]`;
}
