/** Splits the bytes of a file into lines, for any encoding and any line end. Blank lines are skipped. */

import { createDamage, type Damage, type DamageKind } from "./damage.ts";

/** One line of a file. */
export interface RawLine {
  /** The bytes in UTF-8, whatever the encoding of the file. */
  readonly bytes: Uint8Array;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** The length in bytes of the file. */
  readonly length: number;
  /** The line number, counted from 1. */
  readonly number: number;
  /** Whether a line end follows. After a crash the last line may have none. */
  readonly hasLineEnd: boolean;
  /** The line exceeds the limit, and `bytes` holds only its beginning. */
  readonly isOverlong?: boolean;
}

/** The lines of a file, and the damage that concerns the whole file. */
export interface SplitLinesResult {
  readonly lines: readonly RawLine[];
  readonly damage: readonly Damage[];
}

/** Splits a file into lines. */
export function splitLines(file: Uint8Array): SplitLinesResult {
  const encoding = detectEncoding(file);
  const lineEnd = findLineEnd(file, encoding, LF) === -1 && findLineEnd(file, encoding, CR) !== -1 ? CR : LF;
  const lines = [...iterateLines(file, encoding, lineEnd)];
  const kinds: DamageKind[] = [];
  if (encoding.width === 2) kinds.push("utf-16");
  if (lineEnd === CR) kinds.push("lone-carriage-returns");
  const wholeFile = { offset: 0, length: file.length, number: 1 };
  return { lines, damage: kinds.map((kind) => createDamage(kind, wholeFile)) };
}

interface FileEncoding {
  /** The bytes per code unit. */
  readonly width: 1 | 2;
  /** The index of the low byte in a code unit. */
  readonly low: 0 | 1;
  /** Where the first line begins, after a byte order mark. */
  readonly start: number;
}

// Without a byte order mark, the first two characters must both be two bytes wide: a power cut can leave a single zero byte.
function detectEncoding([a, b, c, d]: Uint8Array): FileEncoding {
  if (a === 0xff && b === 0xfe) return { width: 2, low: 0, start: 2 };
  if (a === 0xfe && b === 0xff) return { width: 2, low: 1, start: 2 };
  if (a === 0x7b && b === 0 && c !== 0 && d === 0) return { width: 2, low: 0, start: 0 };
  if (a === 0 && b === 0x7b && c === 0 && d !== 0) return { width: 2, low: 1, start: 0 };
  return { width: 1, low: 0, start: a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0 };
}

function* iterateLines(file: Uint8Array, encoding: FileEncoding, lineEnd: number): Generator<RawLine> {
  const { width, low } = encoding;
  let number = 1;
  for (let offset = encoding.start; offset < file.length; number++) {
    // Blank lines are skipped without searching for their ends, because a file may have a hundred million of them.
    let index = offset;
    for (; index < file.length && isBlankUnit(file, index, encoding); index += width) {
      if (file[index + low] !== lineEnd) continue;
      offset = index + width;
      number++;
    }
    if (index >= file.length) return;
    const lineEndIndex = findLineEnd(file, { ...encoding, start: index }, lineEnd);
    const end = lineEndIndex === -1 ? file.length : lineEndIndex;
    const bytes = toUtf8(file.subarray(offset, end), encoding);
    if (!isBlankLine(bytes)) yield { bytes, offset, length: end - offset, number, hasLineEnd: lineEndIndex !== -1 };
    offset = end + width;
  }
}

function isBlankUnit(file: Uint8Array, index: number, { width, low }: FileEncoding): boolean {
  const byte = file[index + low];
  return (byte === LF || isBlankByte(byte)) && (width === 1 || file[index + 1 - low] === 0);
}

/** Returns the offset of the next line end, aligned to code units; -1 if there is none. */
function findLineEnd(file: Uint8Array, { width, low, start }: FileEncoding, lineEnd: number): number {
  if (width === 1) return file.indexOf(lineEnd, start);
  for (let index = start; index + 1 < file.length; index += 2)
    if (file[index + low] === lineEnd && file[index + 1 - low] === 0) return index;
  return -1;
}

function toUtf8(line: Uint8Array, { width, low }: FileEncoding): Uint8Array {
  if (width === 1) return line;
  try {
    return new TextEncoder().encode(utf16Decoders[low].decode(line));
  } catch {
    // Invalid UTF-16: the bytes stay as they are, and readLine reports them as invalid.
    return line;
  }
}

/** Whether the line holds only whitespace. */
export function isBlankLine(line: Uint8Array): boolean {
  return (line[0] ?? 0) <= SPACE && line.every(isBlankByte);
}

/** Whether the byte is a space, a tab or a carriage return. */
export function isBlankByte(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CR;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const strictDecoderOptions = { fatal: true, ignoreBOM: true };
const utf16Decoders = [
  new TextDecoder("utf-16le", strictDecoderOptions),
  new TextDecoder("utf-16be", strictDecoderOptions),
] as const;
