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
  const [begun, whole] = [apart.filter((word) => word.endsWith("*")), apart.filter((word) => !word.endsWith("*"))];
  // What bounds a word stands once for all words: it is a large class of letters, and a thousand of them take a second to read.
  const ways = [
    ...(whole.length === 0 ? [] : [`(?:${whole.map(spacedWord).join("|")})(?!${LETTER})`]),
    ...(begun.length === 0 ? [] : [`(?:${begun.map(spacedWord).join("|")})${LETTER}*`]),
  ];
  const spaced = ways.length === 0 ? [] : [`(?<!${LETTER})(?:${ways.join("|")})`];
  return `(?:${[...spaced, ...joined.map((word) => folded(word).replaceAll("_", " "))].join("|")})`;
}

/** For patterns that are used once a text, never for their state. */
export function pattern(source: string): RegExp {
  return new RegExp(source, "u");
}

function spacedWord(word: string): string {
  return folded(word.replace(/\*$/, "")).replaceAll("_", "\\s+");
}

const LETTER = "[\\p{sc=Latin}\\p{sc=Cyrillic}\\p{N}_]";
