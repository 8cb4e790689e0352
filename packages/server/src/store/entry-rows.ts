/** Converts between entries and the values of their rows. */

import type { Entry } from "@pith/context";
import { parseEntry, withEntryNumber } from "@pith/context/store";

/** A row of `pith.entry`, as far as an entry is made from it. */
export interface EntryRow {
  readonly number: number | null;
  readonly body: string;
}

/** Returns the entry of a row. */
export function toEntry({ number, body }: EntryRow): Entry {
  const entry = parseEntry(JSON.parse(body));
  if (entry === null) throw new Error(`a row of pith.entry holds no entry: ${body.slice(0, 200)}`);
  return withEntryNumber(entry, number ?? 0);
}

/** Returns an id or a text as it is stored: the inside of a JSON string, because PostgreSQL can hold neither U+0000 nor a lone surrogate. */
export function toStoredText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the id or text that is stored so. */
export function fromStoredText(storedText: string): string {
  return JSON.parse(`"${storedText}"`) as string;
}
