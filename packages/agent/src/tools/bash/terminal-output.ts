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
  type ExcerptText,
  NEWLINE,
  RETURN,
  SPACE,
  TAB,
  ZERO,
} from "./output-buffer.ts";

/** Where the next byte stands. */
export type EscapeState = "none" | "escape" | "control" | "string" | "string-end";

/** `broken`: the byte is no part of it. A sequence that is broken off, or has no end, costs no more than the line it stands in. */
export function nextEscapeState(state: EscapeState, byte: number): EscapeState | "broken" {
  if (byte === NEWLINE) return "broken";
  switch (state) {
    case "none":
      return "broken";
    case "escape":
      return isSequenceByte(byte) ? stateAfterEscape(byte) : "broken";
    case "control":
      if (!isSequenceByte(byte)) return "broken";
      return byte < AT ? "control" : "none";
    case "string":
      if (byte === BELL) return "none";
      return byte === ESCAPE ? "string-end" : "string";
    case "string-end":
      return byte === BACKSLASH ? "none" : nextEscapeState("escape", byte);
  }
}

function stateAfterEscape(byte: number): EscapeState {
  if (byte === BRACKET) return "control";
  if (opensString(byte)) return "string";
  return byte < ZERO ? "escape" : "none";
}

/** P, X, ], ^ and _ */
function opensString(byte: number): boolean {
  return byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;
}

function isSequenceByte(byte: number): boolean {
  return byte >= SPACE && byte < DELETE;
}

/** What ends the sequence that goes to a column. */
const COLUMN_COMMAND = CAPITAL_G;
const SHORT_RUN_BYTES = 64;

export class TerminalBuffer {
  readonly #limit: OutputLimit;
  #excerpt: Excerpt;
  #state: EscapeState = "none";
  #isAtLineStart = false;
  #bytes = 0;
  /** What is readable of the chunk at hand; written on at once, because a call for each line of a flood is too slow. */
  #readable = new Uint8Array(0);
  #readableEnd = 0;
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
    if (this.#readable.length < chunk.length) this.#readable = new Uint8Array(chunk.length);
    let index = 0;
    while (index < chunk.length)
      index = this.#state === "none" ? this.#readText(chunk, index) : this.#skipEscape(chunk, index);
    this.#flush();
  }

  tail(bytes: number): string {
    return this.#excerpt.tail(bytes);
  }

  /** What came since it was last taken. */
  take(): ExcerptText {
    const excerpt = this.#excerpt.render();
    this.#excerpt = new Excerpt(this.#limit);
    return excerpt;
  }

  /** Reads up to where something else than text begins, and says where to go on. */
  #readText(chunk: Uint8Array, start: number): number {
    if (this.#isAtLineStart && isReadable(chunk[start] ?? 0)) this.#restartLine(chunk[start] ?? 0);
    const offset = this.#readableEnd - start;
    let [index, lines, lineStart] = [start, 0, this.#lineStart];
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] as number;
      if (byte === NEWLINE) {
        lines += 1;
        lineStart = offset + index + 1;
      } else if (!isReadable(byte)) break;
    }
    this.#lines += lines;
    this.#lineStart = lineStart;
    copyBytes(chunk, { start, end: index, target: this.#readable, targetStart: this.#readableEnd });
    this.#readableEnd = offset + index;
    return index < chunk.length ? this.#readControl(chunk, index) : index;
  }

  #readControl(chunk: Uint8Array, start: number): number {
    let index = start;
    while (index < chunk.length && isDropped(chunk[index] as number)) index += 1;
    const byte = chunk[index];
    if (byte !== RETURN && byte !== ESCAPE) return index;
    if (byte === RETURN) this.#isAtLineStart = true;
    else this.#state = "escape";
    return index + 1;
  }

  #skipEscape(chunk: Uint8Array, index: number): number {
    const byte = chunk[index] ?? 0;
    if (this.#state === "control" && byte === COLUMN_COMMAND) this.#isAtLineStart = true;
    const state = nextEscapeState(this.#state, byte);
    this.#state = state === "broken" ? "none" : state;
    return state === "broken" ? index : index + 1;
  }

  #flush(): void {
    this.#excerpt.write(this.#readable.subarray(0, this.#readableEnd), {
      lines: this.#lines,
      lineStart: this.#lineStart,
    });
    this.#readableEnd = 0;
    this.#lineStart = -1;
    this.#lines = 0;
  }

  #restartLine(next: number): void {
    this.#isAtLineStart = false;
    if (next === NEWLINE) return;
    if (this.#lineStart < 0) this.#excerpt.restartLine();
    this.#readableEnd = Math.max(0, this.#lineStart);
  }
}

interface CopyRange {
  readonly start: number;
  readonly end: number;
  readonly target: Uint8Array;
  readonly targetStart: number;
}

/** Progress lines are many and short, and a view of each costs more than its bytes. */
function copyBytes(chunk: Uint8Array, { start, end, target, targetStart }: CopyRange): void {
  if (end - start > SHORT_RUN_BYTES) target.set(chunk.subarray(start, end), targetStart);
  else for (let index = start; index < end; index += 1) target[targetStart + index - start] = chunk[index] ?? 0;
}

function isReadable(byte: number): boolean {
  return byte >= SPACE ? byte !== DELETE : byte === NEWLINE || byte === TAB;
}

function isDropped(byte: number): boolean {
  return !isReadable(byte) && byte !== RETURN && byte !== ESCAPE;
}
