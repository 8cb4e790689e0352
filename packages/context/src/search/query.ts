/** Parses a search query and finds its words in a text. Any text is a valid query; the index splits words by the same rules. */

/**
 * Words have no case and no accents; scripts without spaces are split into single signs. Query and index share this. What the index is
 * given. Its tokenizer parts it at every ASCII sign that is neither letter nor digit, and nowhere else.
 */
export function indexable(text: string): string {
  const words = text.match(ASCII_WORD) ?? [];
  const parts = partsOf(words);
  const folded = foldedText(text, words);
  return parts.length === 0 ? folded : `${folded}${GAP}${parts.join(GAP)}`;
}

/** The words in their order, as a question means them. */
export function wordsIn(text: string): readonly string[] {
  if (!IS_ASCII.test(text)) return unaccented(text).toLowerCase().match(wordPattern()) ?? [];
  return (text.toLowerCase().match(ASCII_WORD) ?? []).map(beginning);
}

/** A word that no text has: it says in which folder an entry lies. */
export function placeWord(folder: number): string {
  return `${PLACE}${folder}`;
}

/** `http` and `server` of `HTTPServer`, each once; the whole name is a word of its own. */
export function nameParts(text: string): readonly string[] {
  return partsOf(text.match(ASCII_WORD) ?? []);
}

function partsOf(words: readonly string[]): readonly string[] {
  const parts = new Set<string>();
  for (const name of words)
    if (name.length <= LONGEST_NAME && TURN.test(name))
      for (const part of name.split(BETWEEN_PARTS)) if (part.length > 1) parts.add(part.toLowerCase());
  return [...parts];
}

function foldedText(text: string, words: readonly string[]): string {
  const cut = words.some(({ length }) => length > LONGEST_WORD) ? text.replace(ASCII_WORD, beginning) : text;
  return IS_ASCII.test(cut) ? cut : unaccented(cut);
}

// Accents go, except where they make another letter of it; what is wide or narrow becomes usual.
function unaccented(text: string): string {
  return text
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(noWordPattern(), " ")
    .replace(unspacedPattern(), " $& ")
    .replace(anyWordPattern(), beginning);
}

/** Of what is longer than any word the beginning counts: base64 would fill the index. */
const LONGEST_WORD = 64;
const LONGEST_NAME = 40;
const beginning = (word: string): string => word.slice(0, LONGEST_WORD);

export const IS_ASCII: RegExp = /^[\0-\x7f]*$/;
export const ASCII_WORD: RegExp = /[A-Za-z0-9]+/g;
const wordPattern = (): RegExp => /[a-z0-9\u0080-\u{10ffff}]+/gu;
const anyWordPattern = (): RegExp => /[\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;
const noWordPattern = (): RegExp => /[^\0-\x7f\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no space between words; Hangul does, but glues endings to them. */
const unspacedPattern = (): RegExp =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/gu;
const TURN = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const BETWEEN_PARTS = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
// Letters for private use: no text keeps them, because they are neither letters nor digits.
const PLACE = "\ue000";
const GAP = " \ue001 ";

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
    const isPrefix = star === "*" || starPattern().test(word);
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

const starPattern = (): RegExp => /[\p{L}\p{N}\p{M}]\*$/u;
/** More was pasted than asked. */
const LONGEST = 2_000;
const MOST_PARTS = 32;
/** Letters of words that stand everywhere. */
const SHORT = 3;

/** Whether a text has all that is asked for: by the very words that the index was given. */
export function matches(text: string, { parts }: Question): boolean {
  const words = wordsIn(text);
  const missing = parts.filter((part) => !words.some((_, at) => fitsAt(words, at, part)));
  const names = missing.length > 0 ? nameParts(text) : NONE;
  return missing.every((part) => isNamePart(names, part));
}

export interface Mark {
  readonly start: number;
  readonly end: number;
  /** Which part of the question it is. */
  readonly part: number;
}

/** In the order of the text, about so many at most. What cannot be traced to a place in the text has no mark. */
export function marksIn(text: string, { parts }: Question, most: number): readonly Mark[] {
  const spans = spansIn(text);
  const words = spans.map(({ word }) => word);
  const marks: Mark[] = [];
  spans.forEach((span, at) => {
    if (marks.length >= most) return;
    parts.forEach((part, number) => {
      const last = spans[at + part.words.length - 1];
      if (last && fitsAt(words, at, part)) marks.push({ start: span.start, end: last.end, part: number });
      else if (isNamePart(span.names, part)) marks.push({ ...partOfName(text, span, part), part: number });
    });
  });
  return marks;
}

// Plain loops and no lists: it is asked at each of many thousand words.
function fitsAt(words: readonly string[], at: number, { words: wanted, isPrefix }: Part): boolean {
  const last = wanted.length - 1;
  for (let more = 0; more < last; more++) if (words[at + more] !== wanted[more]) return false;
  const found = words[at + last];
  return found === wanted[last] || (isPrefix && found?.startsWith(wanted[last] ?? "") === true);
}

/** Whether it is one word, and that is a part of a name. */
function isNamePart(names: readonly string[], part: Part): boolean {
  return part.words.length === 1 && names.some((_, at) => fitsAt(names, at, part));
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  /** Its parts, where it is a name. */
  readonly names: readonly string[];
}

function spansIn(text: string): readonly Span[] {
  const runs = text.match(IS_ASCII.test(text) ? ASCII_WORD : anyWordPattern()) ?? [];
  const spans: Span[] = [];
  let end = 0;
  for (const run of runs) {
    const start = text.indexOf(run, end);
    end = start + run.length;
    if (SHORT_ASCII.test(run)) spans.push({ start, end, word: run.toLowerCase(), names: namesIn(run) });
    else spans.push(...spansOf(run, start));
  }
  return spans;
}

function spansOf(run: string, start: number): readonly Span[] {
  const words = wordsIn(run);
  // Where letters were put together or taken away, nobody knows which of them stand where.
  if (words.join("").length !== run.length)
    return words.map((word) => ({ start, end: start + run.length, word, names: namesIn(run) }));
  let at = 0;
  return words.map((word) => {
    const from = at;
    at += word.length;
    return { start: start + from, end: start + at, word, names: namesIn(run.slice(from, at)) };
  });
}

// Most words are none.
function namesIn(word: string): readonly string[] {
  return CAPITAL.test(word) ? nameParts(word) : NONE;
}

function partOfName(text: string, { start, end }: Span, { words: [word = ""] }: Part): Omit<Mark, "part"> {
  const at = start + text.slice(start, end).toLowerCase().indexOf(word);
  return { start: at, end: at + word.length };
}

const NONE: readonly string[] = [];
const CAPITAL = /[A-Z]/;
// Most are such words, and hardly anything has to be done to them.
const SHORT_ASCII = /^[A-Za-z0-9]{1,40}$/;
