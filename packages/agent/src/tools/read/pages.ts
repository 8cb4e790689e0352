/** Builds one page of a text within the output limit, with a note on how to read on, or the result for an image. */

import type { ImageBlock } from "@pith/context";
import type { ReadBlobResult, ShrinkImage } from "../../ports.ts";
import { safeCutIndex } from "../../text.ts";
import type { ToolOutput } from "../../tool.ts";
import { countLinesWithin, formatBytes, formatCount, outputLimit, textOutput } from "../tool-io.ts";

export interface PageOptions {
  readonly path: string;
  /** The first line, starting at 1. */
  readonly offset: number;
  readonly limit?: number;
  /** The limit for the page including its note. */
  readonly maxBytes: number;
}

export type Page =
  | { readonly type: "page"; readonly text: string }
  | { readonly type: "past-end"; readonly message: string };

const MAX_LINE_CHARS = 2_000;

export function buildPage(text: string, { path, offset, limit = outputLimit.lines, maxBytes }: PageOptions): Page {
  const lineBytes = contentBytes(maxBytes);
  const { lines, total } = selectLines(text, { offset, maxLines: Math.min(limit, outputLimit.lines) });
  if (total === 0) return { type: "page", text: `[${path} is empty]` };
  if (offset > total) {
    return { type: "past-end", message: `offset ${offset} is past the end: ${path} has ${formatCount(total, "line")}` };
  }
  const cutLines = lines.map((line) => truncateLine(line, maxLineChars(lineBytes)));
  const shown = cutLines.slice(0, Math.max(1, countLinesWithin(cutLines, lineBytes)));
  const note = formatPageNote({ offset, shown: shown.length, selected: lines.length, total, lineBytes });
  const end = text.endsWith("\n") ? "\n" : "";
  return { type: "page", text: shown.join("\n") + (note === "" ? end : `\n\n${note}`) };
}

/** The bytes of a page that are available for lines. */
function contentBytes(maxBytes: number): number {
  return Math.max(MIN_BYTES, Math.min(outputLimit.bytes, maxBytes - NOTE_BYTES));
}

const NOTE_BYTES = 200;
const MIN_BYTES = 500;

/** A UTF-16 unit takes at most three bytes in UTF-8, so one line always fits. */
function maxLineChars(lineBytes: number): number {
  return Math.min(MAX_LINE_CHARS, Math.floor((lineBytes - CUT_NOTE_BYTES) / 3));
}

const CUT_NOTE_BYTES = 100;

interface LineSelection {
  readonly lines: readonly string[];
  /** The number of lines in the text. */
  readonly total: number;
}

// Lines outside the page are only counted, because a list of all lines would take much more memory.
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

/** Cuts a long line, because a line of minified code can have megabytes. */
function truncateLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const end = safeCutIndex(line, maxChars);
  return `${line.slice(0, end)} [… ${formatCount(line.length - end, "more character")} in this line; use the shell to see them]`;
}

interface PageExtent {
  readonly offset: number;
  readonly shown: number;
  /** How many lines were selected before the byte limit. */
  readonly selected: number;
  readonly total: number;
  readonly lineBytes: number;
}

function formatPageNote({ offset, shown, selected, total, lineBytes }: PageExtent): string {
  const last = offset - 1 + shown;
  if (last >= total) return "";
  const limitNote = shown < selected ? `, ${formatBytes(lineBytes)} at a time` : "";
  return `[lines ${offset} to ${last} of ${total}${limitNote}; continue with offset ${last + 1}]`;
}

export interface ImageOutputOptions {
  readonly name: string;
  readonly mimeType: string;
  /** Without it, a large image is not shown. */
  readonly shrinkImage?: ShrinkImage | undefined;
  readonly signal?: AbortSignal;
}

/** A large image is shrunk, and the result says so. */
export async function imageOutput(bytes: Uint8Array, options: ImageOutputOptions): Promise<ToolOutput> {
  const { name, mimeType } = options;
  const fitted = await fitImage(bytes, options);
  if (fitted.type === "failed") return tooLargeImageOutput(bytes.length, options, fitted.why);
  return {
    content: [
      { type: "text", text: `[${name}: ${mimeType}, ${formatBytes(bytes.length)}${fitted.note}]` },
      fitted.image,
    ],
  };
}

export type FitImageResult =
  /** `note` says how a large image was shrunk; else it is empty. */
  | { readonly type: "fitted"; readonly image: ImageBlock; readonly note: string }
  | { readonly type: "failed"; readonly why: string };

/** The image itself if it is small enough, else a smaller one. */
export async function fitImage(
  bytes: Uint8Array,
  { mimeType, shrinkImage, signal }: Omit<ImageOutputOptions, "name">,
): Promise<FitImageResult> {
  if (bytes.length <= MAX_IMAGE_BYTES) return { type: "fitted", image: toImageBlock(bytes, mimeType), note: "" };
  const limit = `the limit is ${formatBytes(MAX_IMAGE_BYTES)}`;
  if (!shrinkImage) return { type: "failed", why: limit };
  const result = await shrinkImage(bytes, { maxBytes: MAX_IMAGE_BYTES, signal });
  if (result.type === "failed") return { type: "failed", why: `${limit}, and it could not be shrunk: ${result.why}` };
  const sizes = `from ${result.originalWidth}×${result.originalHeight} to ${result.width}×${result.height} pixels`;
  const note = `; shrunk ${sizes}, ${result.mimeType}, ${formatBytes(result.bytes.length)}`;
  return { type: "fitted", image: toImageBlock(result.bytes, result.mimeType), note };
}

function toImageBlock(bytes: Uint8Array, mimeType: string): ImageBlock {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", data, mimeType };
}

export function tooLargeImageOutput(size: number, { name, mimeType }: ImageOutputOptions, why: string): ToolOutput {
  return textOutput(`[${name} is an image (${mimeType}) of ${formatBytes(size)} and is not shown; ${why}]`);
}

/** A larger image is not read, to limit memory. */
export const MAX_IMAGE_SOURCE_BYTES: number = 32 * 1024 * 1024;

// Providers refuse an image over 5 MB in base64.
export const MAX_IMAGE_BYTES: number = 3.75 * 1024 * 1024;

export interface ByteLine {
  readonly start: number;
  /** After its last byte, without the line end. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
}

/** A longer line is split and counts as several, so that every part of it can be reached by an offset. */
export const MAX_PART_BYTES = 1_000;

/** The lines of a chunk that starts at a line start. An unfinished last line is only included in the last chunk. */
function* byteLines(chunk: Uint8Array, { isLast }: { readonly isLast: boolean }): Generator<ByteLine> {
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

/** Moves the offset back to the start of a character, which has at most four bytes. */
function characterStart(chunk: Uint8Array, offset: number): number {
  for (let back = 0; back < 4; back++)
    if (((chunk[offset - back] ?? 0) & 0b1100_0000) !== 0b1000_0000) return offset - back;
  return offset;
}

/** Reads a range of bytes. */
export type ReadRange = (range: { readonly start: number; readonly end: number }) => Promise<ReadBlobResult>;

/** Reads chunks only up to the end of the page, so that memory does not grow with the file. */
export async function readLongPage(
  read: ReadRange,
  options: PageOptions & { readonly signal: AbortSignal },
): Promise<Page | { readonly type: "failed"; readonly message: string }> {
  const page: PageDraft = { lines: [], bytes: 0, linesSeen: 0, hasSplitLine: false, end: "" };
  for (let offset = 0; ; ) {
    options.signal.throwIfAborted();
    const chunk = await read({ start: offset, end: offset + CHUNK_BYTES });
    if (chunk.type !== "read") return { type: "failed", message: `${options.path} cannot be opened: ${chunk.why}` };
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
  /** Lines read so far, shown or not. */
  linesSeen: number;
  /** Whether the page contains part of a split line. */
  hasSplitLine: boolean;
  end: "" | "\n";
}

interface AddLinesResult {
  /** Processed bytes of the chunk. */
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
    type: "past-end",
    message: `offset ${offset} is past the end: ${path} has ${formatCount(page.linesSeen, "line")}`,
  };
}

function readOnNote({ lines }: PageDraft, { offset }: PageOptions, remainingBytes: number): string {
  const last = offset - 1 + lines.length;
  return `lines ${offset} to ${last}; ${formatBytes(remainingBytes)} remain; continue with offset ${last + 1}`;
}

function withNotes({ lines, end, hasSplitLine }: PageDraft, notes: readonly string[]): string {
  const all = hasSplitLine ? [`lines over ${formatCount(MAX_PART_BYTES, "byte")} are split`, ...notes] : notes;
  return lines.join("\n") + (all.length === 0 ? end : `\n\n[${all.join("; ")}]`);
}
