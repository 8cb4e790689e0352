/** Converts between entries and the values of their rows. */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
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

/** Returns the entries of rows. Between many of them it pauses, so that a long session does not hold up the others of its process. */
export async function toEntries(rows: readonly EntryRow[]): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let chars = 0;
  for (const row of rows) {
    entries.push(toEntry(row));
    chars += row.body.length;
    if (chars < CHARS_BETWEEN_PAUSES) continue;
    chars = 0;
    await yieldToEventLoop();
  }
  return entries;
}

/** Takes a few milliseconds. */
const CHARS_BETWEEN_PAUSES = 500_000;

/** Returns an id or a text as it is stored: the inside of a JSON string, because PostgreSQL can hold neither U+0000 nor a lone surrogate. */
export function toStoredText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the id or text that is stored so. */
export function fromStoredText(storedText: string): string {
  return JSON.parse(`"${storedText}"`) as string;
}
