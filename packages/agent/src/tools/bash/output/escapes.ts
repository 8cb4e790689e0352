/** The grammar of terminal escape sequences, byte by byte: where one ends. */

import { AT, BACKSLASH, BELL, BRACKET, DELETE, ESCAPE, NEWLINE, SPACE, ZERO } from "./ascii.ts";

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
