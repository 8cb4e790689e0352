/** Writes and finds references to entries and blobs in text that a model reads: `#412`, `blob:1a2b3c4d`, and the older long forms. */

import type { Entry } from "./entry.ts";

/** What opens an entry with `read`: `#412`, or `entry:<id>` for an entry without a number. */
export function entryReference({ id, number }: Pick<Entry, "id" | "number">): string {
  return number === undefined ? `entry:${id}` : `#${number}`;
}

/** What opens a blob with `read`: the beginning of its hash is enough. */
export function blobReference(hash: string): string {
  return `blob:${hash.slice(0, BLOB_DIGITS)}`;
}

const BLOB_DIGITS = 8;
