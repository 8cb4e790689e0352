/** One entry to one line. What could not be read again is refused here, before it is written. */

import type { Entry } from "../../entry.ts";
import { type FormatLimits, formatLimits } from "../../limits.ts";
import { nestsDeeperThan } from "./json-text.ts";

/** The text of an entry's line, without seal. Throws for an entry beyond the limits of the format. */
export function entryText(entry: Entry, limits: FormatLimits = formatLimits): string {
  const text = JSON.stringify(written(entry));
  const seal = 64;
  // A letter takes three bytes of UTF-8 at most, so only long lines need counting.
  if (text.length * 3 > limits.lineBytes && new TextEncoder().encode(text).length + seal > limits.lineBytes)
    throw new Error(`entry ${entry.id} is longer than ${limits.lineBytes} bytes; store its content as a blob`);
  if (nestsDeeperThan(text, limits.depth)) throw new Error(`entry ${entry.id} is nested deeper than ${limits.depth}`);
  return text;
}

function written(entry: Entry): object {
  if (entry.type !== "unknown") return entry;
  const { id, parentId, timestamp } = entry;
  return { ...entry.value, id, parentId, timestamp };
}
