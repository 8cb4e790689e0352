/** One name held against one part of a glob: stars, question marks, choices of characters. */

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

/** A star takes as little as it can; where the rest does not fit, the last one takes one character more. */
export function fitsName(signs: readonly Sign[], name: string): boolean {
  const characters = [...name];
  let sign = 0;
  let star: { readonly sign: number; taken: number } | null = null;
  for (let at = 0; at < characters.length; ) {
    const wanted = signs[sign];
    if (wanted === STAR) {
      star = { sign, taken: at };
      sign += 1;
    } else if (wanted?.(characters[at] ?? "")) {
      sign += 1;
      at += 1;
    } else {
      if (star === null) return false;
      star.taken += 1;
      at = star.taken;
      sign = star.sign + 1;
    }
  }
  return signs.slice(sign).every((rest) => rest === STAR);
}
