/** Lines of an output as bytes: counted, cut where a line or at least a character ends, and made readable. */

import { NEWLINE } from "./ascii.ts";

/** How much of a piece may be given up so that it begins or ends with a whole line. */
const SPARE = 1 / 4;

export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1;
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
  if (newline >= 0 && newline < bytes.length * SPARE) return bytes.subarray(newline + 1);
  const start = bytes.findIndex((byte) => !isWithinCharacter(byte));
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

export function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline > bytes.length * (1 - SPARE) ? bytes.subarray(0, newline + 1) : bytes;
}

/** Bytes that are no text become one mark for each stretch of them. A character that is still to come is not shown by halves. */
export function readableText(bytes: Uint8Array, { isGoingOn = false }: { readonly isGoingOn?: boolean } = {}): string {
  const text = new TextDecoder().decode(bytes, { stream: isGoingOn });
  return text.replace(/\uFFFD{2,}/g, "\uFFFD").replace(/[\u0080-\u009F]+/g, "");
}

function isWithinCharacter(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
