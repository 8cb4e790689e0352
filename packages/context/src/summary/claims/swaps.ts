/** Detects two names swapped around a word: `rename foo to bar` is not `rename bar to foo`. */

import { foldAccents } from "../../text/sanitize.ts";

/** Each as `foo to bar`; a number also as `logs for #`. */
export function turnsOf(text: string): ReadonlySet<string> {
  return new Set(
    pairsOf(text).flatMap(({ left, pivot, right }) => {
      const pair = `${left} ${pivot} ${right}`;
      return NUMBER.test(right) ? [pair, `${left} ${pivot} #`] : [pair];
    }),
  );
}

/** Whether a claim has them the other way round, or gives one the number of another. */
export function isSwapped(claim: string, said: readonly { readonly turns: ReadonlySet<string> }[]): boolean {
  const has = (pair: string): boolean => said.some(({ turns }) => turns.has(pair));
  return pairsOf(claim).some(({ left, pivot, right }) => {
    if (left === right || has(`${left} ${pivot} ${right}`)) return false;
    return has(`${right} ${pivot} ${left}`) || (NUMBER.test(right) && has(`${left} ${pivot} #`));
  });
}

const NUMBER = /^\d+$/;

interface Pair {
  readonly left: string;
  readonly pivot: string;
  readonly right: string;
}

function pairsOf(text: string): readonly Pair[] {
  const words = (foldAccents(text).match(WORD) ?? []).filter((word) => word !== "the");
  return words.flatMap((pivot, at) => {
    const [left, right] = [words[at - 1], words[at + 1]];
    return PIVOTS.has(pivot) && left !== undefined && right !== undefined ? [{ left, pivot, right }] : [];
  });
}

const WORD = /[\p{L}\p{M}\p{N}_]+|→/gu;
const PIVOTS: ReadonlySet<string> = new Set(
  "to into over than for → nach zu statt über por para sobre vers pour в на для".split(" "),
);
