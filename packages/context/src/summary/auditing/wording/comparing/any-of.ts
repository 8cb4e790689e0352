/** One pattern for many words, so that lists of words stay lists of words. */

import { folded } from "./folded.ts";
import { isJoined } from "./joined-scripts.ts";

/**
 * The source of a pattern for folded text. `word` stands for itself, `word*` for all that begins with it, `two_words` for
 * both in a row. Words of scripts without spaces are patterns themselves and are found anywhere.
 */
export function anyOf(...lists: readonly string[]): string {
  const words = lists.flatMap((list) => list.split(/\s+/)).filter((word) => word !== "");
  const [joined, apart] = [words.filter(isJoined), words.filter((word) => !isJoined(word))];
  const spaced = apart.length === 0 ? [] : [`(?<!${LETTER})(?:${apart.map(spacedWord).join("|")})`];
  return `(?:${[...spaced, ...joined.map((word) => folded(word).replaceAll("_", " "))].join("|")})`;
}

/** For patterns that are used once a text, never for their state. */
export function pattern(source: string): RegExp {
  return new RegExp(source, "u");
}

function spacedWord(word: string): string {
  const letters = folded(word.replace(/\*$/, "")).replaceAll("_", "\\s+");
  return word.endsWith("*") ? `${letters}${LETTER}*` : `${letters}(?!${LETTER})`;
}

const LETTER = "[\\p{sc=Latin}\\p{sc=Cyrillic}\\p{N}_]";
