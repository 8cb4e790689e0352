/** Indexes a user's text by its words and by the actions it asks for. */

import { type Clause, clausesOf } from "./clauses.ts";
import { turnsOf } from "./swaps.ts";
import type { Grave } from "./tone.ts";

export interface Heard {
  readonly clauses: readonly Clause[];
  /** Where a word stands. Of very many places the first. */
  readonly byKey: ReadonlyMap<string, readonly Clause[]>;
  readonly byGrave: ReadonlyMap<Grave, readonly Clause[]>;
  /** Which name stands on which side. */
  readonly turns: ReadonlySet<string>;
}

export function heard(said: string): Heard {
  const text = said.replace(NOD, " yes ");
  const clauses = clausesOf(text);
  const byKey = new Map<string, Clause[]>();
  const byGrave = new Map<Grave, Clause[]>();
  let before: Clause | undefined;
  for (const clause of clauses) {
    const whole = before && isAboutIt(clause) ? joined(before, clause) : clause;
    for (const key of clause.keys) note(byKey, key, clause);
    for (const name of clause.grave) note(byGrave, name, whole);
    before = clause;
  }
  return { clauses, byKey, byGrave, turns: turnsOf(text) };
}

const NOD = /[👍👌✅]/gu;

function note<Key>(places: Map<Key, Clause[]>, key: Key, clause: Clause): void {
  const known = places.get(key);
  if (!known) places.set(key, [clause]);
  else if (known.length < MOST) known.push(clause);
}

const MOST = 50;

// "The cache is stale. Delete it."
function isAboutIt({ grave, others }: Clause): boolean {
  return grave.size > 0 && others.length === 0;
}

function joined(before: Clause, clause: Clause): Clause {
  return {
    ...clause,
    about: new Set([...before.about, ...clause.about]),
    isHedged: before.isHedged || clause.isHedged,
  };
}
