/** The end of a line of ours: its place in a batch, and the checksum of all bytes before it. */

import type { Checksum } from "../../../ports.ts";

/** Place and size of a batch, counted from 1. */
export type BatchMark = readonly [place: number, size: number];

export interface Seal {
  /** The line as it was meant, without batch mark and checksum. */
  readonly text: string;
  readonly batch: BatchMark | null;
  /** Whether the checksum fits the bytes of the line. */
  holds(line: Uint8Array, checksum: Checksum): boolean;
}

/** A line ready to be written, without its line end. */
export function sealed(text: string, batch: BatchMark | null, checksum: Checksum): string {
  const open = text.slice(0, text.lastIndexOf("}"));
  // A line that itself ends like a batch mark gets a true one behind it, so that its own is not taken for ours.
  const mark = batch ?? (/,"batch":\[\d{1,9},\d{1,9}\]$/.test(open.slice(-LONGEST_SEAL)) ? ALONE : null);
  const body = mark ? `${open},"batch":[${mark[0]},${mark[1]}]` : open;
  return `${body},"crc":"${checksumOf(body, checksum)}"}`;
}

/** The seal of a line, or null for a line that has none: pi's lines, and ours after pi rewrote them. */
export function sealOf(line: string): Seal | null {
  const tail = line.slice(-LONGEST_SEAL);
  const found = /(?:,"batch":\[(\d{1,9}),(\d{1,9})\])?,"crc":"([^"\\]{8})"\}\s*$/.exec(tail);
  if (!found) return null;
  const end = line.length - tail.length + found.index;
  // A sound seal is plain ASCII: as many bytes as letters.
  const sealLength = line.length - line.lastIndexOf(',"crc":"');
  return {
    text: `${line.slice(0, end)}}`,
    batch: found[1] && found[2] ? [Number(found[1]), Number(found[2])] : null,
    holds: (bytes, checksum) => hex(checksum(bytes.subarray(0, bytes.length - sealLength))) === found[3],
  };
}

/** Whether a line without a seal ends in one whose name has changed: the checksum of what stands before it still fits. */
export function endsInBrokenSeal(line: string, checksum: Checksum): boolean {
  const tail = line.slice(-LONGEST_SEAL);
  const found = /,"[^"\\]{3}":"([0-9a-f]{8})"\}\s*$/.exec(tail);
  return found !== null && checksumOf(line.slice(0, line.length - tail.length + found.index), checksum) === found[1];
}

function checksumOf(text: string, checksum: Checksum): string {
  return hex(checksum(encoder.encode(text)));
}

const hex = (sum: number): string => sum.toString(16).padStart(8, "0");

const LONGEST_SEAL = 80;
const ALONE: BatchMark = [1, 1];
const encoder = new TextEncoder();
