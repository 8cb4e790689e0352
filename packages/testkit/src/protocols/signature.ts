/** Signs and seals reasoning: a signature is no longer valid once a byte of the text, or the model, has changed. */

import { createHash } from "node:crypto";

/** The same model and text give the same signature, on every server, so that a conversation can move from one to the next. */
export function createSignature(model: string, text: string): string {
  return createHash("sha512").update(`pith-testkit\n${model}\n${text}`).digest("base64");
}

/** A reasoning text that only the provider can read: the text and its signature in one. */
export function sealText(model: string, text: string): string {
  return Buffer.from(JSON.stringify({ text, by: createSignature(model, text) })).toString("base64");
}

export function isSealed(model: string, data: unknown): boolean {
  if (typeof data !== "string") return false;
  try {
    const { text, by: signature } = JSON.parse(Buffer.from(data, "base64").toString());
    return typeof text === "string" && signature === createSignature(model, text);
  } catch {
    // Not from here: no signature at all.
    return false;
  }
}
