/** Finds the lines of private keys, whole or in pieces. Markers and line ends stay, so that lines can still be counted. */

import type { Kind, Spot } from "./matches.ts";
import { KEY_ENDS } from "./prefix-index.ts";

export interface KeySpots {
  readonly spots: readonly Spot[];
  readonly state: KeyState;
}

/** Where a text ends: outside of any key, behind the mark that begins one, or within its body. */
export type KeyState = "outside" | "marked" | "inside";

export const PRIVATE_KEY: Kind = { id: "privatekey", name: "line of a private key" };

/** Null where no private key begins here. */
export function keyFrom(text: string, at: number): KeySpots | null {
  BEGINNING.lastIndex = at;
  const begun = BEGINNING.exec(text);
  return begun ? bodyFrom(text, { from: at + begun[0].length, isMarked: true, isBegun: false }) : null;
}

const BEGINNING = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;

/** The rest of a key that began in the text before this one. */
export function keyRest(text: string, state: KeyState): KeySpots {
  if (state === "outside") return { spots: [], state };
  return bodyFrom(text, { from: 0, isMarked: false, isBegun: state === "inside" });
}

interface Beginning {
  readonly from: number;
  /** The mark stands right before it. */
  readonly isMarked: boolean;
  /** Lines of the key were seen already. */
  readonly isBegun: boolean;
}

function bodyFrom(text: string, { from, isMarked, isBegun: wasBegun }: Beginning): KeySpots {
  const spots: Spot[] = [];
  // Whatever mark comes next, the key goes no further.
  const next = text.indexOf(MARK, from);
  const limit = next < 0 ? text.length : next;
  let at = from;
  for (let lines = 0; lines < MOST_LINES; lines += 1) {
    const rest = text.slice(at, limit);
    const stop = rest.indexOf("\n");
    const isLast = stop < 0;
    const end = isLast ? limit : at + stop;
    const isEnded = isLast && text.startsWith(KEY_ENDS, limit);
    const isBegun = wasBegun || spots.length > 0;
    const found = bodyIn(text, at, { end, isFirst: isMarked && lines === 0, isEnded, isBegun });
    if (found === null) break;
    spots.push(...found);
    if (isLast && next < 0) return { spots, state: wasBegun || spots.length > 0 ? "inside" : "marked" };
    if (isLast) break;
    at = end + 1;
  }
  return { spots, state: "outside" };
}

export const MARK = "-----";
const MOST_LINES = 800;

/** Lines before the end of a key whose beginning is not here. */
export function keyBefore(text: string, at: number, floor: number): readonly Spot[] {
  if (!ENDING.test(text.slice(at, at + LONGEST_MARK))) return [];
  const spots: Spot[] = [...escapedBefore(text, at, floor)];
  let end = at;
  for (let lines = 0; lines < MOST_LINES && end > floor; lines += 1) {
    const start = Math.max(floor, text.lastIndexOf("\n", end - 1) + 1);
    const line = text.slice(Math.max(start, end - LONGEST_LINE), end);
    // The last line of a key is as long as it happens to be, and a sum may follow it.
    const { index = 0, 0: run = "" } = (lines < 3 ? ANY_RUN : LONG_RUN).exec(line) ?? {};
    if (run === "" && lines > 0) break;
    if (run !== "") spots.push(spotOf(end - line.length + index, run.length));
    end = start - 1;
  }
  return spots.some(({ start, end: to }) => to - start >= LEAST_LONG) ? spots : [];
}

/** The same on one line, as JSON has it. */
function escapedBefore(text: string, at: number, floor: number): readonly Spot[] {
  const spots: Spot[] = [];
  for (let end = at; isEscape(text, end - 2); ) {
    let stop = end - 2;
    while (isEscape(text, stop - 2)) stop -= 2;
    let start = stop;
    while (start > floor && BASE64.test(text.charAt(start - 1))) start -= 1;
    // The letter of the escape before it is none of its own.
    if (isEscape(text, start - 1)) start += 1;
    if (start >= stop) break;
    spots.push(spotOf(start, stop - start));
    end = start;
  }
  return spots;
}

function isEscape(text: string, at: number): boolean {
  return text.charAt(at) === "\\" && /[nr]/.test(text.charAt(at + 1));
}

const BASE64 = /[A-Za-z0-9+/=]/;
const ENDING = /^-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;
const LONGEST_MARK = 80;
/** Letters of Base64 that a full line of a key has at least. */
const LEAST_LONG = 40;
/** Lines of keys have 64 to 76 letters, and something may stand before them. */
const LONGEST_LINE = 200;
const LONG_RUN = /[A-Za-z0-9+/]{40,}={0,2}(?=\s*$)/;
const ANY_RUN = /[A-Za-z0-9+/]{4,}={0,2}(?=\s*$)/;

interface Line {
  readonly end: number;
  /** Behind the mark that begins the key. */
  readonly isFirst: boolean;
  /** Before the mark that ends it. */
  readonly isEnded: boolean;
  /** A line before it was one of the key. */
  readonly isBegun: boolean;
}

/** Null where this is no line of a key. */
function bodyIn(text: string, start: number, { end, isFirst, isEnded, isBegun }: Line): readonly Spot[] | null {
  const line = text.slice(start, end);
  if (line.trim() === "" || HEADER.test(line)) return [];
  const runs = [...line.matchAll(RUNS)].flatMap(({ 1: run, index }) =>
    run === undefined ? [] : [spotOf(start + index, run.length)],
  );
  const long = runs.filter(({ start: from, end: to }) => to - from >= LEAST_RUN);
  if (long.length > 0) return isEnded ? runs : long;
  if (isBegun && line.length <= LONGEST_LINE && WHOLE.test(line)) return runs;
  return isFirst && NOTHING_YET.test(line) ? [] : null;
}

const HEADER = /^[\s>+|#*"'-]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): /;
/** Escapes are passed by, so that the letter of one is not taken for a part of the key. */
const RUNS = /\\[nrt]|([A-Za-z0-9+/]{4,}={0,2})/g;
const WHOLE = /^[\s"'`,;\\]*[A-Za-z0-9+/]{1,}={0,2}(?:\\+[nr])*[\s"'`,;\\+]*$/;
const NOTHING_YET = /^(?:[\s"'`+,;\\]|(?<=\\)[nr])*$/;
const LEAST_RUN = 24;

function spotOf(start: number, length: number): Spot {
  return { start, end: start + length, kind: PRIVATE_KEY };
}

/** Holds back lines that may end a key whose beginning was not seen, until it is clear whether the marker of its end follows. */
export class KeyLines {
  #held = "";
  /** The last lines of a key are as long as they happen to be. */
  #short = 0;

  get isEmpty(): boolean {
    return this.#held === "";
  }

  /** Whether this line waits; else it is what those that wait were waiting for. */
  take(line: string): boolean {
    if (this.#held.length >= MOST_LETTERS) return false;
    const isLong = mayBeOfKey(line, line.length);
    if (!isLong && (this.isEmpty || this.#short >= MOST_SHORT || !SHORT.test(line))) return false;
    this.#short = isLong ? 0 : this.#short + 1;
    this.#held += line;
    return true;
  }

  /** All that waited. */
  taken(): string {
    const held = this.#held;
    this.#held = "";
    this.#short = 0;
    return held;
  }
}

const MOST_LETTERS = 64 * 1024;
const MOST_SHORT = 2;
const SHORT = /^\S{0,8} {0,4}[A-Za-z0-9+/=]{1,80}\r?\n$/;

/** Whether the line before this place, with its end, ends in as many letters of Base64 as a line of a key has. */
export function mayBeOfKey(text: string, next: number): boolean {
  let at = next - 1;
  while (at > next - 5 && NO_LETTER.test(text.charAt(at))) at -= 1;
  for (const last = at - LEAST_LONG; at > last; at -= 1) if (!isBase64(text.charCodeAt(at))) return false;
  return true;
}

const NO_LETTER = /[\r\n=]/;

function isBase64(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2f && code <= 0x39) || code === 0x2b
  );
}
