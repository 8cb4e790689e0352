/** The places of a prompt up to which it can be known from before: behind every piece, or every so many tokens. */

import { createHash } from "node:crypto";
import type { Prompt } from "../wires/wire.ts";
import { tokensIn } from "./tokens.ts";

export interface Place {
  /** Of everything up to here. */
  readonly hash: string;
  readonly tokens: number;
  readonly keptFor: number | null;
  /** Which one it is when somebody looks back. */
  readonly position: number;
}

/** Tools and system come first: the settings count from the first message on. */
export function placesByPiece({ pieces, settings }: Prompt, of: string): readonly Place[] {
  let hash = of;
  let bytes = 0;
  let position = 0;
  return pieces.map(({ level, text, keptFor, run }, at) => {
    if (run === undefined || pieces[at - 1]?.run !== run) position += 1;
    const isFirstMessage = level === "messages" && pieces[at - 1]?.level !== "messages";
    hash = hashed(hash, isFirstMessage ? settings : "", text);
    bytes += Buffer.byteLength(text);
    return { hash, tokens: tokensIn(bytes), keptFor, position };
  });
}

export function placesByStep(
  prompt: Prompt,
  { of, step }: { readonly of: string; readonly step: number },
): readonly Place[] {
  // Nothing stands between the pieces: the steps must not count more than the prompt does.
  const bytes = Buffer.from(prompt.pieces.map(({ text }) => text).join(""));
  let hash = hashed(of, prompt.settings, "");
  return Array.from({ length: Math.floor(bytes.length / (step * 4)) }, (_, at) => {
    hash = hashed(hash, "", bytes.subarray(at * step * 4, (at + 1) * step * 4));
    return { hash, tokens: (at + 1) * step, keptFor: null, position: at };
  });
}

function hashed(before: string, settings: string, text: string | Uint8Array): string {
  return createHash("sha256").update(`${before}\n${settings}\n`).update(text).digest("base64");
}
