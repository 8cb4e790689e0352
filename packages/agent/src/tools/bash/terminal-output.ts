/** Turns output into what a terminal would show: no escape sequences or control characters, and of a rewritten line its last state. */

import type { OutputLimit } from "../output.ts";
import {
  AT,
  BACKSLASH,
  BELL,
  BRACKET,
  CAPITAL_G,
  DELETE,
  ESCAPE,
  Excerpt,
  NEWLINE,
  RETURN,
  type Shown,
  SPACE,
  TAB,
  ZERO,
} from "./output-buffer.ts";

/** Where the next byte stands. */
export type EscapeState = "none" | "escape" | "control" | "string" | "string-end";

/** `broken`: the byte is no part of it. A sequence that is broken off, or has no end, costs no more than the line it stands in. */
export function stateAfter(state: EscapeState, byte: number): EscapeState | "broken" {
  if (byte === NEWLINE) return "broken";
  switch (state) {
    case "none":
      return "broken";
    case "escape":
      return isPart(byte) ? afterEscape(byte) : "broken";
    case "control":
      if (!isPart(byte)) return "broken";
      return byte < AT ? "control" : "none";
    case "string":
      if (byte === BELL) return "none";
      return byte === ESCAPE ? "string-end" : "string";
    case "string-end":
      return byte === BACKSLASH ? "none" : stateAfter("escape", byte);
  }
}

function afterEscape(byte: number): EscapeState {
  if (byte === BRACKET) return "control";
  if (opensString(byte)) return "string";
  return byte < ZERO ? "escape" : "none";
}

/** P, X, ], ^ and _ */
function opensString(byte: number): boolean {
  return byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;
}

function isPart(byte: number): boolean {
  return byte >= SPACE && byte < DELETE;
}

/** What ends the sequence that goes to a column. */
const TO_COLUMN = CAPITAL_G;
const SHORT = 64;

export class Screen {
  readonly #limit: OutputLimit;
  #excerpt: Excerpt;
  #state: EscapeState = "none";
  #isReturned = false;
  #bytes = 0;
  /** What is readable of the chunk at hand; written on at once, because a call for each line of a flood is too slow. */
  #page = new Uint8Array(0);
  #pageEnd = 0;
  /** Negative: the line began in an earlier chunk. */
  #lineStart = -1;
  #lines = 0;

  constructor(limit: OutputLimit) {
    this.#limit = limit;
    this.#excerpt = new Excerpt(limit);
  }

  /** All that came, readable or not. */
  get bytes(): number {
    return this.#bytes;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#page.length < chunk.length) this.#page = new Uint8Array(chunk.length);
    let at = 0;
    while (at < chunk.length) at = this.#state === "none" ? this.#read(chunk, at) : this.#skip(chunk, at);
    this.#turnPage();
  }

  newest(bytes: number): string {
    return this.#excerpt.newest(bytes);
  }

  /** What came since it was last taken. */
  take(): Shown {
    const shown = this.#excerpt.shown();
    this.#excerpt = new Excerpt(this.#limit);
    return shown;
  }

  /** Reads up to where something else than text begins, and says where to go on. */
  #read(chunk: Uint8Array, start: number): number {
    if (this.#isReturned && isReadable(chunk[start] ?? 0)) this.#restartLine(chunk[start] ?? 0);
    const offset = this.#pageEnd - start;
    let [at, lines, lineStart] = [start, 0, this.#lineStart];
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === NEWLINE) {
        lines += 1;
        lineStart = offset + at + 1;
      } else if (!isReadable(byte)) break;
    }
    this.#lines += lines;
    this.#lineStart = lineStart;
    copy(chunk, { start, end: at, into: this.#page, to: this.#pageEnd });
    this.#pageEnd = offset + at;
    return at < chunk.length ? this.#control(chunk, at) : at;
  }

  #control(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length && isDropped(chunk[at] as number)) at += 1;
    const byte = chunk[at];
    if (byte !== RETURN && byte !== ESCAPE) return at;
    if (byte === RETURN) this.#isReturned = true;
    else this.#state = "escape";
    return at + 1;
  }

  #skip(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0;
    if (this.#state === "control" && byte === TO_COLUMN) this.#isReturned = true;
    const state = stateAfter(this.#state, byte);
    this.#state = state === "broken" ? "none" : state;
    return state === "broken" ? at : at + 1;
  }

  #turnPage(): void {
    this.#excerpt.write(this.#page.subarray(0, this.#pageEnd), { lines: this.#lines, lineStart: this.#lineStart });
    this.#pageEnd = 0;
    this.#lineStart = -1;
    this.#lines = 0;
  }

  #restartLine(next: number): void {
    this.#isReturned = false;
    if (next === NEWLINE) return;
    if (this.#lineStart < 0) this.#excerpt.restartLine();
    this.#pageEnd = Math.max(0, this.#lineStart);
  }
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly into: Uint8Array;
  readonly to: number;
}

/** Progress lines are many and short, and a view of each costs more than its bytes. */
function copy(chunk: Uint8Array, { start, end, into, to }: Piece): void {
  if (end - start > SHORT) into.set(chunk.subarray(start, end), to);
  else for (let at = start; at < end; at += 1) into[to + at - start] = chunk[at] ?? 0;
}

function isReadable(byte: number): boolean {
  return byte >= SPACE ? byte !== DELETE : byte === NEWLINE || byte === TAB;
}

function isDropped(byte: number): boolean {
  return !isReadable(byte) && byte !== RETURN && byte !== ESCAPE;
}
