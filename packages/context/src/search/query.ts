/** Parses search queries and finds their words in a text. Any text is a valid query; queries and the index split words in the same way. */

/**
 * Prepares text for the index: without case and accents, with scripts that have no spaces split into single characters, and with the parts
 * of camelCase names added. The tokenizer of the index splits only at ASCII characters that are neither letters nor digits.
 */
export function toIndexText(text: string): string {
  const words = text.match(ASCII_WORD) ?? [];
  const parts = collectIdentifierParts(words);
  const normalized = normalizeIndexText(text, words);
  return parts.length === 0 ? normalized : `${normalized}${TERM_SEPARATOR}${parts.join(TERM_SEPARATOR)}`;
}

/** Splits text into normalized words, in order. */
function splitWords(text: string): readonly string[] {
  if (!ASCII_TEXT.test(text)) return normalizeUnicode(text).toLowerCase().match(wordPattern()) ?? [];
  return (text.toLowerCase().match(ASCII_WORD) ?? []).map(truncateWord);
}

/** Lists the distinct words of a text, and the parts of its camelCase names, for an index of words. */
export function listIndexWords(text: string): readonly string[] {
  return [...new Set([...splitWords(text), ...splitIdentifiers(text)])];
}

/** A word that occurs in no text and marks the folder of an entry. */
export function folderTerm(folder: number): string {
  return `${FOLDER_TERM_PREFIX}${folder}`;
}

/** A word that occurs in no text and marks the session file of an entry. */
export function fileTerm(file: number): string {
  return `${FILE_TERM_PREFIX}${file}`;
}

/** A word that occurs in no text and marks a call of a tool and its result. */
export function toolTerm(name: string): string {
  return `${TOOL_TERM_PREFIX}${name.toLowerCase().replace(/[^a-z0-9]/g, TOOL_NAME_FILLER)}`;
}

/** The distinct parts of camelCase names: `http` and `server` for `HTTPServer`. */
function splitIdentifiers(text: string): readonly string[] {
  return collectIdentifierParts(text.match(ASCII_WORD) ?? []);
}

function collectIdentifierParts(words: readonly string[]): readonly string[] {
  const parts = new Set<string>();
  for (const name of words)
    if (name.length <= MAX_IDENTIFIER_CHARS && CAMEL_CASE.test(name))
      for (const part of name.split(CAMEL_CASE_BOUNDARY)) if (part.length > 1) parts.add(part.toLowerCase());
  return [...parts];
}

function normalizeIndexText(text: string, words: readonly string[]): string {
  const truncated = words.some(({ length }) => length > MAX_WORD_CHARS) ? text.replace(ASCII_WORD, truncateWord) : text;
  return ASCII_TEXT.test(truncated) ? truncated : normalizeUnicode(truncated);
}

// Removes accents, except where they form a different letter, and normalizes full-width and half-width characters.
function normalizeUnicode(text: string): string {
  return text
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(nonWordPattern(), " ")
    .replace(scriptWithoutSpacesPattern(), " $& ")
    .replace(anyWordPattern(), truncateWord);
}

/** Longer words are truncated, so that base64 does not fill the index. */
const MAX_WORD_CHARS = 64;
const MAX_IDENTIFIER_CHARS = 40;
const truncateWord = (word: string): string => word.slice(0, MAX_WORD_CHARS);

const ASCII_TEXT: RegExp = /^[\0-\x7f]*$/;
const ASCII_WORD: RegExp = /[A-Za-z0-9]+/g;
const wordPattern = (): RegExp => /[a-z0-9\u0080-\u{10ffff}]+/gu;
const anyWordPattern = (): RegExp => /[\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;
const nonWordPattern = (): RegExp => /[^\0-\x7f\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. Hangul has spaces, but attaches endings to words. */
const scriptWithoutSpacesPattern = (): RegExp =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/gu;
const CAMEL_CASE = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const CAMEL_CASE_BOUNDARY = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
// Private-use characters: they are removed from every text, because they are neither letters nor digits.
const FOLDER_TERM_PREFIX = "\ue000";
const TERM_SEPARATOR = " \ue001 ";
const FILE_TERM_PREFIX = "\ue002";
const TOOL_TERM_PREFIX = "\ue003";
const TOOL_NAME_FILLER = "\ue004";
/** A word that occurs in no text and marks a summary of other entries. */
export const SUMMARY_TERM = "\ue005";

/** A parsed query. */
export interface SearchQuery {
  readonly terms: readonly QueryTerm[];
  /** Whether a text must contain all terms (the default) or at least one. */
  readonly match?: "all" | "any";
  /** Words of a path that a text must contain, too. */
  readonly path?: QueryTerm;
}

export interface QueryTerm {
  /** Words that follow each other. */
  readonly words: readonly string[];
  /** Whether the last word may be the start of a longer word. */
  readonly isPrefix: boolean;
  /** How much a match says about a text: high for a rare word. Default: 1. */
  readonly weight?: number;
}

/** Parses words, "phrases" and prefixes*. A path or a name with punctuation becomes a phrase of its parts. */
export function parseQuery(query: string): SearchQuery {
  const terms: QueryTerm[] = [];
  const text = query.slice(0, MAX_QUERY_CHARS).replace(/[“”„]/g, '"');
  for (const [, phrase, star, word = ""] of text.matchAll(/"([^"]*)"(\*?)|([^\s"]+)/g)) {
    const words = splitWords(phrase ?? word);
    const isPrefix = star === "*" || prefixStarPattern().test(word);
    if (words.length > 0 && terms.length < MAX_QUERY_TERMS) terms.push({ words, isPrefix });
  }
  return { terms };
}

/** Reads a path as a phrase of its parts; undefined if it has none. */
export function parsePathTerm(path: string): QueryTerm | undefined {
  const words = splitWords(path);
  return words.length === 0 ? undefined : { words, isPrefix: false };
}

/** The words of the query as one phrase; null for a query of one term. */
export function toPhraseQuery({ terms }: SearchQuery): SearchQuery | null {
  if (terms.length < 2) return null;
  return { terms: [{ words: terms.flatMap(({ words }) => words), isPrefix: terms.at(-1)?.isPrefix ?? false }] };
}

/** Whether the query contains a phrase, which matches far fewer entries than single words. */
export function isRareQuery({ terms }: SearchQuery): boolean {
  return terms.some(({ words }) => words.length > 1);
}

/**
 * A query with only the longer words, which every match contains. It is faster than a phrase with common words such as `for` or `src`.
 * Null if it would not be faster.
 */
export function toPrefilterQuery(query: SearchQuery): SearchQuery | null {
  const terms = query.terms.flatMap(splitAtShortWords);
  const isShorter = terms.length > 0 && countTermWords(terms) < countTermWords(query.terms);
  return isRareQuery(query) && isShorter ? { terms } : null;
}

function splitAtShortWords(term: QueryTerm): readonly QueryTerm[] {
  if (term.isPrefix) return [term];
  const runs: string[][] = [[]];
  for (const word of term.words)
    if (word.length > SHORT_WORD_CHARS) runs.at(-1)?.push(word);
    else runs.push([]);
  return runs.filter(({ length }) => length > 0).map((words) => ({ words, isPrefix: false }));
}

const countTermWords = (terms: readonly QueryTerm[]): number => terms.flatMap(({ words }) => words).length;

/** Marks of the index, such as `folderTerm`. */
export interface IndexMarks {
  /** An entry must have one of each list. */
  readonly required: readonly (readonly string[])[];
  /** An entry must not have it. */
  readonly excluded?: string | undefined;
}

/** The query as an FTS5 expression; only entries with the marks match. */
export function toMatchExpression({ terms, path }: SearchQuery, { required, excluded }: IndexMarks): string {
  // Words contain only letters and digits, so no word can close the quotes.
  const words = [...terms, ...(path ? [path] : [])].map(
    (term) => `"${term.words.join(" ")}"${term.isPrefix ? "*" : ""}`,
  );
  const markTerms = required.map((anyOf) => `(${anyOf.map((mark) => `"${mark}"`).join(" OR ")})`);
  const expression = [...words, ...markTerms].join(" AND ");
  return excluded === undefined ? expression : `(${expression}) NOT "${excluded}"`;
}

const prefixStarPattern = (): RegExp => /[\p{L}\p{N}\p{M}]\*$/u;
/** The rest of a longer, probably pasted, query is ignored. */
const MAX_QUERY_CHARS = 2_000;
const MAX_QUERY_TERMS = 32;
/** Words up to this length are common. */
const SHORT_WORD_CHARS = 3;

/** Whether a text matches the query, by the same rules as the index. */
export function matchesQuery(text: string, { terms, match = "all", path }: SearchQuery): boolean {
  const words = splitWords(text);
  const contains = (term: QueryTerm): boolean => words.some((_, index) => matchesTerm(words, index, term));
  if (path && !contains(path)) return false;
  const missing = terms.filter((term) => !contains(term));
  if (match === "any" && missing.length < Math.max(1, terms.length)) return true;
  const identifierParts = missing.length > 0 ? splitIdentifiers(text) : NO_WORDS;
  const isPart = (term: QueryTerm): boolean => isIdentifierPart(identifierParts, term);
  return match === "any" ? terms.length === 0 || missing.some(isPart) : missing.every(isPart);
}

export interface HighlightMark {
  readonly start: number;
  readonly end: number;
  /** The index of the query term. */
  readonly termIndex: number;
}

/** Finds the query terms in a text, in text order, about `limit` at most. */
export function findMarks(text: string, { terms }: SearchQuery, limit: number): readonly HighlightMark[] {
  const spans = findWordSpans(text);
  const words = spans.map(({ word }) => word);
  const marks: HighlightMark[] = [];
  spans.forEach((span, index) => {
    if (marks.length >= limit) return;
    terms.forEach((term, termIndex) => {
      const last = spans[index + term.words.length - 1];
      if (last && matchesTerm(words, index, term)) marks.push({ start: span.start, end: last.end, termIndex });
      else if (isIdentifierPart(span.names, term)) marks.push({ ...locateIdentifierPart(text, span, term), termIndex });
    });
  });
  return marks;
}

// A plain loop without allocations: it runs for each of many thousand words.
function matchesTerm(words: readonly string[], index: number, { words: termWords, isPrefix }: QueryTerm): boolean {
  const last = termWords.length - 1;
  for (let offset = 0; offset < last; offset++) if (words[index + offset] !== termWords[offset]) return false;
  const lastWord = words[index + last];
  return lastWord === termWords[last] || (isPrefix && lastWord?.startsWith(termWords[last] ?? "") === true);
}

/** Whether the term is a single word that is a part of a camelCase name. */
function isIdentifierPart(identifierParts: readonly string[], term: QueryTerm): boolean {
  return term.words.length === 1 && identifierParts.some((_, index) => matchesTerm(identifierParts, index, term));
}

interface WordSpan {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  /** The parts of a camelCase name; empty for another word. */
  readonly names: readonly string[];
}

function findWordSpans(text: string): readonly WordSpan[] {
  const runs = text.match(ASCII_TEXT.test(text) ? ASCII_WORD : anyWordPattern()) ?? [];
  const spans: WordSpan[] = [];
  let end = 0;
  for (const run of runs) {
    const start = text.indexOf(run, end);
    end = start + run.length;
    if (SHORT_ASCII_WORD.test(run)) spans.push({ start, end, word: run.toLowerCase(), names: splitIfIdentifier(run) });
    else spans.push(...splitRunIntoSpans(run, start));
  }
  return spans;
}

function splitRunIntoSpans(run: string, start: number): readonly WordSpan[] {
  const words = splitWords(run);
  // Normalization changed the length, so the positions inside the run are unknown: each word spans the whole run.
  if (words.join("").length !== run.length)
    return words.map((word) => ({ start, end: start + run.length, word, names: splitIfIdentifier(run) }));
  let offset = 0;
  return words.map((word) => {
    const from = offset;
    offset += word.length;
    return { start: start + from, end: start + offset, word, names: splitIfIdentifier(run.slice(from, offset)) };
  });
}

// Most words are not names, so check for a capital letter first.
function splitIfIdentifier(word: string): readonly string[] {
  return CAPITAL_LETTER.test(word) ? splitIdentifiers(word) : NO_WORDS;
}

function locateIdentifierPart(
  text: string,
  { start, end }: WordSpan,
  { words: [word = ""] }: QueryTerm,
): Omit<HighlightMark, "termIndex"> {
  const index = start + text.slice(start, end).toLowerCase().indexOf(word);
  return { start: index, end: index + word.length };
}

const NO_WORDS: readonly string[] = [];
const CAPITAL_LETTER = /[A-Z]/;
// A fast path: most words are short ASCII and need no normalization.
const SHORT_ASCII_WORD = /^[A-Za-z0-9]{1,40}$/;
