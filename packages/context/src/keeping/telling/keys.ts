/** The keys of a word: what it has in common with other forms of itself, and with the names it is a part of. */

/** `parseHTMLPages` has three: parse, html, pages. Digits and single letters are none. */
export function keysOf(word: string): readonly string[] {
  if (SMALL.test(word)) return word.length < 2 ? [] : [word.slice(0, STEM)];
  return (word.match(ASCII.test(word) ? ASCII_PART : PART) ?? []).flatMap(partKeys);
}

function partKeys(part: string): readonly string[] {
  if (IS_UNSPACED.test(part)) return part.length < 2 ? [part] : pairs(part);
  return part.length < 2 ? [] : [part.slice(0, STEM).toLowerCase()];
}

function pairs(part: string): readonly string[] {
  return Array.from({ length: part.length - 1 }, (_, at) => part.slice(at, at + 2));
}

/** Letters that tell a word from others, whatever its ending. */
const STEM = 7;

const SMALL = /^[a-z]+$/;
const ASCII = /^[ -~]*$/;
const ASCII_PART = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
/** Scripts that are written without spaces: every two letters are a key. */
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const PART = new RegExp(`[${UNSPACED}]+|\\p{Lu}?[\\p{Ll}\\p{M}]+|\\p{Lu}+(?!\\p{Ll})|[\\p{Lo}\\p{M}]+`, "gu");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
