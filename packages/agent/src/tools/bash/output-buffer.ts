/** Keeps the head and the tail of an output of any length; what does not fit is counted and dropped. */

import type { OutputLimit } from "../output.ts";

export const BELL = 0x07;
export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const ESCAPE = 0x1b;
export const SPACE = 0x20;
export const ZERO = 0x30;
export const AT = 0x40;
export const CAPITAL_G = 0x47;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const DELETE = 0x7f;

/** How much of a piece may be given up so that it begins or ends with a whole line. */
const MAX_CUT_SHARE = 1 / 4;

export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === NEWLINE) count += 1;
  return count;
}

export function firstLines(bytes: Uint8Array, lines: number): Uint8Array {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline < 0) return bytes;
    end = newline + 1;
  }
  return bytes.subarray(0, end);
}

/** A last line without an end counts too. */
export function lastLines(bytes: Uint8Array, lines: number): Uint8Array {
  let start = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < lines; line += 1) {
    const newline = start > 0 ? bytes.lastIndexOf(NEWLINE, start - 1) : -1;
    if (newline < 0) return bytes;
    start = newline;
  }
  return bytes.subarray(start + 1);
}

export function withoutBrokenStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(NEWLINE);
  if (newline >= 0 && newline < bytes.length * MAX_CUT_SHARE) return bytes.subarray(newline + 1);
  const start = bytes.findIndex((byte) => !isContinuationByte(byte));
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

export function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline > bytes.length * (1 - MAX_CUT_SHARE) ? bytes.subarray(0, newline + 1) : bytes;
}

/** Bytes that are no text become one mark for each stretch of them. A character that is still to come is not shown by halves. */
export function readableText(bytes: Uint8Array, { isPartial = false }: { readonly isPartial?: boolean } = {}): string {
  const text = new TextDecoder().decode(bytes, { stream: isPartial });
  return text.replace(/\uFFFD{2,}/g, "\uFFFD").replace(/[\u0080-\u009F]+/g, "");
}

function isContinuationByte(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

/** The newest bytes of a stream, addressed by their offset in it. */
export class RingBuffer {
  readonly #size: number;
  /** The byte at offset n of the stream stands at n modulo the size. */
  #bytes: Uint8Array = new Uint8Array(0);
  #oldestOffset = 0;
  #length = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Of the whole stream. */
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

  /** The stream goes on from an earlier offset, as if nothing had come after it. */
  rewind(offset: number): void {
    this.#length = offset;
    this.#oldestOffset = Math.min(this.#oldestOffset, offset);
  }

  /** A copy of what there still is from an offset to the end. */
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

export interface ExcerptText {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Counted by the one who reads every byte anyway. */
export interface LineCounts {
  /** How many end in it. */
  readonly lines: number;
  /** Where in it the last one starts; negative: none does. */
  readonly lineStart: number;
}

const HEAD_BYTES_SHARE = 1 / 25;
const HEAD_LINES_SHARE = 1 / 50;

export class Excerpt {
  readonly #limit: OutputLimit;
  readonly #tail: RingBuffer;
  #head: Uint8Array = new Uint8Array(0);
  #lines = 0;
  #lineStart = 0;

  /** Of the end; of the beginning it is a small part of that. */
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

  /** What comes next stands in the place of the line that is being written. */
  restartLine(): void {
    this.#tail.rewind(this.#lineStart);
  }

  /** At most so many bytes of the end, for somebody who watches. */
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
    const gap = `[… ${start - head.length} bytes, ${lines} lines left out …]`;
    const headText = readableText(head, { isPartial: true }).replace(/\n$/, "");
    return { text: `${headText}\n${gap}\n${readableText(tail)}`, isTruncated: true };
  }

  #writeHead(chunk: Uint8Array, start: number): void {
    if (this.#head.length === 0) this.#head = new Uint8Array(Math.ceil(this.#limit.bytes * HEAD_BYTES_SHARE));
    if (start < this.#head.length) this.#head.set(chunk.subarray(0, this.#head.length - start), start);
  }

  /** All that stands before the offset, where it is no more than a beginning may be. */
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
