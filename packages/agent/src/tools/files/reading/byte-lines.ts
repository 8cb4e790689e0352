/** The lines in a piece of something long, by their places. A line without end is parted, so that no line is out of reach. */

export interface ByteLine {
  readonly start: number;
  /** Behind its last byte, without the line end. */
  readonly end: number;
  /** Where the next line starts. */
  readonly next: number;
}

/** A longer line counts as several. */
export const LONGEST_PART = 1_000;

/** The piece starts where a line does; one that goes on behind it is given only where the piece is the last. */
export function* byteLines(piece: Uint8Array, { isLast }: { readonly isLast: boolean }): Generator<ByteLine> {
  let feed = -1;
  for (let start = 0; start < piece.length; ) {
    if (feed < start) feed = feedFrom(piece, start);
    const line = lineAt(piece, start, feed);
    if (line.end === piece.length && !isLast) return;
    yield line;
    start = line.next;
  }
}

function feedFrom(piece: Uint8Array, start: number): number {
  const feed = piece.indexOf(LINE_FEED, start);
  return feed < 0 ? piece.length : feed;
}

const LINE_FEED = 10;

function lineAt(piece: Uint8Array, start: number, feed: number): ByteLine {
  if (feed - start <= LONGEST_PART) return { start, end: feed, next: Math.min(feed + 1, piece.length) };
  const end = letterBefore(piece, start + LONGEST_PART);
  return { start, end, next: end };
}

/** Not inside a letter, which has at most four bytes. */
function letterBefore(piece: Uint8Array, at: number): number {
  for (let back = 0; back < 4; back++) if (((piece[at - back] ?? 0) & 0b1100_0000) !== 0b1000_0000) return at - back;
  return at;
}
