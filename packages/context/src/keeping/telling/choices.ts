/** What of a long text may be kept: how it begins, how it ends, and what tells most, each as far as there is room. */

import { textTokens } from "../../reading/tokens/text-tokens.ts";
import { ranked } from "./ranking.ts";
import { type Unit, unitsOf, wholeLetters } from "./units.ts";

export interface Choice extends Worthy {
  readonly tokens: number;
}

interface Worthy extends Unit {
  readonly tells: number;
  /** What it tells, for its length. */
  readonly worth: number;
}

export interface Choices {
  /** From the beginning on. */
  readonly head: readonly Choice[];
  /** From the end back. */
  readonly tail: readonly Choice[];
  /** From the most telling down, for their length. */
  readonly best: readonly Choice[];
}

export const TELLING = {
  /** What tells less has been said: it is not kept for its own sake. */
  least: 0.05,
  /** How much more a long unit must tell: nothing more for 0, twice as much for twice the length with 1. */
  length: 0.3,
  /** Letters below which a unit is as good as no shorter. */
  shortest: 24,
  /** Letters that are ranked against each other: what is rare in its neighbourhood tells something there. */
  stretch: 250_000,
} as const;

/** Of each no more than fills the room. Time is linear in the length of the text. */
export function choicesIn(text: string, tokens: number): Choices {
  let [head, tail]: readonly (readonly Choice[])[] = [];
  const best: Choice[] = [];
  for (const stretch of stretchesOf(text)) {
    const units = rankedUnits(text, stretch);
    if (units.length === 0) continue;
    head ??= filling(text, units, tokens);
    tail = filling(text, units.toReversed(), tokens);
    const telling = units.filter(({ tells }) => tells >= TELLING.least).sort(byWorth);
    for (const choice of filling(text, telling, tokens)) best.push(choice);
  }
  return { head: head ?? [], tail: tail ?? [], best: best.sort(byWorth) };
}

const byWorth = (one: Worthy, other: Worthy): number => other.worth - one.worth;

/** Whole lines where there are any. */
function* stretchesOf(text: string): Generator<Unit> {
  for (let from = 0; from < text.length; ) {
    const least = Math.min(text.length, from + TELLING.stretch);
    const line = text.slice(least, least + TELLING.stretch).search(/[\r\n]|$/);
    const to = wholeLetters(text, least + line);
    yield { from, to };
    from = to;
  }
}

function rankedUnits(text: string, stretch: Unit): readonly Worthy[] {
  const units = unitsOf(text, stretch);
  const told = ranked(units.map(({ from, to }) => text.slice(from, to)));
  return units.map(({ from, to }, at) => {
    const tells = told[at]?.tells ?? 0;
    return { from, to, tells, worth: tells / Math.max(to - from, TELLING.shortest) ** TELLING.length };
  });
}

function filling(text: string, units: readonly Worthy[], tokens: number): readonly Choice[] {
  const choices: Choice[] = [];
  let room = tokens;
  for (const unit of units) {
    if (room < 0) break;
    const size = textTokens(text.slice(unit.from, unit.to));
    choices.push({ ...unit, tokens: size });
    room -= size;
  }
  return choices;
}
