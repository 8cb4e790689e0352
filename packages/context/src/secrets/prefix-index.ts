/** Indexes the prefixes of all secret families, so that a text is searched for all of them at once. Built on first use. */

import type { Family } from "./pattern.ts";
import { families } from "./patterns.ts";

export interface Hit {
  readonly literal: string;
  readonly index: number;
}

/** Searches for many literals at once: three letters decide where one may begin, so a text is skipped as fast as it is read. */
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

export interface Ready {
  readonly family: Family;
  /** From where the needle, or what belongs before it, begins; made when the needle was found. */
  readonly pattern: () => RegExp;
}

interface Needles {
  readonly all: Literals;
  /** What a needle may belong to, the most likely first. */
  readonly readyFor: (needle: string) => readonly Ready[];
}

export function needles(): Needles {
  made ??= make();
  return made;
}

let made: Needles | null = null;

/** Where the body of a private key begins and ends. */
export const KEY_BEGINS = "-----BEGIN ";
export const KEY_ENDS = "-----END ";

function make(): Needles {
  const byNeedle = new Map<string, Ready[]>();
  for (const family of families) {
    let pattern: RegExp | null = null;
    const ready = { family, pattern: () => (pattern ??= new RegExp(withEncodedCharacters(family.pattern), "dy")) };
    for (const needle of family.needles) byNeedle.set(needle, [...(byNeedle.get(needle) ?? []), ready]);
  }
  return { all: new Literals([...byNeedle.keys(), KEY_BEGINS, KEY_ENDS]), readyFor: withShorter(byNeedle) };
}

/** In an address `+`, `/` and `=` are written `%2B`, `%2F` and `%3D`: wherever a pattern has them in a class or a count, that form counts too. */
function withEncodedCharacters(pattern: string): string {
  return pattern.replace(/\\.|=(?=\{)|\[(?!\^)((?:\\.|[^\]\\])*)\]/g, (part, characters: string = part) => {
    if (part.startsWith("\\") || characters.includes("%")) return part;
    const encoded = Object.entries(ENCODED).flatMap(([character, form]) =>
      characters.includes(character) ? [form] : [],
    );
    return encoded.length === 0 ? part : `(?:${part}|%(?:${encoded.join("|")}))`;
  });
}

const ENCODED: Readonly<Record<string, string>> = { "+": "2[Bb]", "/": "2[Ff]", "=": "3[Dd]" };

/** Where one needle begins with another, only the longer is found: what the shorter may belong to is asked next. */
function withShorter(byNeedle: ReadonlyMap<string, readonly Ready[]>): Needles["readyFor"] {
  const found = new Map<string, readonly Ready[]>();
  return (needle) => {
    const known = found.get(needle);
    if (known) return known;
    const beginnings = Array.from({ length: needle.length }, (_, at) => needle.slice(0, needle.length - at));
    const ready = [...new Set(beginnings.flatMap((each) => byNeedle.get(each) ?? []))];
    found.set(needle, ready);
    return ready;
  };
}
