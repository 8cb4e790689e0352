/** Splits a text file into byte order mark, text and line ends, and joins them again without losing a byte. */

export interface TextFile {
  readonly mark: string;
  /** Every line ends with a single line feed. */
  readonly text: string;
  /** Places in `text` of the line feeds that have a carriage return before them in the file; rising. */
  readonly returns: readonly number[];
}

/** A stretch of `text` and what stands there instead. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Null where the bytes are no UTF-8: written back they would be others. */
export function textFile(bytes: Uint8Array): TextFile | null {
  try {
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = whole.startsWith(MARK) ? MARK : "";
    const raw = whole.slice(mark.length);
    return { mark, text: withPlainEnds(raw), returns: returnsIn(raw) };
  } catch {
    // The decoder has one complaint only.
    return null;
  }
}

const MARK = "\ufeff";

export function withPlainEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function returnsIn(raw: string): readonly number[] {
  const returns: number[] = [];
  for (let at = raw.indexOf("\r\n"); at >= 0; at = raw.indexOf("\r\n", at + 2)) returns.push(at - returns.length);
  return returns;
}

/** The file with its splices, which are in order and apart; new lines end as those around them do. */
export function bytesWith(file: TextFile, splices: readonly Splice[]): Uint8Array {
  const pieces: string[] = [file.mark];
  let done = 0;
  for (const splice of splices) {
    pieces.push(rawSlice(file, done, splice.start), splice.text.replaceAll("\n", lineEndAt(file, splice.start)));
    done = splice.end;
  }
  pieces.push(rawSlice(file, done, file.text.length));
  return new TextEncoder().encode(pieces.join(""));
}

function rawSlice({ text, returns }: TextFile, start: number, end: number): string {
  const pieces: string[] = [];
  let done = start;
  for (let at = firstFrom(returns, start); at < returns.length; at++) {
    const place = returns[at] ?? end;
    if (place >= end) break;
    pieces.push(text.slice(done, place), "\r");
    done = place;
  }
  pieces.push(text.slice(done, end));
  return pieces.join("");
}

/** As the line that is cut into; behind the last line end, as that one. */
function lineEndAt({ text, returns }: TextFile, place: number): "\r\n" | "\n" {
  const next = text.indexOf("\n", place);
  const end = next < 0 ? text.lastIndexOf("\n") : next;
  return end >= 0 && returns[firstFrom(returns, end)] === end ? "\r\n" : "\n";
}

/** The index of the first number that is no smaller; by halving. */
function firstFrom(rising: readonly number[], least: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? least) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
