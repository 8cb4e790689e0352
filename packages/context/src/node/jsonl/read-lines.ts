/** Reads the lines of a session file backwards or forwards in bounded chunks, decodes a whole file, and parses the prefix of a line. */

import { Buffer, isUtf8 } from "node:buffer";
import { decodeSession, decodeSessionLines, type SessionFile } from "../../format/session-file.ts";
import { isBlankByte, isBlankLine } from "../../format/split-lines.ts";
import type { Checksum } from "../../runtime.ts";
import type { FormatLimits } from "../../settings.ts";
import type { OpenFile } from "../files.ts";

/** One line of a file. */
export interface LineBytes {
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** Valid until the next line is read. */
  readonly bytes: Buffer;
  /** Whether a line end follows. */
  readonly hasLineEnd: boolean;
}

/** The part of a file to read. */
export interface ReadRange {
  /** The first byte to read. */
  readonly start: number;
  readonly end: number;
  readonly limits: FormatLimits;
}

/** Reads lines backwards from `end` to `start` and skips blank lines. Stops and sets `failed` at an overlong line, or if the file is too short. */
export class ReverseLineReader {
  failed = false;
  readonly #file: OpenFile;
  readonly #range: ReadRange;
  /** The bytes of the file from `#offset` on. Those from `#end` on were returned already. */
  #buffer: Buffer = EMPTY_BUFFER;
  #offset: number;
  #end = 0;
  /** There is no line end between this index and `#end`. */
  #searchEnd = 0;
  #hasLineEnd = false;
  #chunkBytes = FIRST_CHUNK_BYTES;

  constructor(file: OpenFile, range: ReadRange) {
    this.#file = file;
    this.#range = range;
    this.#offset = range.end;
  }

  /** Returns the previous line, or null at the start. */
  next(): LineBytes | null {
    for (;;) {
      if (!((this.#buffer[this.#end - 1] ?? 0) > SPACE) && this.#skipBlankLines()) continue;
      const start = this.#searchEnd === 0 ? -1 : this.#buffer.lastIndexOf(LINE_END, this.#searchEnd - 1);
      if (start === -1 && this.#offset > this.#range.start) {
        if (!this.#readMore()) return null;
        continue;
      }
      if (start === -1 && this.#end === 0) return null;
      const line = {
        offset: this.#offset + start + 1,
        bytes: this.#buffer.subarray(start + 1, this.#end),
        hasLineEnd: this.#hasLineEnd,
      };
      this.#hasLineEnd = true;
      this.#end = Math.max(start, 0);
      this.#searchEnd = this.#end;
      if ((line.bytes[0] ?? 0) > SPACE || !isBlankLine(line.bytes)) return line;
    }
  }

  // Skips all blank lines before `#end` at once. Whitespace at the end of a line belongs to the line.
  #skipBlankLines(): boolean {
    let index = this.#end;
    while (index > 0 && (this.#buffer[index - 1] === LINE_END || isBlankByte(this.#buffer[index - 1]))) index -= 1;
    const lineEnd = index === this.#end ? -1 : this.#buffer.indexOf(LINE_END, index);
    if (lineEnd === -1 || lineEnd >= this.#end) return false;
    this.#end = lineEnd;
    this.#searchEnd = lineEnd;
    this.#hasLineEnd = true;
    return true;
  }

  // Chunks grow, so that a long branch needs few reads and a short one few bytes. The buffer is reused if it is large enough.
  #readMore(): boolean {
    if (this.#end > this.#range.limits.lineBytes) {
      this.failed = true;
      return false;
    }
    // The buffer holds the end of one line, which is copied. A longer line is read in larger chunks to copy it less often.
    const chunkBytes = Math.max(this.#chunkBytes, Math.min(this.#end, MAX_LINE_CHUNK_BYTES));
    const count = Math.min(chunkBytes, this.#offset - this.#range.start);
    const fitsInBuffer = this.#buffer.length >= count + this.#end;
    const buffer = fitsInBuffer ? this.#buffer : Buffer.allocUnsafe(count + this.#end + SPARE_BYTES);
    this.#buffer.copy(buffer, count, 0, this.#end);
    if (this.#file.read(buffer.subarray(0, count), this.#offset - count) < count) {
      this.failed = true;
      return false;
    }
    this.#buffer = buffer;
    this.#offset -= count;
    this.#end += count;
    // The bytes that were in the buffer before have no line end.
    this.#searchEnd = count;
    this.#chunkBytes = Math.min(this.#chunkBytes * 2, MAX_CHUNK_BYTES);
    return true;
  }
}

const EMPTY_BUFFER = Buffer.alloc(0);
const LINE_END = 0x0a;
/** A byte above this one is not blank. */
const SPACE = 0x20;
/** Space for the end of a line that the next read completes. */
const SPARE_BYTES = 64 * 1024;
const FIRST_CHUNK_BYTES = 128 * 1024;
/** Small enough for the processor cache and for the memory of a session. */
const MAX_CHUNK_BYTES = 256 * 1024;
const MAX_LINE_CHUNK_BYTES = 4 * 1024 * 1024;

/** One line, read forwards. */
export interface FileLine extends LineBytes {
  readonly length: number;
  /** The line number, counted from 1 at the start of the range. */
  readonly number: number;
  readonly isOverlong: boolean;
}

/** Reads lines forwards. Keeps only the beginning of an overlong line. Blank lines are skipped but counted. */
export function* readLines(file: OpenFile, { start, end, limits }: ReadRange): Generator<FileLine> {
  let partial: PartialLine = { offset: start, pieces: [], length: 0 };
  let number = 1;
  for (let offset = start; offset < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(FORWARD_CHUNK_BYTES, end - offset));
    const count = file.read(chunk, offset);
    if (count === 0) break;
    let lineStart = 0;
    for (;;) {
      if (partial.length === 0) {
        const skipped = skipBlankLines(chunk, lineStart, count);
        number += skipped.lines;
        lineStart = skipped.start;
        partial = { offset: offset + lineStart, pieces: [], length: 0 };
      }
      const lineEnd = chunk.indexOf(LINE_END, lineStart);
      if (lineEnd === -1 || lineEnd >= count) break;
      const line = finishLine(partial, chunk.subarray(lineStart, lineEnd), limits.lineBytes);
      if (!isBlankLine(line.bytes)) yield { ...line, number, hasLineEnd: true };
      number += 1;
      lineStart = lineEnd + 1;
      partial = { offset: offset + lineStart, pieces: [], length: 0 };
    }
    partial = extendPartialLine(partial, chunk.subarray(lineStart, count), limits.lineBytes);
    offset += count;
  }
  const last = finishLine(partial, EMPTY_BUFFER, limits.lineBytes);
  if (!isBlankLine(last.bytes)) yield { ...last, number, hasLineEnd: false };
}

/** Returns the start of the first line that is not blank, or may not be. Allocates nothing per blank line. */
function skipBlankLines(chunk: Buffer, from: number, to: number): { readonly start: number; readonly lines: number } {
  let start = from;
  let lines = 0;
  for (let index = from; index < to; index += 1) {
    const byte = chunk[index];
    if (byte === LINE_END) {
      lines += 1;
      start = index + 1;
    } else if (!isBlankByte(byte)) break;
  }
  return { start, lines };
}

interface PartialLine {
  readonly offset: number;
  readonly pieces: readonly Buffer[];
  readonly length: number;
}

function extendPartialLine({ offset, pieces, length }: PartialLine, piece: Buffer, limit: number): PartialLine {
  if (piece.length === 0) return { offset, pieces, length };
  const newPieces = length + piece.length > limit ? [lineHead(pieces, piece)] : [...pieces, piece];
  return { offset, pieces: newPieces, length: length + piece.length };
}

function finishLine(partial: PartialLine, rest: Buffer, limit: number): Omit<FileLine, "hasLineEnd" | "number"> {
  const length = partial.length + rest.length;
  const isOverlong = length > limit;
  if (isOverlong) return { offset: partial.offset, bytes: lineHead(partial.pieces, rest), length, isOverlong };
  const bytes = partial.pieces.length === 0 ? rest : Buffer.concat([...partial.pieces, rest]);
  return { offset: partial.offset, bytes, length, isOverlong };
}

// A copy, so that a few bytes do not keep a whole chunk in memory.
function lineHead(pieces: readonly Buffer[], piece: Buffer): Buffer {
  return Buffer.concat([...pieces, piece].map((part) => part.subarray(0, LINE_HEAD_BYTES))).subarray(
    0,
    LINE_HEAD_BYTES,
  );
}

const LINE_HEAD_BYTES = 1024;
const FORWARD_CHUNK_BYTES = 1024 * 1024;

/** What decoding a file needs. */
export interface ReadFileRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

/** Decodes a whole file of any version and encoding, with any damage. */
export function decodeWholeFile(file: OpenFile, rules: ReadFileRules): SessionFile {
  const { size } = file.stat();
  if (isUtf8WithLineFeeds(file, size, rules))
    return decodeSessionLines({ ...readAllLines(file, size, rules), size }, rules);
  const bytes = Buffer.allocUnsafe(size);
  return decodeSession(bytes.subarray(0, file.read(bytes, 0)), rules);
}

// A UTF-8 file with LF is read line by line, so that overlong lines are not kept in memory. A file without LF in the sample that is much
// longer than a line may be is read the same way.
function isUtf8WithLineFeeds(file: OpenFile, size: number, { limits }: ReadFileRules): boolean {
  const head = Buffer.alloc(Math.min(size, SAMPLE_BYTES));
  file.read(head, 0);
  const [a, b] = head;
  const isUtf16 =
    (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0x7b && b === 0) || (a === 0 && b === 0x7b);
  const hasByteOrderMark = a === 0xef && b === 0xbb;
  return !isUtf16 && !hasByteOrderMark && (head.includes(LINE_END) || size > limits.lineBytes * 2);
}

function readAllLines(file: OpenFile, size: number, { limits }: ReadFileRules) {
  return { lines: [...readLines(file, { start: 0, end: size, limits })], damage: [] };
}

const SAMPLE_BYTES = 1024 * 1024;

/** The fields at the start of a line. */
export interface LinePrefix {
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
  /** The number on the line. */
  readonly number: number | undefined;
  /** The role of a message. */
  readonly role: string | undefined;
}

/** Parses the start of a line without parsing its JSON. Returns null if the line does not start as pi and Pith write it. */
export function readLinePrefix(line: Buffer): LinePrefix | null {
  const match = LINE_PREFIX_PATTERN.exec(line.toString("latin1", 0, Math.min(line.length, MAX_PREFIX_BYTES)));
  if (!match) return null;
  const [, kind = "", id = "", parentId, number, role] = match;
  // Without the role at the start, the line must be parsed.
  if (kind === "message" && role === undefined) return null;
  return { kind, id, parentId: parentId ?? null, number: number === undefined ? undefined : Number(number), role };
}

/** The maximum length of a prefix that `readLinePrefix` accepts. */
export const MAX_PREFIX_BYTES = 460;

// Unescaped ASCII only; other strings are left to the JSON parser.
const PLAIN_ASCII_PATTERN = "[ !#-\\[\\]-~]{1,100}";
const LINE_PREFIX_PATTERN = new RegExp(
  `^\\{"type":"([a-z_]{1,40})","id":"(${PLAIN_ASCII_PATTERN})","parentId":(?:"(${PLAIN_ASCII_PATTERN})"|null),"timestamp":"${PLAIN_ASCII_PATTERN}"(?:,"number":(\\d{1,15})(?=[,}]))?(?:,"message":\\{"role":"([a-zA-Z]{1,20})")?`,
);

/** Decodes UTF-8 with the native decoder, because opening a file decodes every line. Returns null for invalid UTF-8. */
export function decodeUtf8Native(bytes: Uint8Array, end: number): string | null {
  const text = (bytes instanceof Buffer ? bytes : Buffer.from(bytes)).toString("utf8", 0, end);
  // Invalid bytes become U+FFFD. Without that character the text is valid, and the bytes are not checked again.
  return text.includes("\ufffd") && !isUtf8(bytes.subarray(0, end)) ? null : text;
}
