/** What was typed, as what is looked for. Any text is a question: nothing in it is an operator, and nothing is a mistake. */

import { placeWord, wordsIn } from "./words.ts";

/** All of its parts must occur. */
export interface Question {
  readonly parts: readonly Part[];
}

export interface Part {
  /** In this order, one right after the other. */
  readonly words: readonly string[];
  /** Whether the last one may go on. */
  readonly isPrefix: boolean;
}

/** Words, "phrases", prefix*; a path, a name or a word of signs is a phrase of its own parts. */
export function asked(query: string): Question {
  const parts: Part[] = [];
  const text = query.slice(0, LONGEST).replace(/[“”„]/g, '"');
  for (const [, phrase, star, word = ""] of text.matchAll(/"([^"]*)"(\*?)|([^\s"]+)/g)) {
    const words = wordsIn(phrase ?? word);
    const isPrefix = star === "*" || STAR.test(word);
    if (words.length > 0 && parts.length < MOST_PARTS) parts.push({ words, isPrefix });
  }
  return { parts };
}

/** The same words, all in a row: what was perhaps meant. Null where that says nothing new. */
export function asPhrase({ parts }: Question): Question | null {
  if (parts.length < 2) return null;
  return { parts: [{ words: parts.flatMap(({ words }) => words), isPrefix: parts.at(-1)?.isPrefix ?? false }] };
}

/** Words in a row are found far less often than words. */
export function isSeldom({ parts }: Question): boolean {
  return parts.some(({ words }) => words.length > 1);
}

/** The longer words, which stand wherever the question does: quickly looked for, unlike a row with `for` or `src` in it. Null where that is no help. */
export function gistOf(question: Question): Question | null {
  const parts = question.parts.flatMap(longerRows);
  const isShorter = parts.length > 0 && wordCount(parts) < wordCount(question.parts);
  return isSeldom(question) && isShorter ? { parts } : null;
}

function longerRows(part: Part): readonly Part[] {
  if (part.isPrefix) return [part];
  const rows: string[][] = [[]];
  for (const word of part.words)
    if (word.length > SHORT) rows.at(-1)?.push(word);
    else rows.push([]);
  return rows.filter(({ length }) => length > 0).map((words) => ({ words, isPrefix: false }));
}

const wordCount = (parts: readonly Part[]): number => parts.flatMap(({ words }) => words).length;

/** In the language of the index; with `folders`, only what lies in one of them. */
export function matchOf({ parts }: Question, folders: readonly number[] | null): string {
  // Words are letters and digits only, so that nothing can end the quotes.
  const terms = parts.map(({ words, isPrefix }) => `"${words.join(" ")}"${isPrefix ? "*" : ""}`);
  const places = folders?.map((folder) => `"${placeWord(folder)}"`).join(" OR ");
  return [...terms, ...(places ? [`(${places})`] : [])].join(" AND ");
}

const STAR = /[\p{L}\p{N}\p{M}]\*$/u;
/** More was pasted than asked. */
const LONGEST = 2_000;
const MOST_PARTS = 32;
/** Letters of words that stand everywhere. */
const SHORT = 3;
