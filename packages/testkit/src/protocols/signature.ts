/** Signs and seals reasoning. A signature is valid for one text and one model. */

import { createHash } from "node:crypto";

/** The signature depends only on model and text, so that a conversation can continue on another server. */
export function createSignature(model: string, text: string): string {
  return createHash("sha512").update(`pith-testkit\n${model}\n${text}`).digest("base64");
}

/** Encodes a text with its signature. It stands for the provider's encrypted content. */
export function sealText(model: string, text: string): string {
  return Buffer.from(JSON.stringify({ text, by: createSignature(model, text) })).toString("base64");
}

export function isSealed(model: string, data: unknown): boolean {
  if (typeof data !== "string") return false;
  try {
    const { text, by: signature } = JSON.parse(Buffer.from(data, "base64").toString());
    return typeof text === "string" && signature === createSignature(model, text);
  } catch {
    // Not sealed by `sealText`.
    return false;
  }
}
