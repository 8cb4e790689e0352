/** Which part of a reply bears the thought signature: its first call, and without a call its last text. */

import { signature } from "../signature.ts";
import type { Said, SaidPart } from "../wire.ts";

/** The signature of a part; undefined where it bears none. A search has signatures of its own. */
export function signedPart({ model, parts }: Said, part: SaidPart): string | undefined {
  const call = parts.findIndex(({ type }) => type === "call");
  const bearer = call >= 0 ? call : parts.findLastIndex(({ type }) => type === "text");
  if (part !== parts[bearer]) return undefined;
  if (part.type === "call") return callSignature(model, part.name, JSON.parse(part.json));
  return textSignature(model, wordsUpTo(parts, bearer));
}

/** Texts in a row are one to whoever reads the stream. */
function wordsUpTo(parts: Said["parts"], at: number): string {
  const begin = parts.findLastIndex(({ type }, index) => index < at && type !== "text") + 1;
  return parts.slice(begin, at + 1).reduce((words, part) => words + (part.type === "text" ? part.text : ""), "");
}

export function callSignature(model: string, name: string, args: unknown): string {
  return signature(model, name + JSON.stringify(args));
}

export function textSignature(model: string, text: string): string {
  return signature(model, text);
}
