/** Telling one protocol's signatures from another's, and finding them in what a provider says beside its words. */

import type { JSONValue } from "@ai-sdk/provider";
import type { Metadata } from "../telling/draft.ts";

/** The first text of this name that any provider's metadata has: the name in front differs from package to package. */
export function foundText(metadata: Metadata, name: string): string | undefined {
  const found = Object.values(metadata).find((fields) => isText(fields[name]))?.[name];
  return isText(found) ? found : undefined;
}

function isText(value: JSONValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

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
