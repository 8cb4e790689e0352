/**
 * Converts between entries and the JSON of their lines, and numbers the entries of a file. An entry that could not be read back is refused
 * before it is written; no number is used twice.
 */

import type { Entry, GapEntry, Header } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import { damageNotes } from "./damage.ts";
import { exceedsDepth, findMemberSpans, setJsonMembers } from "./edit-json-text.ts";
import { invalidField, isKnownKind, isLostKind } from "./read-line.ts";

/** Serializes an entry as the JSON of its line, without the trailer. Throws if the entry exceeds the limits of the format. */
export function serializeEntry(entry: Entry, limits: FormatLimits = formatLimits): string {
  const value = toLineObject(entry);
  const field = invalidField(value) ?? (isUnknownWithKnownType(entry) ? "type" : invalidNumberField(entry));
  if (field) throw new Error(`entry ${entry.id} has an invalid ${field}`);
  const text = JSON.stringify(value);
  const trailerBytes = 128;
  // A UTF-16 code unit takes at most three bytes of UTF-8, so short lines are not encoded to measure them.
  if (text.length * 3 > limits.lineBytes && new TextEncoder().encode(text).length + trailerBytes > limits.lineBytes)
    throw new Error(`entry ${entry.id} is longer than ${limits.lineBytes} bytes; store its content as a blob`);
  if (exceedsDepth(text, limits.depth)) throw new Error(`entry ${entry.id} is nested deeper than ${limits.depth}`);
  return text;
}

// An unknown entry with a known type would be read back as that type, or as a header.
function isUnknownWithKnownType(entry: Entry): boolean {
  return entry.type === "unknown" && (isKnownKind(String(entry.value.type)) || entry.value.type === "session");
}

function invalidNumberField({ number }: Entry): string | null {
  return number === undefined || isEntryNumber(number) ? null : "number";
}

// A gap is written as a custom entry, so that a rewritten session still shows where an entry was lost.
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
  // The number follows the timestamp, where readLinePrefix expects it.
  return number === 0 ? value : { type: value.type, id, parentId, timestamp, number, ...value };
}

/** The custom type of the entry that stands for a gap in a rewritten file. */
const GAP_CUSTOM_TYPE = "pith.gap";

type EntryPosition = Pick<Entry, "id" | "parentId">;

/** Parses an entry from its line alone. Returns null if the line lacks an id or a parent, or uses an old spelling. */
export function parseEntry(value: JsonObject): Entry | null {
  const { type, id, parentId } = value;
  if (type === "session" || typeof id !== "string" || id === "") return null;
  if (typeof parentId !== "string" && parentId !== null) return null;
  // In version 1 a compaction names a line index instead of an entry; version 2 has another name for the role "custom".
  if (type === "message" && Object(value.message).role === "hookMessage") return null;
  if (type === "compaction" && typeof value.firstKeptEntryId !== "string") return null;
  return toEntry(value, { id, parentId }, invalidField(value) !== null);
}

/** Converts a line to an entry with this id and parent. A malformed line becomes an entry of type `unknown`. */
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
  // invalidField has checked every field of the type.
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
    // A valid number belongs to the position, not to the unknown fields.
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

/** The largest number that fits into a row of the line index. Later entries have no number and are identified by their id. */
const MAX_ENTRY_NUMBER: number = 2 ** 27 - 1;

/** Whether the value is a valid entry number. */
export function isEntryNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ENTRY_NUMBER;
}

/** Reads the highest number in use in the session that this file was copied from; 0 if the file is not a copy. */
export function readReservedNumber(header: Header | null): number {
  const reserved: unknown = header?.pith?.lastNumber;
  return isEntryNumber(reserved) ? reserved : 0;
}

/** The numbers that a new number must exceed. */
export interface NumberContext {
  /** The highest number on the lines before, or 0. */
  readonly previous: number;
  /** The result of `readReservedNumber`. */
  readonly reserved: number;
}

/**
 * Determines the number of a line; 0 means none. `stored` is the number on the line; a gap that stands for no line has 0. A stored number
 * that is not higher than the previous one, as in two files that were joined, is ignored.
 */
export function resolveEntryNumber(stored: unknown, { previous, reserved }: NumberContext): number {
  if (stored === 0) return 0;
  if (isEntryNumber(stored) && stored > previous) return stored;
  const next = Math.max(previous, reserved) + 1;
  return next > MAX_ENTRY_NUMBER ? 0 : next;
}

/** Returns the entry with this number; 0 removes the number. Returns the same object if nothing changes. */
export function withEntryNumber(entry: Entry, number: number): Entry {
  if (number > 0) return entry.number === number ? entry : { ...entry, number };
  if (entry.number === undefined) return entry;
  const { number: _, ...rest } = entry;
  return rest;
}

/** Sets the number on the text of a line, after the timestamp. Every other byte stays. */
export function setEntryNumberInLine(text: string, number: number | undefined): string {
  const [head, stored] = LINE_HEAD_PATTERN.exec(text) ?? [];
  if (number === undefined || stored === String(number)) return text;
  if (head === undefined || stored !== undefined) return setJsonMembers(text, { number: String(number) });
  return `${head},"number":${number}${removeNumberMember(text).slice(head.length)}`;
}

// Another program may have written the number elsewhere on the line, where readLinePrefix does not find it.
function removeNumberMember(text: string): string {
  const span = text.includes('"number"') ? findMemberSpans(text).get("number") : undefined;
  if (!span) return text;
  const comma = text.lastIndexOf(",", text.lastIndexOf('"number"', span.start));
  return text.slice(0, comma) + text.slice(span.end);
}

const JSON_STRING_PATTERN = '"(?:[^"\\\\]|\\\\.)*"';
const LINE_HEAD_PATTERN = new RegExp(
  `^\\{"type":${JSON_STRING_PATTERN},"id":${JSON_STRING_PATTERN},"parentId":(?:${JSON_STRING_PATTERN}|null),"timestamp":${JSON_STRING_PATTERN}(?:,"number":(\\d+)(?=[,}]))?`,
);
