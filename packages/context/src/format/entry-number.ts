/** Numbers the entries of a session file: each keeps the number on its line, or gets the next free one. No number is given twice. */

import type { Entry, Header } from "../entry.ts";
import { findMemberSpans, setJsonMembers } from "./edit-json.ts";

/** The largest number that a row of the line index holds. Entries behind it have none and are named by their id. */
export const MAX_ENTRY_NUMBER: number = 2 ** 27 - 1;

export function isEntryNumber(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ENTRY_NUMBER;
}

/** The highest number that was in use where this file was copied from; 0 for a file that is no copy. */
export function readReservedNumber(header: Header | null): number {
  const reserved: unknown = header?.pith?.lastNumber;
  return isEntryNumber(reserved) ? reserved : 0;
}

export interface NumberContext {
  /** The highest number on the lines before; 0 for none. */
  readonly previous: number;
  /** See `reservedNumber`. */
  readonly reserved: number;
}

/**
 * The number of a line; 0 for none. `stored` is what the line says: 0 on the note of a gap that stands for no line. A number that does not
 * follow the one before, as in two files that were joined, counts as missing.
 */
export function resolveEntryNumber(stored: unknown, { previous, reserved }: NumberContext): number {
  if (stored === 0) return 0;
  if (isEntryNumber(stored) && stored > previous) return stored;
  const next = Math.max(previous, reserved) + 1;
  return next > MAX_ENTRY_NUMBER ? 0 : next;
}

/** The entry with this number, 0 for none; the very same entry where it has it already. */
export function withEntryNumber(entry: Entry, number: number): Entry {
  if (number > 0) return entry.number === number ? entry : { ...entry, number };
  if (entry.number === undefined) return entry;
  const { number: _, ...rest } = entry;
  return rest;
}

/** The line of an entry with this number behind its timestamp, every other byte as it was; the very same text where it stands there. */
export function setEntryNumberInLine(text: string, number: number | undefined): string {
  const [head, stored] = LINE_HEAD_PATTERN.exec(text) ?? [];
  if (number === undefined || stored === String(number)) return text;
  if (head === undefined || stored !== undefined) return setJsonMembers(text, { number: String(number) });
  return `${head},"number":${number}${removeNumberMember(text).slice(head.length)}`;
}

// Another program may have put it elsewhere, where whoever only looks at the head of a line does not find it.
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
