/** How a word is built, whatever it says: `2026-01-02` and `1999-12-31` have one shape, and `v1.2.3` has another. */

export const NAME = "Aa";
/** Encoded data, of which no letter tells anything. */
export const NOISE = "~";

/** Null for a word like any other. */
export function shapeOf(word: string): string | null {
  if (PLAIN.test(word)) return null;
  if (/^\d+$/.test(word)) return "0".repeat(Math.min(word.length, LONGEST_NUMBER));
  if (/^\w{2,9}:\/\//.test(word)) return "://";
  if (HASH.test(word)) return "#";
  const shape = drawn(word);
  if (word.length >= NOISY && shape.length > word.length / 4) return NOISE;
  return /[\\/]/.test(word) ? "/" : shape;
}

const PLAIN = /^(?:[a-z]+|[\p{Ll}\p{Lo}\p{M}]+)$/u;
const HASH = /^(?:0x)?(?=[a-f-]*\d)(?=[\d-]*[a-f])[\da-f-]{7,80}$/i;
/** Letters from which a word that changes its kind of letter all the time is no name. */
const NOISY = 40;
const LONGEST_NUMBER = 9;

/** Each run of one kind of letter as one letter. */
function drawn(word: string): string {
  const ascii = word
    .replace(/\d+/g, "0")
    .replace(/[A-Z]+/g, "A")
    .replace(/[a-z]+/g, "a");
  return /[^ -~]/.test(ascii) ? ascii.replace(/\p{Lu}+/gu, "A").replace(/[\p{Ll}\p{Lo}\p{M}]+/gu, "a") : ascii;
}
