/** Redacts text that arrives in pieces, holding back what may begin a secret. The result is the same however the text is split. */

import { getPrefixIndex, type LiteralMatch } from "./prefix-index.ts";
import { endsLikeKeyLine, KeyLineBuffer, type KeyState } from "./private-keys.ts";

/** How much of a line can be passed on before its end: words in which no secret can begin, and those around a needle once settled. */
export function safePrefixLength(line: string): number {
  const match = getPrefixIndex().literals.findNext(line, 0);
  if (!match) return indexAfterLastSpace(line);
  return safeLengthAfterMatches(line, match) ?? indexAfterLastSpace(line.slice(0, match.index));
}

function indexAfterLastSpace(text: string): number {
  return Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t")) + 1;
}

/** So many words behind the last needle that nothing which began with one can still go on; null where they are not there yet. */
function safeLengthAfterMatches(line: string, firstMatch: LiteralMatch): number | null {
  const { literals } = getPrefixIndex();
  for (let match: LiteralMatch = firstMatch; ; ) {
    const end = indexAfterFiveWords(line, match.index + match.literal.length);
    if (end === null) return null;
    const nextMatch = literals.findNext(line, match.index + 1);
    if (!nextMatch || nextMatch.index >= end) return end;
    match = nextMatch;
  }
}

function indexAfterFiveWords(line: string, from: number): number | null {
  FIVE_WORDS.lastIndex = from;
  return FIVE_WORDS.exec(line) ? FIVE_WORDS.lastIndex : null;
}

// Between the name of a secret and its end there are four at most.
const FIVE_WORDS = /(?:[^ \t]*[ \t]+(?![ \t])){5}/y;

/** Near here where words part, or right here where none do; 0 where that was before what is held. */
export function findLineCut(buffer: string, target: number): number {
  for (let index = target; index > target - CUT_LOOKAHEAD_CHARS; index -= 1) {
    if (index <= 0) return 0;
    if (WORD_SEPARATOR.test(buffer.charAt(index))) return index;
  }
  return target;
}

/** What must be known of a line before it is cut. */
export const CUT_LOOKAHEAD_CHARS: number = 4 * 1024;
const WORD_SEPARATOR = /[\s,;(){}[\]<>|]/;

/** Who knows what is secret; see `Vault`. */
export interface ChunkRedactor {
  redactChunk(text: string, state: Pick<RedactChunkResult, "keyState">): RedactChunkResult;
  mayContinue(text: string): boolean;
}

export interface RedactChunkResult {
  readonly text: string;
  /** Where it ends, as far as private keys go. */
  readonly keyState: KeyState;
}

export class RedactionStream {
  readonly #redactor: ChunkRedactor;
  /** Whole lines before what is held. */
  readonly #keyLines = new KeyLineBuffer();
  /** What has come of a line and was not passed on. */
  #buffer = "";
  /** Where in its line that begins, and where a line without end is cut next. */
  #bufferStart = 0;
  #nextCut: number = MAX_STREAM_LINE_CHARS;
  #keyState: KeyState = "outside";
  /** The length of what is held from which it is scanned again. */
  #nextScanLength = 0;

  constructor(redactor: ChunkRedactor) {
    this.#redactor = redactor;
  }

  /** What can be passed on now. */
  write(text: string): string {
    let output = "";
    let from = 0;
    const findNextPrefix = createPrefixFinder(text);
    for (let lineEnd = text.indexOf("\n"); lineEnd >= 0; lineEnd = text.indexOf("\n", from)) {
      const plainEnd = this.#isBetweenLines ? findPlainLinesEnd(text, { from, to: findNextPrefix(from) }) : from;
      if (plainEnd > from)
        output += this.#redactor.redactChunk(text.slice(from, plainEnd), { keyState: "outside" }).text;
      else output += this.#writeLine(text.slice(from, lineEnd + 1));
      from = plainEnd > from ? plainEnd : lineEnd + 1;
    }
    return output + this.#bufferLine(text.slice(from)) + (this.#isWorthScanning(text) ? this.#flushSafePrefix() : "");
  }

  /**
   * BOUND3: a long word in tiny pieces is not scanned anew with each: only a space can settle anything, and after a scan that
   * settled nothing the text must have grown by an eighth.
   */
  #isWorthScanning(text: string): boolean {
    return /[ \t]/.test(text) && this.#buffer.length >= this.#nextScanLength;
  }

  /** The rest. */
  end(): string {
    const output = this.#flushSafePrefix() + this.#flush(this.#buffer.length);
    this.#keyState = "outside";
    return output;
  }

  get #isBetweenLines(): boolean {
    return this.#bufferStart === 0 && this.#buffer === "" && this.#keyLines.isEmpty && this.#keyState === "outside";
  }

  /** To its end. */
  #writeLine(lineText: string): string {
    let output = this.#bufferLine(lineText);
    if (this.#keyState === "outside" && this.#keyLines.tryAdd(this.#buffer)) this.#buffer = "";
    else output += this.#flushSafePrefix() + this.#flush(this.#buffer.length);
    this.#bufferStart = 0;
    this.#nextCut = MAX_STREAM_LINE_CHARS;
    this.#nextScanLength = 0;
    return output;
  }

  /** A line without end is cut where it does not depend on the pieces it came in. */
  #bufferLine(lineText: string): string {
    let output = "";
    let remaining = lineText;
    for (;;) {
      const capacity = this.#nextCut + CUT_LOOKAHEAD_CHARS - this.#bufferStart - this.#buffer.length;
      if (remaining.length <= capacity) break;
      this.#buffer += remaining.slice(0, Math.max(0, capacity));
      remaining = remaining.slice(Math.max(0, capacity));
      output += this.#flushSafePrefix();
      output += this.#flush(findLineCut(this.#buffer, this.#nextCut - this.#bufferStart));
      this.#nextCut += MAX_STREAM_LINE_CHARS;
    }
    this.#buffer += remaining;
    return output;
  }

  /** What of a line can be passed on though more of it may come: always the same parts of it. */
  #flushSafePrefix(): string {
    let output = "";
    for (;;) {
      const mayContinue =
        this.#keyState !== "outside" || !this.#keyLines.isEmpty || this.#redactor.mayContinue(this.#buffer);
      const length = mayContinue ? 0 : safePrefixLength(this.#buffer);
      if (length === 0) {
        this.#nextScanLength = this.#buffer.length * RESCAN_GROWTH;
        return output;
      }
      output += this.#flush(length);
    }
  }

  /** So much of what is held, behind the lines that waited for it. */
  #flush(length: number): string {
    const chunk = this.#keyLines.flush() + this.#buffer.slice(0, length);
    if (chunk === "") return "";
    const { text, keyState } = this.#redactor.redactChunk(chunk, { keyState: this.#keyState });
    this.#buffer = this.#buffer.slice(length);
    this.#nextScanLength = 0;
    this.#bufferStart += length;
    this.#keyState = keyState;
    return text;
  }
}

const MAX_STREAM_LINE_CHARS = 64 * 1024;
const RESCAN_GROWTH = 9 / 8;

/** Where the next needle stands, looked for once as long as it was not reached. */
function createPrefixFinder(text: string): (from: number) => number {
  let index = -1;
  return (from) => {
    if (index < from) index = getPrefixIndex().literals.findNext(text, from)?.index ?? text.length;
    return index;
  };
}

/** Where the whole lines end in which no secret can begin or end: most of what there is, and passed on at once. */
function findPlainLinesEnd(text: string, { from, to }: { readonly from: number; readonly to: number }): number {
  let end = from;
  for (let newline = text.indexOf("\n", end); newline >= 0 && newline < to; newline = text.indexOf("\n", end)) {
    if (newline - end > MAX_STREAM_LINE_CHARS || endsLikeKeyLine(text, newline + 1)) break;
    end = newline + 1;
  }
  return end;
}
