/** Compares the words of two texts: words of four letters or more, ignoring their endings, and pairs of Han characters. */

import { foldAccents } from "../text/sanitize.ts";
import { charPairs } from "../text/score-novelty.ts";

/** The comparable words of a text, and the same words by their first four letters. */
export interface Vocabulary {
  /** The length of the text. */
  readonly chars: number;
  readonly words: ReadonlySet<string>;
  readonly byPrefix: ReadonlyMap<string, readonly string[]>;
  /** Words of two or three letters, to compare short names in code: `--all`, `id`. */
  readonly shortWords: ReadonlySet<string>;
  /** All words joined, to search for parts of them. */
  readonly joinedWords: string;
}

/** Collects the comparable words of a text. */
export function buildVocabulary(text: string): Vocabulary {
  const words = comparableWords(text);
  return {
    chars: text.length,
    words,
    byPrefix: Map.groupBy(words, (word) => word.slice(0, MIN_WORD_CHARS)),
    shortWords: findShortWords(text),
    joinedWords: [...words].join("\n"),
  };
}

function comparableWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  // A tool result repeats most of its words.
  for (const word of new Set(text.normalize("NFKC").match(COMPARABLE_WORD))) {
    if (SPACELESS_START.test(word)) for (const pair of charPairs(word)) words.add(pair);
    else if (HANGUL_START.test(word)) words.add(word.slice(0, 2));
    else
      for (const part of [word, ...(word.match(CAMEL_CASE_PART) ?? [])])
        if (isLongEnough(part)) words.add(foldAccents(part));
  }
  return words;
}

/** Runs of scripts without spaces, Korean words, and words of scripts with spaces. Hiragana is left out: it is mostly grammar. */
const COMPARABLE_WORD =
  /[\p{sc=Han}々]+|[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+|[\p{sc=Katakana}ー]+|\p{sc=Hangul}+|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv;
const SPACELESS_START = /^[\p{sc=Han}\p{sc=Katakana}ー々\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const HANGUL_START = /^\p{sc=Hangul}/u;
/** `CheckoutPage` has `Checkout` and `Page`. */
const CAMEL_CASE_PART = /\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu;

// Short numbers count as words: `212`, `64k`.
function isLongEnough(word: string): boolean {
  return word.length >= MIN_WORD_CHARS || (word.length === 3 && /\p{N}/u.test(word));
}

/** Words of two or three letters. */
function findShortWords(text: string): ReadonlySet<string> {
  return new Set(foldAccents(text).match(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]{2,3}(?![\p{L}\p{N}_])/gu) ?? []);
}

/** Lists the different words of a text. A text with few words is compared with its short words too: `Drop CSV` is not `Drop the cache`. */
export function listWords(text: string): readonly string[] {
  const words = [...comparableWords(text)];
  return words.length >= MIN_COMPARABLE_WORDS ? words : [...words, ...findShortWords(text)];
}

const MIN_COMPARABLE_WORDS = 3;

/** Whether the vocabulary has a word of `listWords`, in this or another form. */
export function hasListedWord(word: string, vocabulary: Vocabulary): boolean {
  return vocabulary.shortWords.has(word) || hasWord(word, vocabulary);
}

/** How many different words a text has, and how many of them the vocabulary has. */
export interface WordOverlap {
  readonly shared: number;
  readonly all: number;
}

/** Counts the different words of a text that the vocabulary also has. */
export function countSharedWords(text: string, vocabulary: Vocabulary): WordOverlap {
  const words = [...comparableWords(text)];
  const names = findShortNames(text);
  const sharedWords = words.filter((word) => hasWord(word, vocabulary));
  const sharedNames = names.filter((name) => vocabulary.shortWords.has(name));
  return { shared: sharedWords.length + sharedNames.length, all: words.length + names.length };
}

/** Whether the vocabulary has two words of a text or three tenths of them. Faster than counting: parts of compound words are not compared. */
export function sharesWords(words: readonly string[], vocabulary: Vocabulary): boolean {
  const shared = words.filter((word) => hasWordForm(word, vocabulary)).length;
  return shared >= 2 || shared * 10 >= words.length * 3;
}

/** How many words of a claim the user typed, and how many occur only in the attachments. */
export interface WordSupport extends WordOverlap {
  /** Words that occur in the attachments and were not typed. */
  readonly attached: number;
}

/** Counts the words of a claim that the user typed and those that only the attachments have. */
export function countWordSupport(text: string, typed: Vocabulary, attached: Vocabulary): WordSupport {
  const words = [...comparableWords(text)];
  const names = findShortNames(text);
  const isTyped = (word: string): boolean => hasWord(word, typed);
  const untypedWords = words.filter((word) => !isTyped(word));
  const untypedNames = names.filter((name) => !typed.shortWords.has(name));
  const all = words.length + names.length;
  return {
    shared: all - untypedWords.length - untypedNames.length,
    attached:
      untypedWords.filter((word) => hasWord(word, attached)).length +
      untypedNames.filter((name) => attached.shortWords.has(name)).length,
    all,
  };
}

/** Short words in code: `--all`, `id`. */
function findShortNames(text: string): readonly string[] {
  return [...findShortWords([...text.matchAll(CODE_SPAN)].map(([code]) => code).join(" "))];
}

/** A number of a text with the words beside it. */
export interface NumberInText {
  /** `8,500` is `8500`. */
  readonly number: string;
  /** The words directly before and after it, if they are long enough to compare. */
  readonly neighbors: readonly string[];
}

/** Finds the numbers of a text: `7`, `2026`, `0.080`. Digits in names are no numbers: `heron-04`, `v2`. */
export function findNumbers(text: string): readonly NumberInText[] {
  return Array.from(text.normalize("NFKC").matchAll(NUMBER), ([, before = "", number = "", after = ""]) => ({
    number: number.replace(/[,'](?=\d{3})/g, ""),
    neighbors: [before, after].flatMap((word) => [...comparableWords(word)]),
  }));
}

const NUMBER =
  /(?<=(\p{L}*)[^\p{L}\p{N}_.]?)(?<![\p{sc=Latin}\p{N}_.-])(\d+(?:[.,']\d+)*)(?![\p{sc=Latin}\p{N}_])(?=[^\p{L}\p{N}_]?(\p{L}*))/gu;

/** Whether two words are forms of one. */
export function isSameWord(one: string, other: string): boolean {
  return one === other || (!isCharPair(one) && hasSameStem(one, other));
}

const CODE_SPAN = /`[^`\n]+`/g;

function hasWord(word: string, vocabulary: Vocabulary): boolean {
  if (hasWordForm(word, vocabulary)) return true;
  if (isCharPair(word)) return false;
  const { words, joinedWords } = vocabulary;
  // `Datenbankmigration` contains `Migration`.
  return (
    (word.length >= MIN_COMPOUND_PART_CHARS && joinedWords.includes(word)) ||
    wordSubstrings(word).some((part) => words.has(part))
  );
}

/** Whether the vocabulary has a word in this or another form. */
function hasWordForm(word: string, { words, byPrefix }: Vocabulary): boolean {
  if (words.has(word)) return true;
  if (isCharPair(word)) return false;
  return (byPrefix.get(word.slice(0, MIN_WORD_CHARS)) ?? []).some((other) => hasSameStem(word, other));
}

const isCharPair = (word: string): boolean => word.length === 2;

/** `tests` and `testing` are forms of one word; `approve` and `approach` are not. */
function hasSameStem(one: string, other: string): boolean {
  if (isCharPair(other)) return false;
  const shorter = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < shorter && one[shared] === other[shared]) shared += 1;
  return shared >= MIN_WORD_CHARS && shared >= shorter * MIN_STEM_RATIO;
}

/** All parts of a word that are long enough to be words themselves. */
function wordSubstrings(word: string): readonly string[] {
  const chars = word.slice(0, MAX_COMPOUND_CHARS);
  const parts: string[] = [];
  for (let start = 0; start + MIN_COMPOUND_PART_CHARS <= chars.length; start += 1)
    for (let end = start + MIN_COMPOUND_PART_CHARS; end <= chars.length; end += 1) parts.push(chars.slice(start, end));
  return parts;
}

const MAX_COMPOUND_CHARS = 40;

const MIN_WORD_CHARS = 4;
/** The common prefix of two forms of a word, as a share of the shorter form. */
const MIN_STEM_RATIO = 0.75;
const MIN_COMPOUND_PART_CHARS = 6;
