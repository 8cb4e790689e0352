/** The words of a text as they are looked for: without case and accents, signs of scripts without spaces one by one. Question and index share it. */

/** What the index is given. Its tokenizer parts it at every ASCII sign that is neither letter nor digit, and nowhere else. */
export function indexable(text: string): string {
  const words = text.match(ASCII_WORD) ?? [];
  const parts = partsOf(words);
  const folded = foldedText(text, words);
  return parts.length === 0 ? folded : `${folded}${GAP}${parts.join(GAP)}`;
}

/** The words in their order, as a question means them. */
export function wordsIn(text: string): readonly string[] {
  if (!IS_ASCII.test(text)) return unaccented(text).toLowerCase().match(WORD) ?? [];
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
    .replace(NO_WORD, " ")
    .replace(UNSPACED, " $& ")
    .replace(ANY_WORD, beginning);
}

/** Of what is longer than any word the beginning counts: base64 would fill the index. */
const LONGEST_WORD = 64;
const LONGEST_NAME = 40;
const beginning = (word: string): string => word.slice(0, LONGEST_WORD);

export const IS_ASCII: RegExp = /^[\0-\x7f]*$/;
export const ASCII_WORD: RegExp = /[A-Za-z0-9]+/g;
const WORD = /[a-z0-9\u0080-\u{10ffff}]+/gu;
const ANY_WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;
const NO_WORD = /[^\0-\x7f\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no space between words; Hangul does, but glues endings to them. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/gu;
const TURN = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const BETWEEN_PARTS = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
// Letters for private use: no text keeps them, because they are neither letters nor digits.
const PLACE = "\ue000";
const GAP = " \ue001 ";
