/** Values that were met before, wherever they stand now: found as they are, without the name that gave them away. */

import { placeholdersIn } from "./placeholder.ts";
import { Literals } from "./scanning/literals.ts";
import { isPassword, isRandom } from "./scanning/random.ts";
import { inOrder, type Kind, outside, type Spot } from "./scanning/spot.ts";

export class KnownValues {
  readonly #kinds = new Map<string, Kind>();
  /** How those begin that have white space in them: letters that no space comes before. */
  readonly #spaced: string[] = [];
  readonly #all = new Literals();

  /** What could be a common word is not looked for by itself, unless the user says so. */
  add(value: string, kind: Kind, { isListed = false }: { readonly isListed?: boolean } = {}): void {
    if (this.#kinds.has(value) || this.#kinds.size >= MOST || !(isListed || isTelling(value))) return;
    this.#kinds.set(value, kind);
    this.#all.add(value);
    const [first = "", ...more] = value.split(/\s/);
    if (more.length > 0) this.#spaced.push(first.slice(0, BEGINNING));
  }

  spotsIn(text: string): readonly Spot[] {
    if (this.#kinds.size === 0) return [];
    const spots: Spot[] = [];
    // From letter to letter: one may begin within another and end behind it.
    for (let hit = this.#all.next(text, 0); hit; hit = this.#all.next(text, hit.index + 1)) {
      const { literal, index } = hit;
      const kind = this.#kinds.get(literal);
      if (kind) spots.push({ start: index, end: index + literal.length, kind });
    }
    return inOrder(outside(placeholdersIn(text), spots));
  }

  /** Whether one of them may have begun where this text ends, so that more must be heard first. */
  mayBeginIn(text: string): boolean {
    return this.#spaced.some((beginning) => text.includes(beginning));
  }
}

/** Whoever meets more has a log of nothing else. */
const MOST = 5_000;
const BEGINNING = 4;

function isTelling(value: string): boolean {
  return value.length >= 40 || isRandom(value) || (value.length >= 12 && /\d/.test(value) && isPassword(value));
}
