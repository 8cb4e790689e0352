/** Redacts text that arrives in chunks; holds back text that may start a secret. The result does not depend on the chunks. */

import { startOfTerminalSequence } from "./matches.ts";
import { getPrefixIndex, type LiteralMatch } from "./prefix-index.ts";
import { endsLikeKeyLine, KeyLineBuffer, type KeyState } from "./private-keys.ts";

/** How much of an incomplete line can be written: words in which no secret can start, and those around a prefix that is decided. */
function safePrefixLength(line: string): number {
  const match = getPrefixIndex().literals.findNext(line, 0);
  if (!match) return indexAfterLastSpace(line);
  return safeLengthAfterMatches(line, match) ?? indexAfterLastSpace(line.slice(0, match.index));
}

/** A space inside a terminal sequence does not count. */
function indexAfterLastSpace(text: string): number {
  const afterTab = text.lastIndexOf("\t") + 1;
  let afterSpace = text.lastIndexOf(" ") + 1;
  while (afterSpace > afterTab && isInTerminalSequence(text, afterSpace))
    afterSpace = text.lastIndexOf(" ", afterSpace - 2) + 1;
  return Math.max(afterTab, afterSpace);
}

function isInTerminalSequence(text: string, index: number): boolean {
  return startOfTerminalSequence(text, index) < index;
}

/** The end of five words after the last prefix, where no secret can continue; null if the line has fewer words. */
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
  if (!FIVE_WORDS.test(line)) return null;
  const end = FIVE_WORDS.lastIndex;
  return isInTerminalSequence(line, end) ? null : end;
}

// At most four words lie between the name of a secret and its end.
const FIVE_WORDS = /(?:[^ \t]*[ \t]+(?![ \t])){5}/y;

/** Finds a word boundary at or before `target`, or else `target` itself; 0 if the boundary is before the buffer. */
function findLineCut(buffer: string, target: number): number {
  for (let index = target; index > target - CUT_LOOKAHEAD_CHARS; index -= 1) {
    if (index <= 0) return 0;
    if (WORD_SEPARATOR.test(buffer.charAt(index))) return startOfTerminalSequence(buffer, index);
  }
  return target;
}

/** How many characters after a cut must be known first. */
const CUT_LOOKAHEAD_CHARS: number = 4 * 1024;
const WORD_SEPARATOR = /[\s,;(){}[\]<>|]/;

/** Redacts chunks for a stream; see `Vault`. */
export interface ChunkRedactor {
  redactChunk(text: string, state: Pick<RedactChunkResult, "keyState">): RedactChunkResult;
  mayContinue(text: string): boolean;
}

export interface RedactChunkResult {
  readonly text: string;
  /** Whether the text ends inside a private key. */
  readonly keyState: KeyState;
}

/** Redacts text that arrives in chunks. */
export class RedactionStream {
  readonly #redactor: ChunkRedactor;
  /** Complete lines before the buffer that may belong to a private key. */
  readonly #keyLines = new KeyLineBuffer();
  /** The part of the current line that is not written yet. */
  #buffer = "";
  /** The position of the buffer in its line, and where an overlong line is cut next. */
  #bufferStart = 0;
  #nextCut: number = MAX_STREAM_LINE_CHARS;
  #keyState: KeyState = "outside";
  /** The buffer is scanned again when it has this length. */
  #nextScanLength = 0;

  constructor(redactor: ChunkRedactor) {
    this.#redactor = redactor;
  }

  /** Adds text and returns the redacted text that is decided. */
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
   * BOUND3: a long word in tiny chunks is not scanned with each chunk. Only a space can decide anything, and after a scan without a result
   * the text must grow by an eighth.
   */
  #isWorthScanning(text: string): boolean {
    return /[ \t]/.test(text) && this.#buffer.length >= this.#nextScanLength;
  }

  /** Returns the rest of the redacted text. */
  end(): string {
    const output = this.#flushSafePrefix() + this.#flush(this.#buffer.length);
    this.#keyState = "outside";
    return output;
  }

  get #isBetweenLines(): boolean {
    return this.#bufferStart === 0 && this.#buffer === "" && this.#keyLines.isEmpty && this.#keyState === "outside";
  }

  /** Adds the rest of a line, including its line end. */
  #writeLine(lineText: string): string {
    let output = this.#bufferLine(lineText);
    if (this.#keyState === "outside" && this.#keyLines.tryAdd(this.#buffer)) this.#buffer = "";
    else output += this.#flushSafePrefix() + this.#flush(this.#buffer.length);
    this.#bufferStart = 0;
    this.#nextCut = MAX_STREAM_LINE_CHARS;
    this.#nextScanLength = 0;
    return output;
  }

  /** Adds to the buffer. An overlong line is cut at positions that do not depend on the chunks. */
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

  /** Writes the decided part of an incomplete line, always in the same parts. */
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

  /** Writes the held key lines and the start of the buffer. */
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

/** Returns a function that finds the next prefix and remembers it until it is passed. */
function createPrefixFinder(text: string): (from: number) => number {
  let index = -1;
  return (from) => {
    if (index < from) index = getPrefixIndex().literals.findNext(text, from)?.index ?? text.length;
    return index;
  };
}

/** The end of the complete lines in which no secret can start or end. Most text is such lines, which are written at once. */
function findPlainLinesEnd(text: string, { from, to }: { readonly from: number; readonly to: number }): number {
  let end = from;
  for (let newline = text.indexOf("\n", end); newline >= 0 && newline < to; newline = text.indexOf("\n", end)) {
    if (newline - end > MAX_STREAM_LINE_CHARS || endsLikeKeyLine(text, newline + 1)) break;
    end = newline + 1;
  }
  return end;
}
