/** Splits a text file into byte order mark, text and line ends, and joins them again without losing a byte. */

export interface TextFile {
  readonly byteOrderMark: string;
  /** Every line ends with a single line feed. */
  readonly text: string;
  /** Places in `text` of the line feeds that have a carriage return before them in the file; rising. */
  readonly carriageReturns: readonly number[];
}

/** A stretch of `text` and what stands there instead. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Null where the bytes are no UTF-8: written back they would be others. */
export function parseTextFile(bytes: Uint8Array): TextFile | null {
  try {
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const byteOrderMark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
    const raw = whole.slice(byteOrderMark.length);
    return { byteOrderMark, text: normalizeLineEnds(raw), carriageReturns: findCarriageReturns(raw) };
  } catch {
    // The decoder has one complaint only.
    return null;
  }
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

/** The file with its splices, which are in order and apart; new lines end as those around them do. */
export function encodeWithSplices(file: TextFile, splices: readonly Splice[]): Uint8Array {
  const pieces: string[] = [file.byteOrderMark];
  let position = 0;
  for (const splice of splices) {
    pieces.push(rawSlice(file, position, splice.start), splice.text.replaceAll("\n", lineEndAt(file, splice.start)));
    position = splice.end;
  }
  pieces.push(rawSlice(file, position, file.text.length));
  return new TextEncoder().encode(pieces.join(""));
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

/** As the line that is cut into; behind the last line end, as that one. */
function lineEndAt({ text, carriageReturns }: TextFile, offset: number): "\r\n" | "\n" {
  const next = text.indexOf("\n", offset);
  const end = next < 0 ? text.lastIndexOf("\n") : next;
  return end >= 0 && carriageReturns[lowerBound(carriageReturns, end)] === end ? "\r\n" : "\n";
}

/** The index of the first number that is no smaller; by halving. */
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
