/** Writes and reads the trailer of a line: the store's marks and a CRC-32 of all bytes before it. It is not part of the entry. */

import type { Checksum } from "../runtime.ts";

/** The store's marks on a line, used when a file is read from its end. */
export interface LineMarks {
  /** The offset of the parent's line, if the parent is not the line before. It is a hint: a reader checks that the parent is there. */
  readonly up?: number;
  /** The offset from which lines may not have been synced when this line was written. */
  readonly run?: number;
  /** The position of the line in its batch; absent for a batch of one. */
  readonly batch?: BatchMark;
}

/** The position of a line in its batch, counted from 1, and the size of the batch. */
export type BatchMark = readonly [position: number, size: number];

/** The parsed trailer of a line. */
export interface LineTrailer {
  /** Where the entry's own bytes end. The closing brace of the entry comes after the trailer. */
  readonly textEnd: number;
  readonly marks: LineMarks;
  /** Where the bytes covered by the checksum end. */
  readonly bodyEnd: number;
  /** Null if the digits are not a checksum. */
  readonly crc: number | null;
}

/** Whether the checksum matches the bytes of the line. */
export function isTrailerValid({ bodyEnd, crc }: LineTrailer, line: Uint8Array, checksum: Checksum): boolean {
  return crc !== null && checksum(line.subarray(0, bodyEnd)) === crc;
}

/** Adds marks and checksum to the JSON of an entry. The result has no line end. */
export function withTrailer(text: string, marks: LineMarks, checksum: Checksum): string {
  const body = lineBodyWithMarks(text, marks);
  return `${body}${checksumSuffix(checksum(encoder.encode(body)))}`;
}

/** Returns the part of the line that the checksum covers: the JSON without its closing brace, and the marks. */
export function lineBodyWithMarks(text: string, marks: LineMarks): string {
  const openText = text.slice(0, text.lastIndexOf("}"));
  return `${openText}${renderMarks(endsLikeMarks(openText) ? { up: 0, ...marks } : marks)}`;
}

/** Returns the part of the line after the covered part: the checksum and the closing brace. */
export function checksumSuffix(crc: number): string {
  return `${CRC_PREFIX}${formatCrc(crc)}"}`;
}

/**
 * Reads the trailer of a line. Returns null for a line without one: a line of pi, or one that pi has rewritten.
 *
 * Most trailers have no marks: `,"crc":"`, eight digits, `"}`. Those are compared byte by byte without a function call, because this runs
 * for every line and each function called a few hundred times would be compiled while a session opens.
 */
export function readTrailer(line: Uint8Array): LineTrailer | null {
  const start = line.length - CRC_PREFIX.length - CRC_SUFFIX_BYTES;
  const endsInChecksum =
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
  if (!endsInChecksum || markEndBytes[line[start - 1] ?? 0]) return readTrailerWithMarks(line);
  return { textEnd: start, marks: NO_MARKS, bodyEnd: start, crc: parseCrc(line, start + CRC_PREFIX.length) };
}

/** Parses eight lowercase hexadecimal digits; null for anything else. */
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
  const { up, run, position, size } = match.groups ?? {};
  const marks = {
    ...(up && { up: Number(up) }),
    ...(run && { run: Number(run) }),
    ...(position && size && { batch: [Number(position), Number(size)] as const }),
  };
  const textEnd = windowStart + match.index;
  const bodyEnd = textEnd + match[0].lastIndexOf(CRC_PREFIX);
  return { textEnd, marks, bodyEnd, crc: parseCrc(line, bodyEnd + CRC_PREFIX.length) };
}

// One character per byte, so that string indexes are byte offsets. A valid trailer is ASCII.
function decodeLatin1(line: Uint8Array, start: number): string {
  return latin1Decoder.decode(line.subarray(start));
}

/** Repairs a line in which only the name of the `crc` member has changed. Returns null for any other line. */
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

// An entry that ends in a member of such a name gets an explicit `up` mark, so that its own member is not read as a mark.
function endsLikeMarks(openText: string): boolean {
  return /,"(?:up|run)":\d+$|,"batch":\[\d+,\d+\]$/.test(openText.slice(-MAX_TRAILER_CHARS));
}

const formatCrc = (crc: number): string => crc.toString(16).padStart(8, "0");

const TRAILER_PATTERN =
  /(?:,"up":(?<up>\d{1,15}))?(?:,"run":(?<run>\d{1,15}))?(?:,"batch":\[(?<position>\d{1,9}),(?<size>\d{1,9})\])?,"crc":"[^"\\]{8}"\}\s*$/;
const MAX_TRAILER_CHARS = 120;
const CRC_PREFIX = ',"crc":"';
const NO_DIGIT = 16;
/** The value of a lowercase hexadecimal digit, by byte. */
const hexDigitValues = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(byte));
  return value === -1 ? NO_DIGIT : value;
});
const CRC_SUFFIX_BYTES = 10;
const QUOTE = 0x22;
const BRACE = 0x7d;
const NO_MARKS: LineMarks = {};
/** 1 for a digit and a closing bracket, by byte: text before the checksum that ends in one of them may be a mark. */
const markEndBytes = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number("0123456789]".includes(String.fromCharCode(byte))),
);
const encoder = new TextEncoder();
const latin1Decoder = new TextDecoder("latin1");
