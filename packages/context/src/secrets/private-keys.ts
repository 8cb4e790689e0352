/** Finds the lines of private keys, whole or in pieces. Markers and line ends stay, so that lines can still be counted. */

import type { SecretKind, SecretMatch } from "./matches.ts";
import { KEY_FOOTER_PREFIX } from "./prefix-index.ts";

export interface KeyMatches {
  readonly matches: readonly SecretMatch[];
  readonly state: KeyState;
}

/** Where a text ends: outside of any key, behind the mark that begins one, or within its body. */
export type KeyState = "outside" | "marked" | "inside";

export const PRIVATE_KEY_KIND: SecretKind = { id: "privatekey", name: "line of a private key" };

/** Null where no private key begins here. */
export function findKeyBody(text: string, index: number): KeyMatches | null {
  KEY_HEADER_PATTERN.lastIndex = index;
  const header = KEY_HEADER_PATTERN.exec(text);
  return header
    ? collectKeyLines(text, { from: index + header[0].length, isAfterHeader: true, hasKeyLines: false })
    : null;
}

const KEY_HEADER_PATTERN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;

/** The rest of a key that began in the text before this one. */
export function findKeyContinuation(text: string, state: KeyState): KeyMatches {
  if (state === "outside") return { matches: [], state };
  return collectKeyLines(text, { from: 0, isAfterHeader: false, hasKeyLines: state === "inside" });
}

interface KeyBodyStart {
  readonly from: number;
  /** The mark stands right before it. */
  readonly isAfterHeader: boolean;
  /** Lines of the key were seen already. */
  readonly hasKeyLines: boolean;
}

function collectKeyLines(text: string, { from, isAfterHeader, hasKeyLines: hadKeyLines }: KeyBodyStart): KeyMatches {
  const matches: SecretMatch[] = [];
  // Whatever mark comes next, the key goes no further.
  const nextMarker = text.indexOf(KEY_MARKER, from);
  const limit = nextMarker < 0 ? text.length : nextMarker;
  let lineStart = from;
  for (let lines = 0; lines < MAX_KEY_LINES; lines += 1) {
    const rest = text.slice(lineStart, limit);
    const newline = rest.indexOf("\n");
    const isLast = newline < 0;
    const end = isLast ? limit : lineStart + newline;
    const isBeforeFooter = isLast && text.startsWith(KEY_FOOTER_PREFIX, limit);
    const hasKeyLines = hadKeyLines || matches.length > 0;
    const lineMatches = matchKeyLine(text, lineStart, {
      end,
      isAfterHeader: isAfterHeader && lines === 0,
      isBeforeFooter,
      hasKeyLines,
    });
    if (lineMatches === null) break;
    matches.push(...lineMatches);
    if (isLast && nextMarker < 0) return { matches, state: hadKeyLines || matches.length > 0 ? "inside" : "marked" };
    if (isLast) break;
    lineStart = end + 1;
  }
  return { matches, state: "outside" };
}

export const KEY_MARKER = "-----";
const MAX_KEY_LINES = 800;

/** Lines before the end of a key whose beginning is not here. */
export function findKeyTail(text: string, footerIndex: number, minIndex: number): readonly SecretMatch[] {
  if (!KEY_FOOTER_PATTERN.test(text.slice(footerIndex, footerIndex + MAX_KEY_FOOTER_CHARS))) return [];
  const matches: SecretMatch[] = [...findEscapedKeyTail(text, footerIndex, minIndex)];
  let end = footerIndex;
  for (let lines = 0; lines < MAX_KEY_LINES && end > minIndex; lines += 1) {
    const start = Math.max(minIndex, text.lastIndexOf("\n", end - 1) + 1);
    const line = text.slice(Math.max(start, end - MAX_KEY_LINE_CHARS), end);
    // The last line of a key is as long as it happens to be, and a sum may follow it.
    const { index = 0, 0: run = "" } = (lines < 3 ? ANY_BASE64_RUN : LONG_BASE64_RUN).exec(line) ?? {};
    if (run === "" && lines > 0) break;
    if (run !== "") matches.push(toKeyMatch(end - line.length + index, run.length));
    end = start - 1;
  }
  return matches.some(({ start, end: matchEnd }) => matchEnd - start >= MIN_FULL_KEY_LINE_CHARS) ? matches : [];
}

/** The same on one line, as JSON has it. */
function findEscapedKeyTail(text: string, footerIndex: number, minIndex: number): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  for (let end = footerIndex; isNewlineEscape(text, end - 2); ) {
    let stop = end - 2;
    while (isNewlineEscape(text, stop - 2)) stop -= 2;
    let start = stop;
    while (start > minIndex && BASE64_CHAR.test(text.charAt(start - 1))) start -= 1;
    // The letter of the escape before it is none of its own.
    if (isNewlineEscape(text, start - 1)) start += 1;
    if (start >= stop) break;
    matches.push(toKeyMatch(start, stop - start));
    end = start;
  }
  return matches;
}

function isNewlineEscape(text: string, index: number): boolean {
  return text.charAt(index) === "\\" && /[nr]/.test(text.charAt(index + 1));
}

const BASE64_CHAR = /[A-Za-z0-9+/=]/;
const KEY_FOOTER_PATTERN = /^-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const MAX_KEY_FOOTER_CHARS = 80;
/** Letters of Base64 that a full line of a key has at least. */
const MIN_FULL_KEY_LINE_CHARS = 40;
/** Lines of keys have 64 to 76 letters, and something may stand before them. */
const MAX_KEY_LINE_CHARS = 200;
const LONG_BASE64_RUN = /[A-Za-z0-9+/]{40,}={0,2}(?=\s*$)/;
const ANY_BASE64_RUN = /[A-Za-z0-9+/]{4,}={0,2}(?=\s*$)/;

interface KeyLineContext {
  readonly end: number;
  /** Behind the mark that begins the key. */
  readonly isAfterHeader: boolean;
  /** Before the mark that ends it. */
  readonly isBeforeFooter: boolean;
  /** A line before it was one of the key. */
  readonly hasKeyLines: boolean;
}

/** Null where this is no line of a key. */
function matchKeyLine(
  text: string,
  start: number,
  { end, isAfterHeader, isBeforeFooter, hasKeyLines }: KeyLineContext,
): readonly SecretMatch[] | null {
  const line = text.slice(start, end);
  if (line.trim() === "" || KEY_METADATA_LINE.test(line)) return [];
  const runs = [...line.matchAll(BASE64_RUNS)].flatMap(({ 1: run, index }) =>
    run === undefined ? [] : [toKeyMatch(start + index, run.length)],
  );
  const longRuns = runs.filter(({ start: from, end: to }) => to - from >= MIN_BASE64_RUN_CHARS);
  if (longRuns.length > 0) return isBeforeFooter ? runs : longRuns;
  if (hasKeyLines && line.length <= MAX_KEY_LINE_CHARS && BASE64_LINE.test(line)) return runs;
  return isAfterHeader && EMPTY_KEY_LINE.test(line) ? [] : null;
}

const KEY_METADATA_LINE = /^[\s>+|#*"'-]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): /;
/** Escapes are passed by, so that the letter of one is not taken for a part of the key. */
const BASE64_RUNS = /\\[nrt]|([A-Za-z0-9+/]{4,}={0,2})/g;
const BASE64_LINE = /^[\s"'`,;\\]*[A-Za-z0-9+/]{1,}={0,2}(?:\\+[nr])*[\s"'`,;\\+]*$/;
const EMPTY_KEY_LINE = /^(?:[\s"'`+,;\\]|(?<=\\)[nr])*$/;
const MIN_BASE64_RUN_CHARS = 24;

function toKeyMatch(start: number, length: number): SecretMatch {
  return { start, end: start + length, kind: PRIVATE_KEY_KIND };
}

/** Holds back lines that may end a key whose beginning was not seen, until it is clear whether the marker of its end follows. */
export class KeyLineBuffer {
  #buffer = "";
  /** The last lines of a key are as long as they happen to be. */
  #shortLines = 0;

  get isEmpty(): boolean {
    return this.#buffer === "";
  }

  /** Whether this line waits; else it is what those that wait were waiting for. */
  tryAdd(line: string): boolean {
    if (this.#buffer.length >= MAX_KEY_BUFFER_CHARS) return false;
    const isLong = endsLikeKeyLine(line, line.length);
    if (!isLong && (this.isEmpty || this.#shortLines >= MAX_SHORT_KEY_LINES || !SHORT_KEY_LINE.test(line)))
      return false;
    this.#shortLines = isLong ? 0 : this.#shortLines + 1;
    this.#buffer += line;
    return true;
  }

  /** All that waited. */
  flush(): string {
    const lines = this.#buffer;
    this.#buffer = "";
    this.#shortLines = 0;
    return lines;
  }
}

const MAX_KEY_BUFFER_CHARS = 64 * 1024;
const MAX_SHORT_KEY_LINES = 2;
const SHORT_KEY_LINE = /^\S{0,8} {0,4}[A-Za-z0-9+/=]{1,80}\r?\n$/;

/** Whether the line before this place, with its end, ends in as many letters of Base64 as a line of a key has. */
export function endsLikeKeyLine(text: string, lineEnd: number): boolean {
  let index = lineEnd - 1;
  while (index > lineEnd - 5 && LINE_END_CHAR.test(text.charAt(index))) index -= 1;
  for (const minIndex = index - MIN_FULL_KEY_LINE_CHARS; index > minIndex; index -= 1)
    if (!isBase64Char(text.charCodeAt(index))) return false;
  return true;
}

const LINE_END_CHAR = /[\r\n=]/;

function isBase64Char(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2f && code <= 0x39) || code === 0x2b
  );
}
