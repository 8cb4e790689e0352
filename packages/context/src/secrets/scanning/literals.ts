/** Many literal texts looked for at once: three letters say where one may begin, so that a text is passed over as fast as it can be read. */

export interface Hit {
  readonly literal: string;
  readonly index: number;
}

export class Literals {
  /** By the first three letters; 0 where none begins so. */
  readonly #places = new Uint16Array(MASK + 1);
  readonly #groups: Group[][] = [[]];

  /** Each has at least three letters. */
  constructor(literals: Iterable<string> = []) {
    for (const literal of literals) this.add(literal);
  }

  add(literal: string): void {
    let place = 0;
    for (let at = 0; at < 3; at += 1) place = ((place << SHIFT) ^ literal.charCodeAt(at)) & MASK;
    this.#places[place] ||= this.#groups.push([]) - 1;
    addTo(this.#groups[this.#places[place] ?? 0] ?? [], literal);
  }

  /** The first of them that begins there or later, and of those the longest: it says more. */
  next(text: string, from: number): Hit | null {
    const places = this.#places;
    const end = text.length;
    let place = 0;
    for (let at = from; at < end; at += 1) {
      place = ((place << SHIFT) ^ text.charCodeAt(at)) & MASK;
      if (places[place] === 0) continue;
      const literal = at - from < 2 ? undefined : this.#literalAt(text, at - 2, place);
      if (literal !== undefined) return { literal, index: at - 2 };
    }
    return null;
  }

  #literalAt(text: string, at: number, place: number): string | undefined {
    for (const { length, literals } of this.#groups[this.#places[place] ?? 0] ?? []) {
      const found = literals.get(text.slice(at, at + length))?.find((literal) => text.startsWith(literal, at));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Those of one length, or of any above the most, by their first letters: thousands may begin with the same three. */
interface Group {
  readonly length: number;
  readonly literals: Map<string, readonly string[]>;
}

const MOST_COMPARED = 64;

function addTo(groups: Group[], literal: string): void {
  const length = Math.min(literal.length, MOST_COMPARED);
  const group = groups.find((each) => each.length === length) ?? { length, literals: new Map() };
  if (!groups.includes(group)) groups.push(group);
  const beginning = literal.slice(0, length);
  group.literals.set(beginning, [...(group.literals.get(beginning) ?? []), literal].sort(longestFirst));
  groups.sort(longestFirst);
}

function longestFirst(one: { readonly length: number }, other: { readonly length: number }): number {
  return other.length - one.length;
}

// What came three letters ago is shifted out.
const SHIFT = 5;
const MASK: number = (1 << (3 * SHIFT)) - 1;
