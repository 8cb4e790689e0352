/** The lines of a file in their order. A line beyond the limit is never held: of it only the beginning is kept. */

import type { OpenFile } from "../../files/files.ts";
import type { FoundLine, Stretch } from "./backwards.ts";

export interface PassedLine extends FoundLine {
  readonly length: number;
  readonly overlong: boolean;
}

/** Blank lines come too: whoever counts lines counts them. */
export function* forwards(file: OpenFile, { start, end, limits }: Stretch): Generator<PassedLine> {
  let begun: Begun = { offset: start, pieces: [], length: 0 };
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(STEP, end - at));
    const count = file.read(chunk, at);
    if (count === 0) break;
    let from = 0;
    for (let to = chunk.indexOf(LINE_END); to !== -1 && to < count; to = chunk.indexOf(LINE_END, from)) {
      yield { ...finished(begun, chunk.subarray(from, to), limits.lineBytes), ended: true };
      from = to + 1;
      begun = { offset: at + from, pieces: [], length: 0 };
    }
    begun = grown(begun, chunk.subarray(from, count), limits.lineBytes);
    at += count;
  }
  if (begun.length > 0) yield { ...finished(begun, EMPTY, limits.lineBytes), ended: false };
}

interface Begun {
  readonly offset: number;
  readonly pieces: readonly Buffer[];
  readonly length: number;
}

function grown({ offset, pieces, length }: Begun, piece: Buffer, limit: number): Begun {
  if (piece.length === 0) return { offset, pieces, length };
  const kept = length + piece.length > limit ? [head(pieces, piece)] : [...pieces, piece];
  return { offset, pieces: kept, length: length + piece.length };
}

function finished(begun: Begun, rest: Buffer, limit: number): Omit<PassedLine, "ended"> {
  const length = begun.length + rest.length;
  const overlong = length > limit;
  if (overlong) return { offset: begun.offset, bytes: head(begun.pieces, rest), length, overlong };
  const bytes = begun.pieces.length === 0 ? rest : Buffer.concat([...begun.pieces, rest]);
  return { offset: begun.offset, bytes, length, overlong };
}

// A copy: a few bytes must not keep a whole chunk in memory.
function head(pieces: readonly Buffer[], piece: Buffer): Buffer {
  return Buffer.concat([...pieces, piece].map((each) => each.subarray(0, HEAD))).subarray(0, HEAD);
}

const EMPTY = Buffer.alloc(0);
const LINE_END = 0x0a;
const HEAD = 1024;
const STEP = 1024 * 1024;
