/** Finds the newest of many texts that supports a claim. */

import type { Heard } from "./heard.ts";
import { LONGEST_CLAIM, restsOn } from "./rests-on.ts";
import { unitsOf, weightOf } from "./units.ts";

/** The key of the newest text that carries it; null where none does, or where hardly anything is claimed. */
export type Footings = (claim: string) => string | null;

/** Oldest first. */
export function footings(texts: ReadonlyMap<string, Heard>): Footings {
  const order = [...texts.keys()];
  const holders = holdersOf(order.map((key) => texts.get(key)));
  return (claim) => {
    const units = claim.length > LONGEST_CLAIM ? [] : unitsOf(claim);
    if (weightOf(units) < LEAST) return null;
    const votes = new Map<number, number>();
    for (const at of units.flatMap(({ keys }) => keys.flatMap((key) => holders.get(key) ?? []))) {
      votes.set(at, (votes.get(at) ?? 0) + 1);
    }
    const likely = [...votes].sort(([one, few], [other, many]) => many - few || other - one).slice(0, TRIED);
    const carrying = likely.map(([at]) => at).filter((at) => restsOn(claim, heardAt(order[at], texts)));
    return order[Math.max(...carrying)] ?? null;
  };
}

/** Two words. */
const LEAST = 2;
const TRIED = 5;

function heardAt(key: string | undefined, texts: ReadonlyMap<string, Heard>): readonly Heard[] {
  const found = key === undefined ? undefined : texts.get(key);
  return found ? [found] : [];
}

/** Who has a word; of very many the newest. */
function holdersOf(texts: readonly (Heard | undefined)[]): ReadonlyMap<string, readonly number[]> {
  const holders = new Map<string, number[]>();
  texts.toReversed().forEach((text, back) => {
    for (const key of text?.byKey.keys() ?? []) {
      const known = holders.get(key);
      if (!known) holders.set(key, [texts.length - 1 - back]);
      else if (known.length < MOST) known.push(texts.length - 1 - back);
    }
  });
  return holders;
}

const MOST = 100;
