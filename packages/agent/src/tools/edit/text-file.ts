/** Splits a text file into byte order mark, text and line ends, and applies replacements without changing other bytes. */

export interface TextFile {
  readonly byteOrderMark: string;
  /** Every line ends with a single line feed. */
  readonly text: string;
  /** Offsets in `text` of the line feeds that follow a carriage return in the file; ascending. */
  readonly carriageReturns: readonly number[];
}

/** A range of a text and its replacement. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `whole` is the decoded file, with its byte order mark and its own line ends. */
export function parseTextFile(whole: string): TextFile {
  const byteOrderMark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const raw = whole.slice(byteOrderMark.length);
  return { byteOrderMark, text: normalizeLineEnds(raw), carriageReturns: findCarriageReturns(raw) };
}

/** The new text of a file with the byte order mark of the old one, and with its line ends if they are all the same. */
export function keepFileFormat(text: string, { byteOrderMark, text: oldText, carriageReturns }: TextFile): string {
  const lineEnds = oldText.split("\n").length - 1;
  const isCarriageReturned = lineEnds > 0 && carriageReturns.length === lineEnds && !text.includes("\r\n");
  const withLineEnds = isCarriageReturned ? text.replaceAll("\n", "\r\n") : text;
  return text.startsWith(BYTE_ORDER_MARK) ? withLineEnds : byteOrderMark + withLineEnds;
}

const BYTE_ORDER_MARK = "\ufeff";

export function normalizeLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function findCarriageReturns(raw: string): readonly number[] {
  const carriageReturns: number[] = [];
  for (let offset = raw.indexOf("\r\n"); offset >= 0; offset = raw.indexOf("\r\n", offset + 2))
    carriageReturns.push(offset - carriageReturns.length);
  return carriageReturns;
}

/** The file with its splices, which are in order and do not overlap. New lines get the line end of their surroundings. */
export function joinWithSplices(file: TextFile, splices: readonly Splice[]): string {
  const pieces: string[] = [file.byteOrderMark];
  let position = 0;
  for (const splice of splices) {
    pieces.push(rawSlice(file, position, splice.start), splice.text.replaceAll("\n", lineEndAt(file, splice.start)));
    position = splice.end;
  }
  pieces.push(rawSlice(file, position, file.text.length));
  return pieces.join("");
}

function rawSlice({ text, carriageReturns }: TextFile, start: number, end: number): string {
  const pieces: string[] = [];
  let position = start;
  for (let index = lowerBound(carriageReturns, start); index < carriageReturns.length; index++) {
    const offset = carriageReturns[index] ?? end;
    if (offset >= end) break;
    pieces.push(text.slice(position, offset), "\r");
    position = offset;
  }
  pieces.push(text.slice(position, end));
  return pieces.join("");
}

/** The line end of the line at the offset; after the last line end, that one. */
function lineEndAt({ text, carriageReturns }: TextFile, offset: number): "\r\n" | "\n" {
  const next = text.indexOf("\n", offset);
  const end = next < 0 ? text.lastIndexOf("\n") : next;
  return end >= 0 && carriageReturns[lowerBound(carriageReturns, end)] === end ? "\r\n" : "\n";
}

/** The index of the first number that is not smaller, by binary search. */
function lowerBound(sorted: readonly number[], minimum: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? minimum) < minimum) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text with its splices, which are in order and do not overlap; only the part from `start` to `end` if given. */
export function applySplices(
  text: string,
  splices: readonly Splice[],
  { start, end }: Omit<Splice, "text"> = { start: 0, end: text.length },
): string {
  let position = start;
  const pieces = splices.flatMap((splice) => {
    const before = text.slice(position, splice.start);
    position = splice.end;
    return [before, splice.text];
  });
  return [...pieces, text.slice(position, end)].join("");
}

/** The line numbers of ascending offsets, starting at 1. */
export function lineNumbersAt(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf("\n");
  return offsets.map((offset) => {
    while (next >= 0 && next < offset) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  });
}

/** The lengths of a common start and end. */
export interface CommonEnds {
  readonly head: number;
  readonly tail: number;
}

/** Head and tail do not overlap in the shorter one. */
export function findCommonEnds(one: ArrayLike<string>, other: ArrayLike<string>): CommonEnds {
  const shorterLength = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorterLength && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorterLength - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { head, tail };
}

/** Excludes unchanged text, so that it keeps its line ends. */
export function narrowSplice(text: string, { start, end, text: replacement }: Splice): Splice {
  const { head, tail } = findCommonEnds(text.slice(start, end), replacement);
  return { start: start + head, end: end - tail, text: replacement.slice(head, replacement.length - tail) };
}
