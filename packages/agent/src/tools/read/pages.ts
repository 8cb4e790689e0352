/** Builds one page of a text or a very long file, or an image, within the output limit, with a note on where to read on. */

import type { BlobRead } from "../../ports.ts";
import { cuttable } from "../../text.ts";
import type { ToolOutput } from "../../tool.ts";
import { counted, countWithin, outputLimit, said, sized } from "../output.ts";

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

export function picture(bytes: Uint8Array, name: string, mimeType: string): ToolOutput {
  if (bytes.length > LARGEST_PICTURE) return tooLargePicture(bytes.length, name, mimeType);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    content: [
      { type: "text", text: `[${name}: ${mimeType}, ${sized(bytes.length)}]` },
      { type: "image", data, mimeType },
    ],
  };
}

export function tooLargePicture(size: number, name: string, mimeType: string): ToolOutput {
  const bound = `more than ${sized(LARGEST_PICTURE)} cannot be shown`;
  return said(`[${name} is a picture (${mimeType}) of ${sized(size)}; ${bound}]`);
}

// Providers refuse a picture over 5 MB, counted in base64.
export const LARGEST_PICTURE: number = 3.75 * 1024 * 1024;

export interface ByteLine {
  readonly start: number;
  /** Behind its last byte, without the line end. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
}

/** A line without end is split, so that every part of it can be reached by an offset. A longer line counts as several. */
export const LONGEST_PART = 1_000;

/** The piece starts where a line does; one that goes on behind it is given only where the piece is the last. */
export function* byteLines(piece: Uint8Array, { isLast }: { readonly isLast: boolean }): Generator<ByteLine> {
  let feed = -1;
  for (let start = 0; start < piece.length; ) {
    if (feed < start) feed = feedFrom(piece, start);
    const line = lineAt(piece, start, feed);
    if (line.end === piece.length && !isLast) return;
    yield line;
    start = line.next;
  }
}

function feedFrom(piece: Uint8Array, start: number): number {
  const feed = piece.indexOf(LINE_FEED, start);
  return feed < 0 ? piece.length : feed;
}

const LINE_FEED = 10;

function lineAt(piece: Uint8Array, start: number, feed: number): ByteLine {
  if (feed - start <= LONGEST_PART) return { start, end: feed, next: Math.min(feed + 1, piece.length) };
  const end = letterBefore(piece, start + LONGEST_PART);
  return { start, end, next: end };
}

/** Not inside a letter, which has at most four bytes. */
function letterBefore(piece: Uint8Array, at: number): number {
  for (let back = 0; back < 4; back++) if (((piece[at - back] ?? 0) & 0b1100_0000) !== 0b1000_0000) return at - back;
  return at;
}

/** In bytes. */
export type ReadRange = (range: { readonly start: number; readonly end: number }) => Promise<BlobRead>;

export interface LongWish extends PageWish {
  readonly signal: AbortSignal;
}

/** Reads in pieces and no further than the page needs, so that memory does not grow with the file. */
export async function longPage(
  read: ReadRange,
  wish: LongWish,
): Promise<Page | { readonly type: "unread"; readonly message: string }> {
  const page: PageInMaking = { lines: [], bytes: 0, passed: 0, isParted: false, end: "" };
  for (let at = 0; ; ) {
    wish.signal.throwIfAborted();
    const piece = await read({ start: at, end: at + PIECE });
    if (piece.type !== "read") return { type: "unread", message: `${wish.path} cannot be opened: ${piece.why}` };
    const isLast = piece.bytes.length < PIECE;
    const { done, isFull } = addLines(page, { piece: piece.bytes, isLast, wish });
    at += done;
    if (isFull) return { type: "page", text: withNotes(page, [readOn(page, wish, piece.size - at)]) };
    if (isLast) return lastPage(page, wish);
  }
}

const PIECE = 128 * 1024;
const decoder = new TextDecoder();

interface PageInMaking {
  readonly lines: string[];
  bytes: number;
  /** Lines that were looked at, shown or not. */
  passed: number;
  /** Whether a line of it is only a part of one. */
  isParted: boolean;
  end: "" | "\n";
}

interface Looked {
  /** Bytes of the piece that are dealt with. */
  readonly done: number;
  readonly isFull: boolean;
}

interface Piece {
  readonly piece: Uint8Array;
  readonly isLast: boolean;
  readonly wish: PageWish;
}

function addLines(page: PageInMaking, { piece, isLast, wish }: Piece): Looked {
  const { offset, limit = outputLimit.lines, room } = wish;
  const [mostLines, mostBytes] = [Math.min(limit, outputLimit.lines), bytesIn(room)];
  let done = 0;
  for (const { start, end, next } of byteLines(piece, { isLast })) {
    if (page.passed >= offset - 1) {
      const line = decoder.decode(piece.subarray(start, end)).replace(/\r$/, "");
      page.bytes += Buffer.byteLength(line) + 1;
      const isFull = page.lines.length === mostLines || (page.bytes > mostBytes && page.lines.length > 0);
      if (isFull) return { done, isFull };
      page.lines.push(line);
      page.isParted ||= next === end && end < piece.length;
      page.end = next > end ? "\n" : "";
    }
    page.passed++;
    done = next;
  }
  return { done, isFull: false };
}

function lastPage(page: PageInMaking, { path, offset }: PageWish): Page {
  if (page.passed === 0) return { type: "page", text: `[${path} is empty]` };
  if (page.lines.length > 0) return { type: "page", text: withNotes(page, []) };
  return { type: "beyond", message: `offset ${offset} is beyond the end: ${path} has ${counted(page.passed, "line")}` };
}

function readOn({ lines }: PageInMaking, { offset }: PageWish, left: number): string {
  const last = offset - 1 + lines.length;
  return `lines ${offset} to ${last}; ${sized(left)} follow; read on with offset ${last + 1}`;
}

function withNotes({ lines, end, isParted }: PageInMaking, notes: readonly string[]): string {
  const all = isParted ? [`a line over ${counted(LONGEST_PART, "byte")} counts as several`, ...notes] : notes;
  return lines.join("\n") + (all.length === 0 ? end : `\n\n[${all.join("; ")}]`);
}
