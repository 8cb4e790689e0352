/** Measures how often a token begins at each kind of character, and prints `token-weights.ts`. Run by hand: `node bench/src/tokens/fit.ts`. */

import {
  buildTokenCostTable,
  COST_SHIFT,
  charClassIndexes,
  ROW_MASK,
  type TokenWeights,
  tokenWeights,
} from "../../../packages/context/test/support/token-model.ts";
import type { TextKind } from "./random-text.ts";
import { countTokenStarts } from "./real-tokens.ts";
import { makeTexts, readPackageTexts } from "./training-texts.ts";

/** Larger than all fixed costs. */
const FIRST_ID = 1000;

const numberedWeights = numberWeights(tokenWeights);
const tallyById = tallyTokenStarts([...readPackageTexts(), ...makeTexts()]);
console.log(formatSource(mapNumbers(numberedWeights, (number) => toWeight(tallyById.get(number))) as TokenWeights));

interface Tally {
  /** The number of tokens that began there, and of characters where one could begin. */
  starts: number;
  positions: number;
}

/**
 * The mean minimises the squared error. Every kind of text has the same weight, whatever its length, because an error is
 * relative to the tokens of its text.
 */
function tallyTokenStarts(kinds: readonly TextKind[]): ReadonlyMap<number, Tally> {
  const tallies = new Map<number, Tally>();
  const { cells: steps, firstRow } = buildTokenCostTable(numberedWeights);
  for (const { text } of kinds) {
    const starts = shiftStartsPastSpaces(text);
    const weightShare = 10_000 / starts.reduce((sum, startCount) => sum + startCount, 0);
    let row = firstRow;
    for (const [index, startCount] of starts.entries()) {
      const step = steps[row + (charClassIndexes[text.charCodeAt(index)] ?? 0)] ?? 0;
      const weight = step >>> COST_SHIFT;
      const tally = tallies.get(weight) ?? { starts: 0, positions: 0 };
      tallies.set(weight, {
        starts: tally.starts + startCount * weightShare,
        positions: tally.positions + weightShare,
      });
      row = step & ROW_MASK;
    }
  }
  return tallies;
}

// A space belongs to the token that follows it.
function shiftStartsPastSpaces(text: string): Uint8Array {
  const starts = countTokenStarts(text);
  for (let index = text.length - 2; index >= 0; index--) {
    if (text[index] !== " " && text[index] !== "\t") continue;
    starts[index + 1] = (starts[index + 1] ?? 0) + (starts[index] ?? 0);
    starts[index] = 0;
  }
  return starts;
}

/** The weight in hundredths. Rare characters are mostly tokens of their own, so that the prior is 0.8. */
function toWeight({ starts, positions }: Tally = { starts: 0, positions: 0 }): number {
  return Math.round((100 * (starts + 0.8)) / (positions + 1));
}

/** Replaces the value of each weight with a unique number. */
function numberWeights(weights: TokenWeights): TokenWeights {
  let next = FIRST_ID;
  return mapNumbers(weights, () => next++) as TokenWeights;
}

function mapNumbers(value: unknown, change: (value: number) => number): unknown {
  if (typeof value === "number") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapNumbers(each, change));
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, mapNumbers(each, change)]));
}

function formatSource(weights: TokenWeights): string {
  return `/** How often a token begins at a character, in hundredths. Measured and printed by \`bench/src/tokens/fit.ts\`. */

import type { TokenWeights } from "./token-model.ts";

export const tokenWeights: TokenWeights = ${JSON.stringify(weights)};`;
}
