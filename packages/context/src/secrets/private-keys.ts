/** Finds the lines of private keys, complete or partial. Header, footer and line ends stay, so that line numbers do not change. */

import type { SecretKind, SecretMatch } from "./matches.ts";
import { KEY_FOOTER_PREFIX } from "./prefix-index.ts";

export interface KeyMatches {
  readonly matches: readonly SecretMatch[];
  readonly state: KeyState;
}

/** Where a text ends: outside of any key, after the header of a key, or inside its body. */
export type KeyState = "outside" | "marked" | "inside";

const PRIVATE_KEY_KIND: SecretKind = { id: "privatekey", name: "private key line" };

/** Finds the lines of a key whose header is at `index`; null if there is no header. */
export function findKeyBody(text: string, index: number): KeyMatches | null {
  KEY_HEADER_PATTERN.lastIndex = index;
  const header = KEY_HEADER_PATTERN.exec(text);
  return header
    ? collectKeyLines(text, { from: index + header[0].length, isAfterHeader: true, hasKeyLines: false })
    : null;
}

const KEY_HEADER_PATTERN = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;

/** Finds the rest of a key that started in the previous chunk. */
export function findKeyContinuation(text: string, state: KeyState): KeyMatches {
  if (state === "outside") return { matches: [], state };
  return collectKeyLines(text, { from: 0, isAfterHeader: false, hasKeyLines: state === "inside" });
}

interface KeyBodyStart {
  readonly from: number;
  /** Whether the header is directly before it. */
  readonly isAfterHeader: boolean;
  /** Whether lines of the key were found before. */
  readonly hasKeyLines: boolean;
}

function collectKeyLines(text: string, { from, isAfterHeader, hasKeyLines: hadKeyLines }: KeyBodyStart): KeyMatches {
  const matches: SecretMatch[] = [];
  // The key ends at the next marker of any kind.
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

/** Finds the lines before the footer of a key whose header is not in the text. */
export function findKeyTail(text: string, footerIndex: number, minIndex: number): readonly SecretMatch[] {
  if (!KEY_FOOTER_PATTERN.test(text.slice(footerIndex, footerIndex + MAX_KEY_FOOTER_CHARS))) return [];
  const matches: SecretMatch[] = [...findEscapedKeyTail(text, footerIndex, minIndex)];
  let end = footerIndex;
  for (let lines = 0; lines < MAX_KEY_LINES && end > minIndex; lines += 1) {
    const start = Math.max(minIndex, text.lastIndexOf("\n", end - 1) + 1);
    const line = text.slice(Math.max(start, end - MAX_KEY_LINE_CHARS), end);
    // The last line of a key can have any length, and a checksum may follow it.
    const { index = 0, 0: run = "" } = (lines < 3 ? ANY_BASE64_RUN : LONG_BASE64_RUN).exec(line) ?? {};
    if (run === "" && lines > 0) break;
    if (run !== "") matches.push(toKeyMatch(end - line.length + index, run.length));
    end = start - 1;
  }
  return matches.some(({ start, end: matchEnd }) => matchEnd - start >= MIN_FULL_KEY_LINE_CHARS) ? matches : [];
}

/** The same for a key on one line with escaped line ends, as in JSON. */
function findEscapedKeyTail(text: string, footerIndex: number, minIndex: number): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  for (let end = footerIndex; isNewlineEscape(text, end - 2); ) {
    let stop = end - 2;
    while (isNewlineEscape(text, stop - 2)) stop -= 2;
    let start = stop;
    while (start > minIndex && BASE64_CHAR.test(text.charAt(start - 1))) start -= 1;
    // The `n` or `r` of the escape before it is not a part of the key.
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
/** The minimum number of base64 characters in a full line of a key. */
const MIN_FULL_KEY_LINE_CHARS = 40;
/** Key lines have 64 to 76 characters, plus possible text before them. */
const MAX_KEY_LINE_CHARS = 200;
const LONG_BASE64_RUN = /[A-Za-z0-9+/]{40,}={0,2}(?=\s*$)/;
const ANY_BASE64_RUN = /[A-Za-z0-9+/]{4,}={0,2}(?=\s*$)/;

interface KeyLineContext {
  readonly end: number;
  /** Whether the line follows the header. */
  readonly isAfterHeader: boolean;
  /** Whether the footer follows the line. */
  readonly isBeforeFooter: boolean;
  /** Whether an earlier line belongs to the key. */
  readonly hasKeyLines: boolean;
}

/** Null if this is not a line of a key. */
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
/** Escapes are matched first, so that their letters are not read as a part of the key. */
const BASE64_RUNS = /\\[nrt]|([A-Za-z0-9+/]{4,}={0,2})/g;
const BASE64_LINE = /^[\s"'`,;\\]*[A-Za-z0-9+/]{1,}={0,2}(?:\\+[nr])*[\s"'`,;\\+]*$/;
const EMPTY_KEY_LINE = /^(?:[\s"'`+,;\\]|(?<=\\)[nr])*$/;
const MIN_BASE64_RUN_CHARS = 24;

function toKeyMatch(start: number, length: number): SecretMatch {
  return { start, end: start + length, kind: PRIVATE_KEY_KIND };
}

/** Holds back lines that may belong to a key without a header, until it is clear whether its footer follows. */
export class KeyLineBuffer {
  #buffer = "";
  /** The last lines of a key can have any length. */
  #shortLines = 0;

  get isEmpty(): boolean {
    return this.#buffer === "";
  }

  /** Holds back the line and returns true, or returns false if the line decides about the held lines. */
  tryAdd(line: string): boolean {
    if (this.#buffer.length >= MAX_KEY_BUFFER_CHARS) return false;
    const isLong = endsLikeKeyLine(line, line.length);
    if (!isLong && (this.isEmpty || this.#shortLines >= MAX_SHORT_KEY_LINES || !SHORT_KEY_LINE.test(line)))
      return false;
    this.#shortLines = isLong ? 0 : this.#shortLines + 1;
    this.#buffer += line;
    return true;
  }

  /** Returns and clears all held lines. */
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

/** Whether the line that ends at `lineEnd` has as many base64 characters at its end as a line of a key. */
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
