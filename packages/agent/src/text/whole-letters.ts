/** Where a text can be cut: not between the halves of one character. */

/** The place itself, or the one before it. */
export function cuttable(text: string, place: number): number {
  const isInside = LOW.test(text[place] ?? "") && HIGH.test(text[place - 1] ?? "");
  return isInside ? place - 1 : place;
}

const LOW = /[\udc00-\udfff]/;
const HIGH = /[\ud800-\udbff]/;
