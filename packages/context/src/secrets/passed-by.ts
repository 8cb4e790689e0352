/** What redaction passes by: signatures, what is encrypted, and pictures. A letter changed in one of them would break it, and no shape of a secret means anything there. */

import type { Fields } from "./walk.ts";

export function isPassedBy(key: string, { type, mimeType, redacted }: Fields): boolean {
  switch (type) {
    case "thinking":
      // Reasoning that the provider keeps to itself is passed by whole.
      return key === "thinkingSignature" || redacted === true;
    case "text":
      return key === "textSignature";
    case "toolCall":
      return key === "thoughtSignature";
    case "image":
      return key === "data" && typeof mimeType === "string";
    default:
      return ENCRYPTED.has(key);
  }
}

const ENCRYPTED: ReadonlySet<string> = new Set(["encrypted_content", "encryptedContent", "reasoningEncryptedContent"]);

/** A signature belongs to exact words: a secret among them takes the block with it. */
export function isHoldingSigned(_: unknown, before: unknown): boolean {
  const { type, thinkingSignature } = Object(before) as Fields;
  return type === "thinking" && thinkingSignature !== undefined;
}
