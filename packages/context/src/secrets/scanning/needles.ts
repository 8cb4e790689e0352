/** The families made ready for looking: all needles at once, and for each the few families it may belong to. Made at the first look. */

import { families } from "../families/families.ts";
import type { Family } from "../family.ts";
import { Literals } from "./literals.ts";

export interface Ready {
  readonly family: Family;
  /** From where the needle, or what belongs before it, begins; made when the needle was found. */
  readonly pattern: () => RegExp;
}

interface Needles {
  readonly all: Literals;
  readonly byNeedle: ReadonlyMap<string, readonly Ready[]>;
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
    const ready = { family, pattern: () => (pattern ??= new RegExp(family.pattern, "dy")) };
    for (const needle of family.needles) byNeedle.set(needle, [...(byNeedle.get(needle) ?? []), ready]);
  }
  return { all: new Literals([...byNeedle.keys(), KEY_BEGINS, KEY_ENDS]), byNeedle: withShorter(byNeedle) };
}

/** Where one needle begins with another, only the longer is found: what the shorter may belong to is asked next. */
function withShorter(byNeedle: ReadonlyMap<string, readonly Ready[]>): ReadonlyMap<string, readonly Ready[]> {
  const entries = [...byNeedle].map(([needle, own]): [string, readonly Ready[]] => {
    const beginnings = Array.from({ length: needle.length }, (_, at) => needle.slice(0, needle.length - at));
    return [needle, [...new Set([...own, ...beginnings.flatMap((each) => byNeedle.get(each) ?? [])])]];
  });
  return new Map(entries);
}
