/** A call's arguments from the text the model wrote: an object, or none and the text beside it. */

import type { JSONObject } from "@ai-sdk/provider";
import type { ToolCallBlock } from "@pith/context";
import type { DraftCall } from "./draft.ts";

export function argumentsOf({ json, whole }: DraftCall): Pick<ToolCallBlock, "arguments" | "pith"> {
  const read = whole ? objectOf(json) : null;
  return read ? { arguments: read } : { arguments: {}, pith: { unread: json } };
}

// No text at all is how some write a call without arguments.
export function objectOf(json: string): JSONObject | null {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as JSONObject) : null;
  } catch {
    // Models write broken JSON now and then; the text goes beside the call.
    return null;
  }
}
