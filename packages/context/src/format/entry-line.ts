/** Converts between entries and the JSON of their lines. What could not be read again is refused before it is written. */

import type { Entry, GapEntry } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import { damageNotes } from "./damage.ts";
import { exceedsDepth } from "./edit-json.ts";
import { isEntryNumber } from "./entry-number.ts";
import { invalidField, isKnownKind, isLostKind } from "./read-line.ts";

/** The text of an entry's line, without seal. Throws for an entry beyond the limits of the format. */
export function serializeEntry(entry: Entry, limits: FormatLimits = formatLimits): string {
  const value = toLineObject(entry);
  const invalidPart =
    invalidField(value) ?? (isUnknownWithKnownType(entry) ? "kind of its own" : invalidNumberField(entry));
  if (invalidPart) throw new Error(`entry ${entry.id} has no ${invalidPart} that could be read again`);
  const text = JSON.stringify(value);
  const trailerBytes = 128;
  // A letter takes three bytes of UTF-8 at most, so only long lines need counting.
  if (text.length * 3 > limits.lineBytes && new TextEncoder().encode(text).length + trailerBytes > limits.lineBytes)
    throw new Error(`entry ${entry.id} is longer than ${limits.lineBytes} bytes; store its content as a blob`);
  if (exceedsDepth(text, limits.depth)) throw new Error(`entry ${entry.id} is nested deeper than ${limits.depth}`);
  return text;
}

// An unknown entry that would be read as a known one, or as a header, must be written as what it is.
function isUnknownWithKnownType(entry: Entry): boolean {
  return entry.type === "unknown" && (isKnownKind(String(entry.value.type)) || entry.value.type === "session");
}

function invalidNumberField({ number }: Entry): string | null {
  return number === undefined || isEntryNumber(number) ? null : "number";
}

// What was lost stays visible where its session is written anew: as a note in its place.
function toLineObject(entry: Entry): JsonObject {
  const { id, parentId, timestamp, number = 0 } = entry;
  if (entry.type === "gap")
    return {
      type: "custom",
      id,
      parentId,
      timestamp,
      number,
      customType: GAP_CUSTOM_TYPE,
      data: { why: entry.why, ...(entry.kind && { kind: entry.kind }) },
    };
  const { number: _, ...value }: JsonObject =
    entry.type === "unknown" ? { ...entry.value, id, parentId, timestamp } : { ...entry };
  // Behind the timestamp, where whoever only looks at the head of a line finds it.
  return number === 0 ? value : { type: value.type, id, parentId, timestamp, number, ...value };
}

export const GAP_CUSTOM_TYPE = "pith.gap";

type EntryPosition = Pick<Entry, "id" | "parentId">;

/** The entry of a line that needs nothing from other lines; null for one that has no place of its own or an old spelling. */
export function parseEntry(value: JsonObject): Entry | null {
  const { type, id, parentId } = value;
  if (type === "session" || typeof id !== "string" || id === "") return null;
  if (typeof parentId !== "string" && parentId !== null) return null;
  // Version 1 counted lines where a compaction now names an entry; version 2 had another name for a role.
  if (type === "message" && Object(value.message).role === "hookMessage") return null;
  if (type === "compaction" && typeof value.firstKeptEntryId !== "string") return null;
  return toEntry(value, { id, parentId }, invalidField(value) !== null);
}

/** The entry at its place in the tree; one whose fields are wrong is of an unknown kind. */
export function toEntry(value: JsonObject, { id, parentId }: EntryPosition, isMalformed: boolean): Entry {
  const { type, timestamp } = value;
  const hasSamePosition = value.id === id && value.parentId === parentId;
  const hasValidNumber = value.number === undefined || isEntryNumber(value.number);
  const isWellFormed =
    hasSamePosition &&
    !isMalformed &&
    hasValidNumber &&
    typeof timestamp === "string" &&
    value.customType !== GAP_CUSTOM_TYPE;
  // wrongField has looked at every field that the kind promises.
  if (isWellFormed && (type === "message" || (typeof type === "string" && isKnownKind(type))))
    return value as unknown as Entry;
  const { number, ...rest } = value;
  const position = {
    id,
    parentId,
    timestamp: typeof timestamp === "string" ? timestamp : "",
    ...(isEntryNumber(number) && { number }),
  };
  if (isMalformed || typeof type !== "string" || !isKnownKind(type)) {
    const kind = typeof type === "string" ? type : "";
    // Its number is a part of its place, also where it was given only when the file was written anew.
    const ownValue = isEntryNumber(number) ? rest : value;
    return { type: "unknown", ...position, kind, value: hasSamePosition ? ownValue : { ...ownValue, id, parentId } };
  }
  if (value.customType === GAP_CUSTOM_TYPE) return { type: "gap", ...position, ...parseGapData(value.data) };
  return { ...rest, ...position } as unknown as Entry;
}

function parseGapData(data: unknown): Pick<GapEntry, "why" | "kind"> {
  const { why, kind } = isObject(data) ? data : {};
  return { why: typeof why === "string" ? why : damageNotes.malformed, ...(isLostKind(kind) && { kind }) };
}
