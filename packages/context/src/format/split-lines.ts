/** Splits the bytes of a file into lines, in any encoding and with any line ends. Blank lines are skipped. */

import { createDamage, type Damage, type DamageKind } from "./damage.ts";

export interface RawLine {
  /** In UTF-8, whatever the file is in. */
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** In bytes of the file. */
  readonly length: number;
  readonly number: number;
  /** Whether a line end follows; the last line of a crashed writer has none. */
  readonly hasLineEnd: boolean;
  /** It is beyond the limit, and only its first bytes were kept. */
  readonly isOverlong?: boolean;
}

export interface SplitLinesResult {
  readonly lines: readonly RawLine[];
  readonly damage: readonly Damage[];
}

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
  /** Bytes of a unit. */
  readonly width: 1 | 2;
  /** Which byte of a unit is the low one. */
  readonly low: 0 | 1;
  /** Where the first line begins: behind a byte order mark, if there is one. */
  readonly start: number;
}

// Without a mark, a brace and another letter must both be two bytes wide: one zero alone is what a power cut leaves.
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
    // Blank lines are passed over without looking for their ends: a file may have a hundred million of them.
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

/** Where the next line end stands, counted in whole units; -1 for none. */
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
    // Half a character: the line is handed on as it is, and named as what cannot be read.
    return line;
  }
}

/** Nothing but space: such a line is passed over. */
export function isBlankLine(line: Uint8Array): boolean {
  return (line[0] ?? 0) <= SPACE && line.every(isBlankByte);
}

/** Of a blank line; a line end is none. */
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
