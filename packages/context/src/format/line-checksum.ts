/** Writes and reads the trailer of a line: the store's marks and a CRC-32 of all bytes before it. It is not part of the entry. */

import type { Checksum } from "../runtime.ts";

/** What the store notes on a line, for whoever reads the file from its end. */
export interface Marks {
  /** Where the parent's line begins, if the parent is not the line before. A hint: it counts only if the parent is there. */
  readonly up?: number;
  /** From this byte on, lines were perhaps not on the disk yet when this one was written. */
  readonly run?: number;
  readonly batch?: BatchMark;
}

/** Place and size of a batch, counted from 1. */
export type BatchMark = readonly [place: number, size: number];

export interface Seal {
  /** Where the entry's own bytes end; the brace that closes them stands behind the seal. */
  readonly textEnd: number;
  readonly marks: Marks;
  /** Where the bytes end that the checksum sums up. */
  readonly summedEnd: number;
  /** Null for what is no checksum. */
  readonly sum: number | null;
}

/** Whether the checksum fits the bytes of the line. */
export function sealHolds({ summedEnd, sum }: Seal, line: Uint8Array, checksum: Checksum): boolean {
  return sum !== null && checksum(line.subarray(0, summedEnd)) === sum;
}

/** A line ready to be written, without its line end. */
export function sealed(text: string, marks: Marks, checksum: Checksum): string {
  const body = markedBody(text, marks);
  return `${body}${sealEnd(checksum(encoder.encode(body)))}`;
}

/** All of the line that its checksum sums up. */
export function markedBody(text: string, marks: Marks): string {
  const open = text.slice(0, text.lastIndexOf("}"));
  return `${open}${written(endsLikeMarks(open) ? { up: 0, ...marks } : marks)}`;
}

/** What follows it. */
export function sealEnd(sum: number): string {
  return `${CRC}${hex(sum)}"}`;
}

/**
 * The seal of a line, or null for a line that has none: pi's lines, and ours after pi rewrote them.
 *
 * Most lines end in their checksum and nothing else: `,"crc":"`, eight digits, `"}`. Every line that is read comes by here, so those are
 * compared byte by byte without a call: the engine compiles each function that is called a few hundred times, while a session is opened.
 */
export function sealOf(line: Uint8Array): Seal | null {
  const start = line.length - CRC.length - SUM_AND_END;
  const isPlain =
    start > 0 &&
    line[start] === 0x2c &&
    line[start + 1] === QUOTE &&
    line[start + 2] === 0x63 &&
    line[start + 3] === 0x72 &&
    line[start + 4] === 0x63 &&
    line[start + 5] === QUOTE &&
    line[start + 6] === 0x3a &&
    line[start + 7] === QUOTE &&
    line[line.length - 2] === QUOTE &&
    line[line.length - 1] === BRACE;
  if (!isPlain || endsMark[line[start - 1] ?? 0]) return markedSeal(line);
  return { textEnd: start, marks: NONE, summedEnd: start, sum: sumAt(line, start + CRC.length) };
}

/** Eight small hexadecimal digits as a number; null for anything else. */
function sumAt(line: Uint8Array, start: number): number | null {
  const a = digitValues[line[start] ?? 0] ?? 0;
  const b = digitValues[line[start + 1] ?? 0] ?? 0;
  const c = digitValues[line[start + 2] ?? 0] ?? 0;
  const d = digitValues[line[start + 3] ?? 0] ?? 0;
  const e = digitValues[line[start + 4] ?? 0] ?? 0;
  const f = digitValues[line[start + 5] ?? 0] ?? 0;
  const g = digitValues[line[start + 6] ?? 0] ?? 0;
  const h = digitValues[line[start + 7] ?? 0] ?? 0;
  if ((a | b | c | d | e | f | g | h) >= NO_DIGIT) return null;
  return ((a << 28) | (b << 24) | (c << 20) | (d << 16) | (e << 12) | (f << 8) | (g << 4) | h) >>> 0;
}

function markedSeal(line: Uint8Array): Seal | null {
  const from = Math.max(0, line.length - LONGEST_SEAL);
  const found = SEAL.exec(lettersFrom(line, from));
  if (!found) return null;
  const { up, run, place, size } = found.groups ?? {};
  const marks = {
    ...(up && { up: Number(up) }),
    ...(run && { run: Number(run) }),
    ...(place && size && { batch: [Number(place), Number(size)] as const }),
  };
  const textEnd = from + found.index;
  const summedEnd = textEnd + found[0].lastIndexOf(CRC);
  return { textEnd, marks, summedEnd, sum: sumAt(line, summedEnd + CRC.length) };
}

// A letter a byte: a sound seal is plain ASCII, and in another one it does not matter.
function lettersFrom(line: Uint8Array, start: number): string {
  return latin.decode(line.subarray(start));
}

/** The line with a seal that reads as one, where only the seal's name has changed and its checksum still fits; null for any other line. */
export function withMendedSeal(line: Uint8Array, checksum: Checksum): Uint8Array | null {
  const from = Math.max(0, line.length - LONGEST_SEAL);
  const found = /,"[^"\\]{3}":"[0-9a-f]{8}"\}\s*$/.exec(lettersFrom(line, from));
  if (!found) return null;
  const mended = line.slice();
  mended.set(encoder.encode(CRC), from + found.index);
  const seal = sealOf(mended);
  return seal && sealHolds(seal, mended, checksum) ? mended : null;
}

function written({ up, run, batch }: Marks): string {
  const each = [
    up === undefined ? "" : `,"up":${up}`,
    run === undefined ? "" : `,"run":${run}`,
    batch ? `,"batch":[${batch[0]},${batch[1]}]` : "",
  ];
  return each.join("");
}

// A line with such a member of its own gets a true mark behind it, the one that comes first: so its own is not taken for ours.
function endsLikeMarks(open: string): boolean {
  return /,"(?:up|run)":\d+$|,"batch":\[\d+,\d+\]$/.test(open.slice(-LONGEST_SEAL));
}

const hex = (sum: number): string => sum.toString(16).padStart(8, "0");

const SEAL =
  /(?:,"up":(?<up>\d{1,15}))?(?:,"run":(?<run>\d{1,15}))?(?:,"batch":\[(?<place>\d{1,9}),(?<size>\d{1,9})\])?,"crc":"[^"\\]{8}"\}\s*$/;
const LONGEST_SEAL = 120;
const CRC = ',"crc":"';
const NO_DIGIT = 16;
/** By byte: the value of a small hexadecimal digit. */
const digitValues = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(byte));
  return value === -1 ? NO_DIGIT : value;
});
const SUM_AND_END = 10;
const QUOTE = 0x22;
const BRACE = 0x7d;
const NONE: Marks = {};
/** By byte: 1 for a digit and a closing bracket. What ends in one of them before the checksum may be a mark. */
const endsMark = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number("0123456789]".includes(String.fromCharCode(byte))),
);
const encoder = new TextEncoder();
const latin = new TextDecoder("latin1");
