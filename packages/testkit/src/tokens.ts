/** Counts tokens in the server's own way: four bytes are one token, for every protocol. */

import type { Prompt, SaidPart } from "./protocols/protocol.ts";

export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / 4);
}

export function promptTokens({ pieces }: Prompt): number {
  return tokensIn(pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0));
}

export function replyTokens(parts: readonly SaidPart[]): number {
  return tokensIn(parts.reduce((sum, part) => sum + Buffer.byteLength(wordsOf(part)), 0));
}

function wordsOf(part: SaidPart): string {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.text;
    case "call":
      return part.name + part.json;
    case "search":
      return part.query;
  }
}
