/** Writes and reads the trailer of a line: the store's marks and a CRC-32 of all bytes before it. It is not part of the entry. */

import type { Checksum } from "../runtime.ts";

/** What the store notes on a line, for whoever reads the file from its end. */
export interface LineMarks {
  /** Where the parent's line begins, if the parent is not the line before. A hint: it counts only if the parent is there. */
  readonly up?: number;
  /** From this byte on, lines were perhaps not on the disk yet when this one was written. */
  readonly run?: number;
  readonly batch?: BatchMark;
}

/** Place and size of a batch, counted from 1. */
export type BatchMark = readonly [place: number, size: number];

export interface LineTrailer {
  /** Where the entry's own bytes end; the brace that closes them stands behind the seal. */
  readonly textEnd: number;
  readonly marks: LineMarks;
  /** Where the bytes end that the checksum sums up. */
  readonly bodyEnd: number;
  /** Null for what is no checksum. */
  readonly crc: number | null;
}

/** Whether the checksum fits the bytes of the line. */
export function isTrailerValid({ bodyEnd, crc }: LineTrailer, line: Uint8Array, checksum: Checksum): boolean {
  return crc !== null && checksum(line.subarray(0, bodyEnd)) === crc;
}

/** A line ready to be written, without its line end. */
export function withTrailer(text: string, marks: LineMarks, checksum: Checksum): string {
  const body = lineBodyWithMarks(text, marks);
  return `${body}${checksumSuffix(checksum(encoder.encode(body)))}`;
}

/** All of the line that its checksum sums up. */
export function lineBodyWithMarks(text: string, marks: LineMarks): string {
  const openText = text.slice(0, text.lastIndexOf("}"));
  return `${openText}${renderMarks(endsLikeMarks(openText) ? { up: 0, ...marks } : marks)}`;
}

/** What follows it. */
export function checksumSuffix(crc: number): string {
  return `${CRC_PREFIX}${formatCrc(crc)}"}`;
}

/**
 * The seal of a line, or null for a line that has none: pi's lines, and ours after pi rewrote them.
 *
 * Most lines end in their checksum and nothing else: `,"crc":"`, eight digits, `"}`. Every line that is read comes by here, so those are
 * compared byte by byte without a call: the engine compiles each function that is called a few hundred times, while a session is opened.
 */
export function readTrailer(line: Uint8Array): LineTrailer | null {
  const start = line.length - CRC_PREFIX.length - CRC_SUFFIX_BYTES;
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
  if (!isPlain || markEndBytes[line[start - 1] ?? 0]) return readTrailerWithMarks(line);
  return { textEnd: start, marks: NO_MARKS, bodyEnd: start, crc: parseCrc(line, start + CRC_PREFIX.length) };
}

/** Eight small hexadecimal digits as a number; null for anything else. */
function parseCrc(line: Uint8Array, start: number): number | null {
  const a = hexDigitValues[line[start] ?? 0] ?? 0;
  const b = hexDigitValues[line[start + 1] ?? 0] ?? 0;
  const c = hexDigitValues[line[start + 2] ?? 0] ?? 0;
  const d = hexDigitValues[line[start + 3] ?? 0] ?? 0;
  const e = hexDigitValues[line[start + 4] ?? 0] ?? 0;
  const f = hexDigitValues[line[start + 5] ?? 0] ?? 0;
  const g = hexDigitValues[line[start + 6] ?? 0] ?? 0;
  const h = hexDigitValues[line[start + 7] ?? 0] ?? 0;
  if ((a | b | c | d | e | f | g | h) >= NO_DIGIT) return null;
  return ((a << 28) | (b << 24) | (c << 20) | (d << 16) | (e << 12) | (f << 8) | (g << 4) | h) >>> 0;
}

function readTrailerWithMarks(line: Uint8Array): LineTrailer | null {
  const windowStart = Math.max(0, line.length - MAX_TRAILER_CHARS);
  const match = TRAILER_PATTERN.exec(decodeLatin1(line, windowStart));
  if (!match) return null;
  const { up, run, place, size } = match.groups ?? {};
  const marks = {
    ...(up && { up: Number(up) }),
    ...(run && { run: Number(run) }),
    ...(place && size && { batch: [Number(place), Number(size)] as const }),
  };
  const textEnd = windowStart + match.index;
  const bodyEnd = textEnd + match[0].lastIndexOf(CRC_PREFIX);
  return { textEnd, marks, bodyEnd, crc: parseCrc(line, bodyEnd + CRC_PREFIX.length) };
}

// A letter a byte: a sound seal is plain ASCII, and in another one it does not matter.
function decodeLatin1(line: Uint8Array, start: number): string {
  return latin1Decoder.decode(line.subarray(start));
}

/** The line with a seal that reads as one, where only the seal's name has changed and its checksum still fits; null for any other line. */
export function repairTrailer(line: Uint8Array, checksum: Checksum): Uint8Array | null {
  const windowStart = Math.max(0, line.length - MAX_TRAILER_CHARS);
  const match = /,"[^"\\]{3}":"[0-9a-f]{8}"\}\s*$/.exec(decodeLatin1(line, windowStart));
  if (!match) return null;
  const repairedLine = line.slice();
  repairedLine.set(encoder.encode(CRC_PREFIX), windowStart + match.index);
  const trailer = readTrailer(repairedLine);
  return trailer && isTrailerValid(trailer, repairedLine, checksum) ? repairedLine : null;
}

function renderMarks({ up, run, batch }: LineMarks): string {
  const members = [
    up === undefined ? "" : `,"up":${up}`,
    run === undefined ? "" : `,"run":${run}`,
    batch ? `,"batch":[${batch[0]},${batch[1]}]` : "",
  ];
  return members.join("");
}

// A line with such a member of its own gets a true mark behind it, the one that comes first: so its own is not taken for ours.
function endsLikeMarks(openText: string): boolean {
  return /,"(?:up|run)":\d+$|,"batch":\[\d+,\d+\]$/.test(openText.slice(-MAX_TRAILER_CHARS));
}

const formatCrc = (crc: number): string => crc.toString(16).padStart(8, "0");

const TRAILER_PATTERN =
  /(?:,"up":(?<up>\d{1,15}))?(?:,"run":(?<run>\d{1,15}))?(?:,"batch":\[(?<place>\d{1,9}),(?<size>\d{1,9})\])?,"crc":"[^"\\]{8}"\}\s*$/;
const MAX_TRAILER_CHARS = 120;
const CRC_PREFIX = ',"crc":"';
const NO_DIGIT = 16;
/** By byte: the value of a small hexadecimal digit. */
const hexDigitValues = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(byte));
  return value === -1 ? NO_DIGIT : value;
});
const CRC_SUFFIX_BYTES = 10;
const QUOTE = 0x22;
const BRACE = 0x7d;
const NO_MARKS: LineMarks = {};
/** By byte: 1 for a digit and a closing bracket. What ends in one of them before the checksum may be a mark. */
const markEndBytes = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number("0123456789]".includes(String.fromCharCode(byte))),
);
const encoder = new TextEncoder();
const latin1Decoder = new TextDecoder("latin1");
