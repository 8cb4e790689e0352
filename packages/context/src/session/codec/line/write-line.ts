/** One entry to one line. What could not be read again is refused here, before it is written. */

import type { Entry } from "../../../entry.ts";
import { type FormatLimits, formatLimits } from "../../../limits.ts";
import { nestsDeeperThan } from "./json-text.ts";
import type { JsonObject } from "./read-line.ts";
import { isKnownKind, wrongField } from "./well-formed.ts";

/** The text of an entry's line, without seal. Throws for an entry beyond the limits of the format. */
export function entryText(entry: Entry, limits: FormatLimits = formatLimits): string {
  const value = written(entry);
  const wrong = wrongField(value) ?? (isDisguised(entry) ? "kind of its own" : null);
  if (wrong) throw new Error(`entry ${entry.id} has no ${wrong} that could be read again`);
  const text = JSON.stringify(value);
  const seal = 128;
  // A letter takes three bytes of UTF-8 at most, so only long lines need counting.
  if (text.length * 3 > limits.lineBytes && new TextEncoder().encode(text).length + seal > limits.lineBytes)
    throw new Error(`entry ${entry.id} is longer than ${limits.lineBytes} bytes; store its content as a blob`);
  if (nestsDeeperThan(text, limits.depth)) throw new Error(`entry ${entry.id} is nested deeper than ${limits.depth}`);
  return text;
}

// An unknown entry that would be read as a known one, or as a header, must be written as what it is.
function isDisguised(entry: Entry): boolean {
  return entry.type === "unknown" && (isKnownKind(String(entry.value.type)) || entry.value.type === "session");
}

// What was lost stays visible where its session is written anew: as a note in its place.
function written(entry: Entry): JsonObject {
  const { id, parentId, timestamp } = entry;
  if (entry.type === "gap")
    return { type: "custom", id, parentId, timestamp, customType: GAP_NOTE, data: { why: entry.why } };
  return entry.type === "unknown" ? { ...entry.value, id, parentId, timestamp } : { ...entry };
}

export const GAP_NOTE = "pith.gap";
