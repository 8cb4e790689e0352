/** Renders command output as a terminal would show it, and keeps its head and tail within a limit. */

import type { OutputLimit } from "../tool-io.ts";

/** Removes escape sequences and control characters, and keeps only the last state of a rewritten line. */
export class TerminalBuffer {
  readonly #limit: OutputLimit;
  #excerpt: Excerpt;
  #state: EscapeState = "none";
  #isAtLineStart = false;
  #bytes = 0;
  /** The readable bytes of the current chunk. They are written at once, because a call for each line would be too slow. */
  #readable = new Uint8Array(0);
  #readableEnd = 0;
  /** Negative if the line began in an earlier chunk. */
  #lineStart = -1;
  #lines = 0;

  constructor(limit: OutputLimit) {
    this.#limit = limit;
    this.#excerpt = new Excerpt(limit);
  }

  /** All bytes received, readable or not. */
  get bytes(): number {
    return this.#bytes;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#readable.length < chunk.length) this.#readable = new Uint8Array(chunk.length);
    let index = 0;
    while (index < chunk.length)
      index = this.#state === "none" ? this.#readText(chunk, index) : this.#skipEscape(chunk, index);
    this.#flush();
  }

  tail(bytes: number): string {
    return this.#excerpt.tail(bytes);
  }

  /** The output since the last call. */
  take(): ExcerptText {
    const excerpt = this.#excerpt.render();
    this.#excerpt = new Excerpt(this.#limit);
    return excerpt;
  }

  /** Reads text up to the next control character, and returns the index where reading continues. */
  #readText(chunk: Uint8Array, start: number): number {
    if (this.#isAtLineStart && isReadable(chunk[start] ?? 0)) this.#restartLine(chunk[start] ?? 0);
    const offset = this.#readableEnd - start;
    let [index, lines, lineStart] = [start, 0, this.#lineStart];
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] as number;
      if (byte === NEWLINE) {
        lines += 1;
        lineStart = offset + index + 1;
      } else if (!isReadable(byte)) break;
    }
    this.#lines += lines;
    this.#lineStart = lineStart;
    copyBytes(chunk, { start, end: index, target: this.#readable, targetStart: this.#readableEnd });
    this.#readableEnd = offset + index;
    return index < chunk.length ? this.#readControl(chunk, index) : index;
  }

  #readControl(chunk: Uint8Array, start: number): number {
    let index = start;
    while (index < chunk.length && isDropped(chunk[index] as number)) index += 1;
    const byte = chunk[index];
    if (byte !== RETURN && byte !== ESCAPE) return index;
    if (byte === RETURN) this.#isAtLineStart = true;
    else this.#state = "escape";
    return index + 1;
  }

  #skipEscape(chunk: Uint8Array, index: number): number {
    const byte = chunk[index] ?? 0;
    if (this.#state === "control" && byte === COLUMN_COMMAND) this.#isAtLineStart = true;
    const state = nextEscapeState(this.#state, byte);
    this.#state = state === "broken" ? "none" : state;
    return state === "broken" ? index : index + 1;
  }

  #flush(): void {
    this.#excerpt.write(this.#readable.subarray(0, this.#readableEnd), {
      lines: this.#lines,
      lineStart: this.#lineStart,
    });
    this.#readableEnd = 0;
    this.#lineStart = -1;
    this.#lines = 0;
  }

  #restartLine(next: number): void {
    this.#isAtLineStart = false;
    if (next === NEWLINE) return;
    if (this.#lineStart < 0) this.#excerpt.restartLine();
    this.#readableEnd = Math.max(0, this.#lineStart);
  }
}

interface CopyRange {
  readonly start: number;
  readonly end: number;
  readonly target: Uint8Array;
  readonly targetStart: number;
}

/** Copies short runs byte by byte, because creating a view costs more. */
function copyBytes(chunk: Uint8Array, { start, end, target, targetStart }: CopyRange): void {
  if (end - start > SHORT_RUN_BYTES) target.set(chunk.subarray(start, end), targetStart);
  else for (let index = start; index < end; index += 1) target[targetStart + index - start] = chunk[index] ?? 0;
}

function isReadable(byte: number): boolean {
  return byte >= SPACE ? byte !== DELETE : byte === NEWLINE || byte === TAB;
}

function isDropped(byte: number): boolean {
  return !isReadable(byte) && byte !== RETURN && byte !== ESCAPE;
}

/** The final byte of the sequence that moves to a column. */
const COLUMN_COMMAND = 0x47;
const SHORT_RUN_BYTES = 64;

/** The part of an escape sequence that the next byte belongs to. */
type EscapeState = "none" | "escape" | "control" | "string" | "string-end";

/** `broken`: the byte does not belong to the sequence. An unfinished sequence ends at the line end, so it hides at most one line. */
function nextEscapeState(state: EscapeState, byte: number): EscapeState | "broken" {
  if (byte === NEWLINE) return "broken";
  switch (state) {
    case "none":
      return "broken";
    case "escape":
      return isSequenceByte(byte) ? stateAfterEscape(byte) : "broken";
    case "control":
      if (!isSequenceByte(byte)) return "broken";
      return byte < AT ? "control" : "none";
    case "string":
      if (byte === BELL) return "none";
      return byte === ESCAPE ? "string-end" : "string";
    case "string-end":
      return byte === BACKSLASH ? "none" : nextEscapeState("escape", byte);
  }
}

function stateAfterEscape(byte: number): EscapeState {
  if (byte === BRACKET) return "control";
  if (opensString(byte)) return "string";
  return byte < ZERO ? "escape" : "none";
}

/** P, X, ], ^ and _ */
function opensString(byte: number): boolean {
  return byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;
}

function isSequenceByte(byte: number): boolean {
  return byte >= SPACE && byte < DELETE;
}

const HEAD_BYTES_SHARE = 1 / 25;
const HEAD_LINES_SHARE = 1 / 50;

export interface ExcerptText {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Counted by the caller, which reads every byte anyway. */
export interface LineCounts {
  /** How many lines end in the chunk. */
  readonly lines: number;
  /** Where the last line starts in the chunk; negative if none does. */
  readonly lineStart: number;
}

/** Keeps the head and the tail of output of any length. */
class Excerpt {
  readonly #limit: OutputLimit;
  readonly #tail: RingBuffer;
  #head: Uint8Array = new Uint8Array(0);
  #lines = 0;
  #lineStart = 0;

  /** `limit` applies to the tail; the head gets a small share of it. */
  constructor(limit: OutputLimit) {
    this.#limit = limit;
    this.#tail = new RingBuffer(limit.bytes);
  }

  write(chunk: Uint8Array, { lines, lineStart }: LineCounts): void {
    const start = this.#tail.length;
    this.#writeHead(chunk, start);
    this.#tail.write(chunk);
    this.#lines += lines;
    if (lineStart >= 0) this.#lineStart = start + lineStart;
  }

  /** The next bytes replace the current line. */
  restartLine(): void {
    this.#tail.rewind(this.#lineStart);
  }

  /** At most this many bytes of the tail, for progress updates. */
  tail(bytes: number): string {
    const start = this.#tail.length - bytes;
    const tailBytes = this.#tail.readFrom(start);
    return readableText(start > 0 ? withoutBrokenStart(tailBytes) : tailBytes, { isPartial: true });
  }

  render(): ExcerptText {
    const buffered = this.#tail.readFrom(0);
    const tail = lastLines(this.#tail.oldestOffset > 0 ? withoutBrokenStart(buffered) : buffered, this.#limit.lines);
    const start = this.#tail.length - tail.length;
    const head = this.#headBefore(start);
    if (head.length === start) return { text: readableText(concatBytes(head, tail)), isTruncated: false };
    const lines = this.#lines - countLines(head) - countLines(tail);
    const gap = `[… ${start - head.length} bytes, ${lines} lines omitted …]`;
    const headText = readableText(head, { isPartial: true }).replace(/\n$/, "");
    return { text: `${headText}\n${gap}\n${readableText(tail)}`, isTruncated: true };
  }

  #writeHead(chunk: Uint8Array, start: number): void {
    if (this.#head.length === 0) this.#head = new Uint8Array(Math.ceil(this.#limit.bytes * HEAD_BYTES_SHARE));
    if (start < this.#head.length) this.#head.set(chunk.subarray(0, this.#head.length - start), start);
  }

  /** The head before the offset, within the limits for the head. */
  #headBefore(offset: number): Uint8Array {
    const lines = Math.ceil(this.#limit.lines * HEAD_LINES_SHARE);
    const head = this.#head.subarray(0, offset);
    const isWhole = head.length === offset;
    return firstLines(isWhole ? head : withoutBrokenEnd(head), lines);
  }
}

function concatBytes(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head, 0);
  all.set(tail, head.length);
  return all;
}

/** Keeps the newest bytes of a stream, addressed by their offset in the stream. */
class RingBuffer {
  readonly #size: number;
  /** The byte at stream offset n is at index n modulo the size. */
  #bytes: Uint8Array = new Uint8Array(0);
  #oldestOffset = 0;
  #length = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The length of the whole stream. */
  get length(): number {
    return this.#length;
  }

  get oldestOffset(): number {
    return this.#oldestOffset;
  }

  write(chunk: Uint8Array): void {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#size);
    const last = chunk.subarray(Math.max(0, chunk.length - this.#size));
    this.#length += chunk.length;
    const index = (this.#length - last.length) % this.#size;
    const beforeWrap = last.subarray(0, this.#size - index);
    this.#bytes.set(beforeWrap, index);
    this.#bytes.set(last.subarray(beforeWrap.length), 0);
    this.#oldestOffset = Math.max(this.#oldestOffset, this.#length - this.#size);
  }

  /** Continues the stream from an earlier offset and drops what came after it. */
  rewind(offset: number): void {
    this.#length = offset;
    this.#oldestOffset = Math.min(this.#oldestOffset, offset);
  }

  /** A copy of the available bytes from the offset to the end. */
  readFrom(offset: number): Uint8Array {
    const start = Math.max(this.#oldestOffset, offset);
    const copy = new Uint8Array(this.#length - start);
    const index = start % this.#size;
    const beforeWrap = this.#bytes.subarray(index, index + copy.length);
    copy.set(beforeWrap, 0);
    copy.set(this.#bytes.subarray(0, copy.length - beforeWrap.length), beforeWrap.length);
    return copy;
  }
}

/** The largest share of a part that may be cut so that it starts or ends with a whole line. */
const MAX_CUT_SHARE = 1 / 4;

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === NEWLINE) count += 1;
  return count;
}

function firstLines(bytes: Uint8Array, lines: number): Uint8Array {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline < 0) return bytes;
    end = newline + 1;
  }
  return bytes.subarray(0, end);
}

/** A last line without a line end counts too. */
function lastLines(bytes: Uint8Array, lines: number): Uint8Array {
  let start = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < lines; line += 1) {
    const newline = start > 0 ? bytes.lastIndexOf(NEWLINE, start - 1) : -1;
    if (newline < 0) return bytes;
    start = newline;
  }
  return bytes.subarray(start + 1);
}

function withoutBrokenStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(NEWLINE);
  if (newline >= 0 && newline < bytes.length * MAX_CUT_SHARE) return bytes.subarray(newline + 1);
  const start = bytes.findIndex((byte) => !isContinuationByte(byte));
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline > bytes.length * (1 - MAX_CUT_SHARE) ? bytes.subarray(0, newline + 1) : bytes;
}

/** Decodes bytes. Each run of invalid bytes becomes one replacement character. With `isPartial` an incomplete last character is omitted. */
function readableText(bytes: Uint8Array, { isPartial = false }: { readonly isPartial?: boolean } = {}): string {
  const text = new TextDecoder().decode(bytes, { stream: isPartial });
  return text.replace(/\uFFFD{2,}/g, "\uFFFD").replace(/[\u0080-\u009F]+/g, "");
}

function isContinuationByte(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

const BELL = 0x07;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const ZERO = 0x30;
const AT = 0x40;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
