/** Texts for the beginning of every request, kept short: each for itself, and all together. */

import type { ProjectText } from "@pith/agent";

/** Bytes. */
export const MOST_EACH: number = 32 * 1024;
export const MOST_IN_ALL: number = 64 * 1024;

export interface ProjectTexts {
  /** The user's own first, the nearest last. */
  readonly texts: readonly ProjectText[];
  /** For people: what was not read, or not whole. */
  readonly notes: readonly string[];
}

export interface LongText extends ProjectText {
  /** False where it was read only as far as it could be told. */
  readonly isWhole: boolean;
}

/** Where it is too much in all, the nearest are told: they are the most particular, and stand last. */
export function boundedTexts(found: readonly LongText[]): ProjectTexts {
  const texts: ProjectText[] = [];
  const notes: string[] = [];
  let room = MOST_IN_ALL;
  for (const { path, text, isWhole } of found.toReversed()) {
    const told = headOf(text, Math.min(room, MOST_EACH));
    const isCut = told.length < text.length || !isWhole;
    texts.unshift({ path, text: isCut ? `${told}\n[cut here; the rest stands in ${path}]` : told });
    if (isCut)
      notes.unshift(`${path} is long: only its first ${Math.ceil(Buffer.byteLength(told) / 1024)} KB are told`);
    room -= Buffer.byteLength(told);
  }
  return { texts, notes };
}

/** Whole lines, where it has any. */
function headOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  // The last character may be cut in two.
  const head = encoded
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
  const end = head.lastIndexOf("\n");
  return end < 0 ? head : head.slice(0, end + 1);
}
