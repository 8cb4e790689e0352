/** Builds one page of a text or a very long file, or an image, within the output limit, with a note on where to read on. */

import type { ReadBlobResult } from "../../ports.ts";
import { safeCutIndex } from "../../text.ts";
import type { ToolOutput } from "../../tool.ts";
import { countLinesWithin, formatBytes, formatCount, outputLimit, textOutput } from "../output.ts";

export interface PageOptions {
  readonly path: string;
  /** The first line, counted from 1. */
  readonly offset: number;
  readonly limit?: number;
  /** Bytes that the page may have, with its note. */
  readonly maxBytes: number;
}

export type Page =
  | { readonly type: "page"; readonly text: string }
  | { readonly type: "beyond"; readonly message: string };

const MAX_LINE_CHARS = 2_000;

export function buildPage(text: string, { path, offset, limit = outputLimit.lines, maxBytes }: PageOptions): Page {
  const lineBytes = contentBytes(maxBytes);
  const { lines, total } = selectLines(text, { offset, maxLines: Math.min(limit, outputLimit.lines) });
  if (total === 0) return { type: "page", text: `[${path} is empty]` };
  if (offset > total) {
    return { type: "beyond", message: `offset ${offset} is beyond the end: ${path} has ${formatCount(total, "line")}` };
  }
  const cutLines = lines.map((line) => truncateLine(line, maxLineChars(lineBytes)));
  const shown = cutLines.slice(0, Math.max(1, countLinesWithin(cutLines, lineBytes)));
  const note = formatPageNote({ offset, shown: shown.length, selected: lines.length, total, lineBytes });
  const end = text.endsWith("\n") ? "\n" : "";
  return { type: "page", text: shown.join("\n") + (note === "" ? end : `\n\n${note}`) };
}

/** Bytes for lines where a page has so much room: its note takes some. */
export function contentBytes(maxBytes: number): number {
  return Math.max(MIN_BYTES, Math.min(outputLimit.bytes, maxBytes - NOTE_BYTES));
}

const NOTE_BYTES = 200;
const MIN_BYTES = 500;

/** A letter takes at most three bytes, and one line always fits. */
function maxLineChars(lineBytes: number): number {
  return Math.min(MAX_LINE_CHARS, Math.floor((lineBytes - CUT_NOTE_BYTES) / 3));
}

const CUT_NOTE_BYTES = 100;

interface LineSelection {
  readonly lines: readonly string[];
  /** How many the text has. */
  readonly total: number;
}

// Most of a large file is only counted: as a list of lines it would take many times its size.
function selectLines(
  text: string,
  { offset, maxLines }: { readonly offset: number; readonly maxLines: number },
): LineSelection {
  const lines: string[] = [];
  let total = 0;
  for (let start = 0; start < text.length; total++) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next;
    if (total >= offset - 1 && lines.length < maxLines) lines.push(text.slice(start, end).replace(/\r$/, ""));
    start = end + 1;
  }
  return { lines, total };
}

/** The end of a long line is left out: minified code would fill the page, and one line can have megabytes. */
function truncateLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const end = safeCutIndex(line, maxChars);
  return `${line.slice(0, end)} [… ${formatCount(line.length - end, "more character")} in this line; see them with the shell]`;
}

interface PageExtent {
  readonly offset: number;
  readonly shown: number;
  /** How many would have been shown, were they shorter. */
  readonly selected: number;
  readonly total: number;
  readonly lineBytes: number;
}

function formatPageNote({ offset, shown, selected, total, lineBytes }: PageExtent): string {
  const last = offset - 1 + shown;
  if (last >= total) return "";
  const limitNote = shown < selected ? `, ${formatBytes(lineBytes)} at a time` : "";
  return `[lines ${offset} to ${last} of ${total}${limitNote}; read on with offset ${last + 1}]`;
}

export function imageOutput(bytes: Uint8Array, name: string, mimeType: string): ToolOutput {
  if (bytes.length > MAX_IMAGE_BYTES) return tooLargeImageOutput(bytes.length, name, mimeType);
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    content: [
      { type: "text", text: `[${name}: ${mimeType}, ${formatBytes(bytes.length)}]` },
      { type: "image", data, mimeType },
    ],
  };
}

export function tooLargeImageOutput(size: number, name: string, mimeType: string): ToolOutput {
  const bound = `more than ${formatBytes(MAX_IMAGE_BYTES)} cannot be shown`;
  return textOutput(`[${name} is a picture (${mimeType}) of ${formatBytes(size)}; ${bound}]`);
}

// Providers refuse a picture over 5 MB, counted in base64.
export const MAX_IMAGE_BYTES: number = 3.75 * 1024 * 1024;

export interface ByteLine {
  readonly start: number;
  /** Behind its last byte, without the line end. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
}

/** A line without end is split, so that every part of it can be reached by an offset. A longer line counts as several. */
export const MAX_PART_BYTES = 1_000;

/** The piece starts where a line does; one that goes on behind it is given only where the piece is the last. */
export function* byteLines(chunk: Uint8Array, { isLast }: { readonly isLast: boolean }): Generator<ByteLine> {
  let lineFeed = -1;
  for (let start = 0; start < chunk.length; ) {
    if (lineFeed < start) lineFeed = findLineFeed(chunk, start);
    const line = lineAt(chunk, start, lineFeed);
    if (line.end === chunk.length && !isLast) return;
    yield line;
    start = line.next;
  }
}

function findLineFeed(chunk: Uint8Array, start: number): number {
  const lineFeed = chunk.indexOf(LINE_FEED, start);
  return lineFeed < 0 ? chunk.length : lineFeed;
}

const LINE_FEED = 10;

function lineAt(chunk: Uint8Array, start: number, lineFeed: number): ByteLine {
  if (lineFeed - start <= MAX_PART_BYTES) return { start, end: lineFeed, next: Math.min(lineFeed + 1, chunk.length) };
  const end = characterStart(chunk, start + MAX_PART_BYTES);
  return { start, end, next: end };
}

/** Not inside a letter, which has at most four bytes. */
function characterStart(chunk: Uint8Array, offset: number): number {
  for (let back = 0; back < 4; back++)
    if (((chunk[offset - back] ?? 0) & 0b1100_0000) !== 0b1000_0000) return offset - back;
  return offset;
}

/** In bytes. */
export type ReadRange = (range: { readonly start: number; readonly end: number }) => Promise<ReadBlobResult>;

export interface LongPageOptions extends PageOptions {
  readonly signal: AbortSignal;
}

/** Reads in pieces and no further than the page needs, so that memory does not grow with the file. */
export async function readLongPage(
  read: ReadRange,
  options: LongPageOptions,
): Promise<Page | { readonly type: "unread"; readonly message: string }> {
  const page: PageDraft = { lines: [], bytes: 0, linesSeen: 0, hasSplitLine: false, end: "" };
  for (let offset = 0; ; ) {
    options.signal.throwIfAborted();
    const chunk = await read({ start: offset, end: offset + CHUNK_BYTES });
    if (chunk.type !== "read") return { type: "unread", message: `${options.path} cannot be opened: ${chunk.why}` };
    const isLast = chunk.bytes.length < CHUNK_BYTES;
    const { bytesRead, isFull } = addLines(page, { chunk: chunk.bytes, isLast, options });
    offset += bytesRead;
    if (isFull) return { type: "page", text: withNotes(page, [readOnNote(page, options, chunk.size - offset)]) };
    if (isLast) return finishPage(page, options);
  }
}

const CHUNK_BYTES = 128 * 1024;
const decoder = new TextDecoder();

interface PageDraft {
  readonly lines: string[];
  bytes: number;
  /** Lines that were looked at, shown or not. */
  linesSeen: number;
  /** Whether a line of it is only a part of one. */
  hasSplitLine: boolean;
  end: "" | "\n";
}

interface AddLinesResult {
  /** Bytes of the piece that are dealt with. */
  readonly bytesRead: number;
  readonly isFull: boolean;
}

interface PageChunk {
  readonly chunk: Uint8Array;
  readonly isLast: boolean;
  readonly options: PageOptions;
}

function addLines(page: PageDraft, { chunk, isLast, options }: PageChunk): AddLinesResult {
  const { offset, limit = outputLimit.lines, maxBytes } = options;
  const [maxLines, maxContentBytes] = [Math.min(limit, outputLimit.lines), contentBytes(maxBytes)];
  let bytesRead = 0;
  for (const { start, end, next } of byteLines(chunk, { isLast })) {
    if (page.linesSeen >= offset - 1) {
      const line = decoder.decode(chunk.subarray(start, end)).replace(/\r$/, "");
      page.bytes += Buffer.byteLength(line) + 1;
      const isFull = page.lines.length === maxLines || (page.bytes > maxContentBytes && page.lines.length > 0);
      if (isFull) return { bytesRead, isFull };
      page.lines.push(line);
      page.hasSplitLine ||= next === end && end < chunk.length;
      page.end = next > end ? "\n" : "";
    }
    page.linesSeen++;
    bytesRead = next;
  }
  return { bytesRead, isFull: false };
}

function finishPage(page: PageDraft, { path, offset }: PageOptions): Page {
  if (page.linesSeen === 0) return { type: "page", text: `[${path} is empty]` };
  if (page.lines.length > 0) return { type: "page", text: withNotes(page, []) };
  return {
    type: "beyond",
    message: `offset ${offset} is beyond the end: ${path} has ${formatCount(page.linesSeen, "line")}`,
  };
}

function readOnNote({ lines }: PageDraft, { offset }: PageOptions, remainingBytes: number): string {
  const last = offset - 1 + lines.length;
  return `lines ${offset} to ${last}; ${formatBytes(remainingBytes)} follow; read on with offset ${last + 1}`;
}

function withNotes({ lines, end, hasSplitLine }: PageDraft, notes: readonly string[]): string {
  const all = hasSplitLine ? [`a line over ${formatCount(MAX_PART_BYTES, "byte")} counts as several`, ...notes] : notes;
  return lines.join("\n") + (all.length === 0 ? end : `\n\n[${all.join("; ")}]`);
}
