/** The names that occur in what was covered, so that a name in a summary can be asked for: a set of words, and of words joined by one mark. */

import { folded } from "../wording/comparing/folded.ts";

export interface KnownNames {
  /** `auth`, `getusername`. */
  readonly words: ReadonlySet<string>;
  /** `auth.ts`, `src/auth`, `2.1`. */
  readonly pairs: ReadonlySet<string>;
}

export function knownNames(texts: Iterable<string>): KnownNames {
  const words = new Set<string>();
  const pairs = new Set<string>();
  for (const text of texts) {
    note(text, { words, pairs });
    // What is quoted inside JSON has its line ends as letters.
    if (/\\[nrt]/.test(text)) note(text.replace(/\\[nrt]/g, " "), { words, pairs });
  }
  return { words, pairs };
}

interface Noting {
  readonly words: Set<string>;
  readonly pairs: Set<string>;
}

function note(text: string, { words, pairs }: Noting): void {
  for (const { word, pair } of joints(text)) {
    for (const name of [word, withoutV(word)]) words.add(name);
    if (pair !== null) for (const name of [pair, withoutV(pair)]) pairs.add(name);
    if (isHash(word)) words.add(`${word.slice(0, SHORT_HASH)}…`);
  }
}

/** A version is the same with and without. */
export const withoutV = (name: string): string => name.replace(/^v(?=\d)/i, "");

export interface Joint {
  readonly word: string;
  /** With the word before it, where one mark joins them. */
  readonly pair: string | null;
}

export function joints(text: string): readonly Joint[] {
  const found: Joint[] = [];
  const plain = folded(text).replaceAll("\\", "/");
  let before = "";
  let end = -1;
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const isJoined = index === end + 1 && /[./:@#+~-]/.test(plain[end] ?? "");
    found.push({ word, pair: isJoined ? `${before}${plain[end]}${word}` : null });
    before = word;
    end = index + word.length;
  }
  return found;
}

const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

const isHash = (word: string): boolean => /^[\da-f]{7,64}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word);

/** A word itself, or its plural, or the beginning of a hash. */
export function isKnownWord(word: string, { words }: KnownNames): boolean {
  if (words.has(word) || words.has(`${word}s`)) return true;
  if (word.endsWith("s") && words.has(word.slice(0, -1))) return true;
  return isHash(word) && words.has(`${word.slice(0, SHORT_HASH)}…`);
}

const SHORT_HASH = 7;
