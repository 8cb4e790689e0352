/** Counts tokens: four bytes are one token, for every protocol. */

import type { FinalPart, Prompt } from "./protocols/protocol.ts";

export function bytesToTokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}

export function countPromptTokens({ blocks }: Prompt): number {
  return bytesToTokens(blocks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0));
}

export function countReplyTokens(parts: readonly FinalPart[]): number {
  return bytesToTokens(parts.reduce((sum, part) => sum + Buffer.byteLength(partText(part)), 0));
}

function partText(part: FinalPart): string {
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
