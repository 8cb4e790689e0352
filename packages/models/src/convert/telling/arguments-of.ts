/** A call's arguments from the text the model wrote: an object, or none and the text beside it. */

import type { JSONObject } from "@ai-sdk/provider";
import { formatLimits, type ToolCallBlock } from "@pith/context";
import type { DraftCall } from "./draft.ts";

export function argumentsOf({ json, whole }: DraftCall): Pick<ToolCallBlock, "arguments" | "pith"> {
  const read = whole ? objectOf(json) : null;
  return read ? { arguments: read } : { arguments: {}, pith: { unread: shortened(json) } };
}

// No text at all is how some write a call without arguments.
export function objectOf(json: string): JSONObject | null {
  if (json.trim() === "") return {};
  if (json.length > MOST_LETTERS) return null;
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isFlatEnough(value) ? (value as JSONObject) : null;
  } catch {
    // Models write broken JSON now and then; the text goes beside the call.
    return null;
  }
}

const MOST_LETTERS = 4 * 1024 * 1024;

/** A session refuses to write what nests deeper, and around the arguments stand an entry, its message and its blocks. */
const DEEPEST = formatLimits.depth - 50;

/** Floor by floor: who nests things to the thousandth floor wants to be met by recursion. */
function isFlatEnough(value: object): boolean {
  let floor: readonly unknown[] = [value];
  for (let depth = 0; depth <= DEEPEST; depth += 1) {
    if (floor.length === 0) return true;
    floor = floor.filter((each) => typeof each === "object" && each !== null).flatMap((each) => Object.values(each));
  }
  return false;
}

/** It is shown to the model, which knows what it wrote, and to people. */
function shortened(json: string): string {
  const [head, tail] = [json.slice(0, LONGEST_UNREAD), json.slice(LONGEST_UNREAD)];
  return tail === "" ? head : `${head.toWellFormed()}… (${tail.length} more characters)`;
}

const LONGEST_UNREAD = 64 * 1024;
