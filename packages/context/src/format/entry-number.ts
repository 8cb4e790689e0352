/** Numbers the entries of a session file. An entry keeps the number on its line or gets the next free one; no number is used twice. */

import type { Entry, Header } from "../entry.ts";
import { findMemberSpans, setJsonMembers } from "./edit-json.ts";

/** The largest number that fits into a row of the line index. Later entries have no number and are identified by their id. */
export const MAX_ENTRY_NUMBER: number = 2 ** 27 - 1;

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
