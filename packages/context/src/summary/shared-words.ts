/** Compares what two texts are about: words of four letters or more, whatever their ending, and pairs of Han characters. */

import { foldAccents } from "../text/sanitize.ts";

/** The words of a text that are long enough to compare, by their first four letters. */
export interface Vocabulary {
  readonly words: ReadonlySet<string>;
  readonly byStart: ReadonlyMap<string, readonly string[]>;
  /** Words of any length, for names in code: `--all`, `id`. */
  readonly short: ReadonlySet<string>;
  /** All words in one text, to look for parts of them. */
  readonly joined: string;
}

export function vocabularyOf(text: string): Vocabulary {
  const words = comparableWords(text);
  return {
    words,
    byStart: Map.groupBy(words, (word) => word.slice(0, SHORTEST)),
    short: shortWords(text),
    joined: [...words].join("\n"),
  };
}

/** How the words of a claim are spread over what a user typed and what was attached to it. */
export interface SupportingWords extends SharedWords {
  /** Words that stand in the attachments and were not typed. */
  readonly attached: number;
}

export function countSupport(text: string, typed: Vocabulary, attached: Vocabulary): SupportingWords {
  const words = [...comparableWords(text)];
  const names = shortNames(text);
  const isTyped = (word: string): boolean => hasWord(word, typed);
  const untyped = words.filter((word) => !isTyped(word));
  const untypedNames = names.filter((name) => !typed.short.has(name));
  const all = words.length + names.length;
  return {
    shared: all - untyped.length - untypedNames.length,
    attached:
      untyped.filter((word) => hasWord(word, attached)).length +
      untypedNames.filter((name) => attached.short.has(name)).length,
    all,
  };
}

/** How many different words of a text also stand in the vocabulary, and how many it has. */
export interface SharedWords {
  readonly shared: number;
  readonly all: number;
}

export function countSharedWords(text: string, vocabulary: Vocabulary): SharedWords {
  const words = [...comparableWords(text)];
  const names = shortNames(text);
  const shared = words.filter((word) => hasWord(word, vocabulary));
  const sharedNames = names.filter((name) => vocabulary.short.has(name));
  return { shared: shared.length + sharedNames.length, all: words.length + names.length };
}

/** Short words in code: `--all`, `id`. */
function shortNames(text: string): readonly string[] {
  return [...shortWords([...text.matchAll(CODE)].map(([code]) => code).join(" "))];
}

function hasWord(word: string, { words, byStart, joined }: Vocabulary): boolean {
  if (words.has(word)) return true;
  if (isPair(word)) return false;
  if ((byStart.get(word.slice(0, SHORTEST)) ?? []).some((other) => isSameStem(word, other))) return true;
  // `Datenbankmigration` holds `Migration`.
  return (word.length >= SHORTEST_PART && joined.includes(word)) || partsOf(word).some((part) => words.has(part));
}

/** `tests` and `testing` are forms of one word; `approve` and `approach` are not. */
function isSameStem(one: string, other: string): boolean {
  if (isPair(other)) return false;
  const shorter = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < shorter && one[shared] === other[shared]) shared += 1;
  return shared >= SHORTEST && shared >= shorter * SAME_STEM;
}

/** Words of two or three letters. */
function shortWords(text: string): ReadonlySet<string> {
  return new Set(foldAccents(text).match(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]{2,3}(?![\p{L}\p{N}_])/gu) ?? []);
}

const CODE = /`[^`\n]+`/g;

/** All parts of a word that are long enough to be words themselves. */
function partsOf(word: string): readonly string[] {
  const letters = word.slice(0, LONGEST_COMPOUND);
  const parts: string[] = [];
  for (let start = 0; start + SHORTEST_PART <= letters.length; start += 1)
    for (let end = start + SHORTEST_PART; end <= letters.length; end += 1) parts.push(letters.slice(start, end));
  return parts;
}

const LONGEST_COMPOUND = 40;

const SHORTEST = 4;
/** Of the shorter word: what both begin with. */
const SAME_STEM = 0.75;
const SHORTEST_PART = 6;

function comparableWords(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text.normalize("NFKC").matchAll(WORD)) {
    if (UNSPACED.test(word)) for (const pair of pairsIn(word)) found.add(pair);
    else if (HANGUL.test(word)) found.add(word.slice(0, 2));
    else for (const part of [word, ...(word.match(PART) ?? [])]) if (isLong(part)) found.add(foldAccents(part));
  }
  return found;
}

// Numbers say as much as words: `212`, `64k`.
function isLong(word: string): boolean {
  return word.length >= SHORTEST || (word.length === 3 && /\p{N}/u.test(word));
}

function pairsIn(word: string): readonly string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

const isPair = (word: string): boolean => word.length === 2;

/** Runs of scripts that set no blanks between words, Korean words, and words of every script that sets its words apart. Hiragana is mostly grammar. */
const WORD =
  /[\p{sc=Han}々]+|[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+|[\p{sc=Katakana}ー]+|\p{sc=Hangul}+|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv;
const UNSPACED = /^[\p{sc=Han}\p{sc=Katakana}ー々\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const HANGUL = /^\p{sc=Hangul}/u;
/** `CheckoutPage` has `Checkout` and `Page`. */
const PART = /\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu;
