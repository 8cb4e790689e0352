/** Letters of other scripts that look like Latin ones: for the eye they are the same. */

/** Each of them as what it looks like. The text must be in lower case. */
export function asLatin(text: string): string {
  return text.replace(FOREIGN, (letter) => LATIN[FOREIGN_LETTERS.indexOf(letter)] ?? letter);
}

/** Only in words that are Latin otherwise: nobody writes those but to be misread. */
export function withoutDisguise(text: string): string {
  return text.replace(WORD, (word) => (HAS_LATIN.test(word) ? asLatin(word) : word));
}

/** Letters, and below them what they look like. */
const FOREIGN_LETTERS = "асеорѕіӏһԁυοαηɡſıтмну";
const LATIN = "aceopsilhduoangsitmhy";
const FOREIGN = new RegExp(`[${FOREIGN_LETTERS}]`, "gu");

const WORD = /\p{L}+/gu;
const HAS_LATIN = /[a-z]/;
