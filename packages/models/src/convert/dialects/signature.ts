/** Telling one protocol's signatures from another's. */

import type { JSONValue } from "@ai-sdk/provider";

/** The fields in which chat completions carry reasoning; pi writes the field's name where others have a signature. */
export const reasoningFields: readonly string[] = ["reasoning_content", "reasoning", "reasoning_text"];

/** Letters that only their maker can read: neither the JSON of one protocol nor the field name of another. */
export function isOpaque(signature: string | undefined): signature is string {
  return signature !== undefined && /^[^\s{}"]+$/.test(signature) && !reasoningFields.includes(signature);
}

/** Gemini takes bytes, and refuses a request with letters that are no base64. */
export function isBase64(signature: string | undefined): signature is string {
  return isOpaque(signature) && /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
}

/** An object in JSON, or null for any other text. */
export function objectIn(text: string | undefined): Readonly<Record<string, JSONValue | undefined>> | null {
  if (!text?.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    // A signature of another protocol may begin like one.
    return null;
  }
}
