/** Measures how often a token begins where, and prints `token-weights.ts`, to be formatted. Run by hand: `node bench/src/tokens/fit.ts`. */

import {
  buildTokenCostTable,
  COST_SHIFT,
  charClassIndexes,
  ROW_MASK,
  type TokenWeights,
  tokenWeights,
} from "../../../packages/context/test/support/token-model.ts";
import type { Kind } from "./random-text.ts";
import { tokenStarts } from "./real-tokens.ts";
import { madeUpTexts, packageTexts } from "./training-texts.ts";

/** All costs that are certain are smaller. */
const FIRST_NUMBER = 1000;

const numbered = withNumbers(tokenWeights);
const tallies = tallied([...packageTexts(), ...madeUpTexts()]);
console.log(printed(changed(numbered, (number) => weightOf(tallies.get(number))) as TokenWeights));

interface Tally {
  /** How often a token began there, and how often it could have. */
  begun: number;
  seen: number;
}

/**
 * The mean is what comes closest by least squares. Every kind counts the same, however much there is of it, because an error is
 * measured in parts of a text's own tokens.
 */
function tallied(kinds: readonly Kind[]): ReadonlyMap<number, Tally> {
  const tallies = new Map<number, Tally>();
  const { cells: steps, firstRow } = buildTokenCostTable(numbered);
  for (const { text } of kinds) {
    const starts = startsBehindSpaces(text);
    const share = 10_000 / starts.reduce((sum, begun) => sum + begun, 0);
    let row = firstRow;
    for (const [at, begun] of starts.entries()) {
      const step = steps[row + (charClassIndexes[text.charCodeAt(at)] ?? 0)] ?? 0;
      const weight = step >>> COST_SHIFT;
      const tally = tallies.get(weight) ?? { begun: 0, seen: 0 };
      tallies.set(weight, { begun: tally.begun + begun * share, seen: tally.seen + share });
      row = step & ROW_MASK;
    }
  }
  return tallies;
}

// A space is counted with what follows it.
function startsBehindSpaces(text: string): Uint8Array {
  const starts = tokenStarts(text);
  for (let at = text.length - 2; at >= 0; at--) {
    if (text[at] !== " " && text[at] !== "\t") continue;
    starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0);
    starts[at] = 0;
  }
  return starts;
}

/** In hundredths. What was hardly seen is rare, and what is rare is mostly a token of its own. */
function weightOf({ begun, seen }: Tally = { begun: 0, seen: 0 }): number {
  return Math.round((100 * (begun + 0.8)) / (seen + 1));
}

/** The same weights, each with a number of its own in the place of its value. */
function withNumbers(weights: TokenWeights): TokenWeights {
  let next = FIRST_NUMBER;
  return changed(weights, () => next++) as TokenWeights;
}

function changed(value: unknown, change: (value: number) => number): unknown {
  if (typeof value === "number") return change(value);
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, changed(each, change)]));
}

function printed(weights: TokenWeights): string {
  return `/** How often a token begins at a character, in hundredths. Measured and printed by \`bench/src/tokens/fit.ts\`. */

import type { TokenWeights } from "./token-model.ts";

export const tokenWeights: TokenWeights = ${JSON.stringify(weights)};`;
}
