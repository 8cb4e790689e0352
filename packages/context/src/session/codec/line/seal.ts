/** The end of a line of ours: what the store notes about it, and the checksum of all bytes before. It is no part of the entry. */

import type { Checksum } from "../../../ports.ts";

/** What the store notes on a line, for whoever reads the file from its end. */
export interface Marks {
  /** Where the parent's line begins, if the parent is not the line before. A hint: it counts only if the parent is there. */
  readonly up?: number;
  /** How many lines before this one were perhaps not on the disk yet when it was written. */
  readonly run?: number;
  readonly batch?: BatchMark;
}

/** Place and size of a batch, counted from 1. */
export type BatchMark = readonly [place: number, size: number];

export interface Seal {
  /** The line as it was meant, without marks and checksum. */
  readonly text: string;
  readonly marks: Marks;
  /** Whether the checksum fits the bytes of the line. */
  holds(line: Uint8Array, checksum: Checksum): boolean;
}

/** A line ready to be written, without its line end. */
export function sealed(text: string, marks: Marks, checksum: Checksum): string {
  const open = text.slice(0, text.lastIndexOf("}"));
  const body = `${open}${written(endsLikeMarks(open) ? { up: 0, ...marks } : marks)}`;
  return `${body},"crc":"${checksumOf(body, checksum)}"}`;
}

/** The seal of a line, or null for a line that has none: pi's lines, and ours after pi rewrote them. */
export function sealOf(line: string): Seal | null {
  const tail = line.slice(-LONGEST_SEAL);
  const found = SEAL.exec(tail);
  if (!found) return null;
  const end = line.length - tail.length + found.index;
  const { up, run, place, size, sum } = found.groups ?? {};
  // A sound seal is plain ASCII: as many bytes as letters.
  const sealLength = line.length - line.lastIndexOf(',"crc":"');
  return {
    text: `${line.slice(0, end)}}`,
    marks: {
      ...(up && { up: Number(up) }),
      ...(run && { run: Number(run) }),
      ...(place && size && { batch: [Number(place), Number(size)] as const }),
    },
    holds: (bytes, checksum) => hex(checksum(bytes.subarray(0, bytes.length - sealLength))) === sum,
  };
}

/** Whether a line without a seal ends in one whose name has changed: the checksum of what stands before it still fits. */
export function endsInBrokenSeal(line: string, checksum: Checksum): boolean {
  const tail = line.slice(-LONGEST_SEAL);
  const found = /,"[^"\\]{3}":"([0-9a-f]{8})"\}\s*$/.exec(tail);
  return found !== null && checksumOf(line.slice(0, line.length - tail.length + found.index), checksum) === found[1];
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

function checksumOf(text: string, checksum: Checksum): string {
  return hex(checksum(encoder.encode(text)));
}

const hex = (sum: number): string => sum.toString(16).padStart(8, "0");

const SEAL =
  /(?:,"up":(?<up>\d{1,15}))?(?:,"run":(?<run>\d{1,9}))?(?:,"batch":\[(?<place>\d{1,9}),(?<size>\d{1,9})\])?,"crc":"(?<sum>[^"\\]{8})"\}\s*$/;
const LONGEST_SEAL = 120;
const encoder = new TextEncoder();
