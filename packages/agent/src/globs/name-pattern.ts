/** One name held against one part of a glob: stars, question marks, choices of characters. */

import { fitsWithGaps } from "./fits-with-gaps.ts";

export type Sign = typeof STAR | ((character: string) => boolean);

const STAR = "*";

export function signsOf(pattern: string): readonly Sign[] {
  return [...pattern.matchAll(SIGN)].map(([sign, escaped, negation, choice]) => {
    if (sign.startsWith("*")) return STAR;
    if (sign === "?") return () => true;
    if (choice !== undefined) return oneOf(choice, { isNegated: negation !== "" });
    return (character) => character === (escaped ?? sign);
  });
}

/** Some stars, an escaped character, a choice, or any other character. */
const SIGN = /\*+|\\(.)|\[([!^]?)(\]?[^\]]*)\]|./gsu;

function oneOf(choice: string, { isNegated }: { readonly isNegated: boolean }): (character: string) => boolean {
  const ranges = [...choice.matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from, to, only = ""]) => [from ?? only, to ?? only] as const,
  );
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

export function fitsName(signs: readonly Sign[], name: string): boolean {
  return fitsWithGaps(signs, [...name], {
    isGap: (sign) => sign === STAR,
    isFit: (sign, character) => sign !== STAR && sign(character),
  });
}
