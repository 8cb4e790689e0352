/** Reads the lines of a session file: backwards or forwards in bounded chunks, or all of a damaged file. */

import { Buffer, isUtf8 } from "node:buffer";
import { decodeLines, decodeSession, type SessionFile } from "../../format/session-file.ts";
import { isBlank, isBlankByte } from "../../format/split-lines.ts";
import type { Checksum } from "../../runtime.ts";
import type { FormatLimits } from "../../settings.ts";
import type { OpenFile } from "../files.ts";

export interface FoundLine {
  /** Where it begins, in bytes from the start of the file. */
  readonly offset: number;
  /** Good until the next line is asked for. */
  readonly bytes: Buffer;
  /** Whether a line end follows. */
  readonly ended: boolean;
}

export interface Stretch {
  /** Nothing before this byte is read. */
  readonly start: number;
  readonly end: number;
  readonly limits: FormatLimits;
}

/** From the line that ends at `end` up to `start`; blank lines are passed over. Ends early, with `failed`, at a line beyond the limit, and where the file is shorter than it was said to be. */
export class Backwards {
  failed = false;
  readonly #file: OpenFile;
  readonly #stretch: Stretch;
  /** Bytes of the file from `#at` on; those from `#end` on were given out. */
  #held: Buffer = EMPTY;
  #at: number;
  #end = 0;
  /** Line ends lie before this one, if there are any. */
  #searchable = 0;
  #ended = false;
  #step = FIRST_STEP;

  constructor(file: OpenFile, stretch: Stretch) {
    this.#file = file;
    this.#stretch = stretch;
    this.#at = stretch.end;
  }

  next(): FoundLine | null {
    for (;;) {
      if (!((this.#held[this.#end - 1] ?? 0) > SPACE) && this.#skipsBlankLines()) continue;
      const start = this.#searchable === 0 ? -1 : this.#held.lastIndexOf(LINE_END, this.#searchable - 1);
      if (start === -1 && this.#at > this.#stretch.start) {
        if (!this.#readMore()) return null;
        continue;
      }
      if (start === -1 && this.#end === 0) return null;
      const line = {
        offset: this.#at + start + 1,
        bytes: this.#held.subarray(start + 1, this.#end),
        ended: this.#ended,
      };
      this.#ended = true;
      this.#end = Math.max(start, 0);
      this.#searchable = this.#end;
      if ((line.bytes[0] ?? 0) > SPACE || !isBlank(line.bytes)) return line;
    }
  }

  // All blank lines that end here are passed over at once, however many there are. What is blank behind a letter belongs to its line.
  #skipsBlankLines(): boolean {
    let at = this.#end;
    while (at > 0 && (this.#held[at - 1] === LINE_END || isBlankByte(this.#held[at - 1]))) at -= 1;
    const lineEnd = at === this.#end ? -1 : this.#held.indexOf(LINE_END, at);
    if (lineEnd === -1 || lineEnd >= this.#end) return false;
    this.#end = lineEnd;
    this.#searchable = lineEnd;
    this.#ended = true;
    return true;
  }

  // Steps grow, so that a long window costs few reads and a short one few bytes. The same memory serves again where it is enough.
  #readMore(): boolean {
    if (this.#end > this.#stretch.limits.lineBytes) {
      this.failed = true;
      return false;
    }
    // All that is held is one line without a beginning, and is copied: the longer it is, the more is read at once.
    const step = Math.max(this.#step, Math.min(this.#end, LONGEST_STEP_IN_A_LINE));
    const count = Math.min(step, this.#at - this.#stretch.start);
    const enough = this.#held.length >= count + this.#end;
    const held = enough ? this.#held : Buffer.allocUnsafe(count + this.#end + SPARE);
    this.#held.copy(held, count, 0, this.#end);
    if (this.#file.read(held.subarray(0, count), this.#at - count) < count) {
      this.failed = true;
      return false;
    }
    this.#held = held;
    this.#at -= count;
    this.#end += count;
    // What was held already has no line end.
    this.#searchable = count;
    this.#step = Math.min(this.#step * 2, LONGEST_STEP);
    return true;
  }
}

const EMPTY = Buffer.alloc(0);
const LINE_END = 0x0a;
/** No byte above it is blank. */
const SPACE = 0x20;
/** Room for the beginning of a line that the next step completes. */
const SPARE = 64 * 1024;
const FIRST_STEP = 128 * 1024;
/** What is read stays in the processor's cache until it is parsed, and adds little to the memory of a session. */
const LONGEST_STEP = 256 * 1024;
const LONGEST_STEP_IN_A_LINE = 4 * 1024 * 1024;

export interface PassedLine extends FoundLine {
  readonly length: number;
  /** Of the line, from 1 at the start of the stretch. */
  readonly number: number;
  readonly overlong: boolean;
}

/** A line beyond the limit is never held: only its beginning is kept. Blank lines are passed over, and counted. */
export function* forwards(file: OpenFile, { start, end, limits }: Stretch): Generator<PassedLine> {
  let begun: Begun = { offset: start, pieces: [], length: 0 };
  let number = 1;
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(STEP, end - at));
    const count = file.read(chunk, at);
    if (count === 0) break;
    let from = 0;
    for (;;) {
      if (begun.length === 0) {
        const skipped = skipBlankLines(chunk, from, count);
        number += skipped.lines;
        from = skipped.start;
        begun = { offset: at + from, pieces: [], length: 0 };
      }
      const to = chunk.indexOf(LINE_END, from);
      if (to === -1 || to >= count) break;
      const line = finished(begun, chunk.subarray(from, to), limits.lineBytes);
      if (!isBlank(line.bytes)) yield { ...line, number, ended: true };
      number += 1;
      from = to + 1;
      begun = { offset: at + from, pieces: [], length: 0 };
    }
    begun = grown(begun, chunk.subarray(from, count), limits.lineBytes);
    at += count;
  }
  const last = finished(begun, EMPTY, limits.lineBytes);
  if (!isBlank(last.bytes)) yield { ...last, number, ended: false };
}

/** Where the first line begins that has something in it, or may have; without an object for each that has not. */
function skipBlankLines(chunk: Buffer, from: number, to: number): { readonly start: number; readonly lines: number } {
  let start = from;
  let lines = 0;
  for (let at = from; at < to; at += 1) {
    const byte = chunk[at];
    if (byte === LINE_END) {
      lines += 1;
      start = at + 1;
    } else if (!isBlankByte(byte)) break;
  }
  return { start, lines };
}

interface Begun {
  readonly offset: number;
  readonly pieces: readonly Buffer[];
  readonly length: number;
}

function grown({ offset, pieces, length }: Begun, piece: Buffer, limit: number): Begun {
  if (piece.length === 0) return { offset, pieces, length };
  const kept = length + piece.length > limit ? [head(pieces, piece)] : [...pieces, piece];
  return { offset, pieces: kept, length: length + piece.length };
}

function finished(begun: Begun, rest: Buffer, limit: number): Omit<PassedLine, "ended" | "number"> {
  const length = begun.length + rest.length;
  const overlong = length > limit;
  if (overlong) return { offset: begun.offset, bytes: head(begun.pieces, rest), length, overlong };
  const bytes = begun.pieces.length === 0 ? rest : Buffer.concat([...begun.pieces, rest]);
  return { offset: begun.offset, bytes, length, overlong };
}

// A copy: a few bytes must not keep a whole chunk in memory.
function head(pieces: readonly Buffer[], piece: Buffer): Buffer {
  return Buffer.concat([...pieces, piece].map((each) => each.subarray(0, HEAD))).subarray(0, HEAD);
}

const HEAD = 1024;
const STEP = 1024 * 1024;

export interface WholeRules {
  readonly checksum: Checksum;
  readonly limits: FormatLimits;
}

/** Reads every version, every encoding and every kind of damage. */
export function wholeFile(file: OpenFile, rules: WholeRules): SessionFile {
  const { size } = file.stat();
  if (isPlain(file, size, rules)) return decodeLines({ ...linesOf(file, size, rules), size }, rules);
  const bytes = Buffer.allocUnsafe(size);
  return decodeSession(bytes.subarray(0, file.read(bytes, 0)), rules);
}

// UTF-8 with LF: its lines can be taken one by one, and one that is too long need not be held. Where the whole file is longer
// than any line may be, nothing else can come of it.
function isPlain(file: OpenFile, size: number, { limits }: WholeRules): boolean {
  const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
  file.read(head, 0);
  const [a, b] = head;
  const wide =
    (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0x7b && b === 0) || (a === 0 && b === 0x7b);
  const marked = a === 0xef && b === 0xbb;
  return !wide && !marked && (head.includes(LINE_END) || size > limits.lineBytes * 2);
}

function linesOf(file: OpenFile, size: number, { limits }: WholeRules) {
  return { lines: [...forwards(file, { start: 0, end: size, limits })], damage: [] };
}

const HEAD_BYTES = 1024 * 1024;

export interface Glimpse {
  readonly kind: string;
  readonly id: string;
  readonly parentId: string | null;
  /** The entry's number as it stands on the line. */
  readonly number: number | undefined;
  /** Of a message. */
  readonly role: string | undefined;
}

/** Null for a line that does not begin as pi and we write it; such a line has to be read whole. */
export function peek(line: Buffer): Glimpse | null {
  const found = HEAD_PATTERN.exec(line.toString("latin1", 0, Math.min(line.length, LONGEST_HEAD)));
  if (!found) return null;
  const [, kind = "", id = "", parentId, number, role] = found;
  // A message whose role comes later must be read whole, or nobody knows who speaks.
  if (kind === "message" && role === undefined) return null;
  return { kind, id, parentId: parentId ?? null, number: number === undefined ? undefined : Number(number), role };
}

/** The bytes that always hold a head that can be peeked at. */
export const LONGEST_HEAD = 460;

// Plain letters only: what is escaped or not ASCII is left to the parser.
const PLAIN = "[ !#-\\[\\]-~]{1,100}";
const HEAD_PATTERN = new RegExp(
  `^\\{"type":"([a-z_]{1,40})","id":"(${PLAIN})","parentId":(?:"(${PLAIN})"|null),"timestamp":"${PLAIN}"(?:,"number":(\\d{1,15})(?=[,}]))?(?:,"message":\\{"role":"([a-zA-Z]{1,20})")?`,
);

/** Null for invalid UTF-8. Uses the native decoder, because opening a file calls it more often than anything else. */
export function decode(bytes: Uint8Array, end: number): string | null {
  const text = (bytes instanceof Buffer ? bytes : Buffer.from(bytes)).toString("utf8", 0, end);
  // What is no UTF-8 turns into this letter; where it is missing, nobody needs to look at the bytes again.
  return text.includes("\ufffd") && !isUtf8(bytes.subarray(0, end)) ? null : text;
}
