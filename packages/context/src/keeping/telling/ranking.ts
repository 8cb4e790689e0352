/** How much each piece of a text tells: the more, the less it is like the others. What is everywhere tells nothing. */

import { type Words, wordReader } from "./words.ts";

export interface Ranked {
  /** From 0 for a piece of which all has been said before; 1 is a lot. */
  readonly tells: number;
  readonly trouble: boolean;
  /** The same for pieces that differ only in the numbers, hashes and paths they name. */
  readonly template: number;
}

/** What each thing is worth where the rest of the text has nothing like it. */
export const WORTH = { newWords: 1, shape: 0.14, template: 0.08, trouble: 0.25, binding: 0.12, change: 0.16 } as const;

export function ranked(pieces: readonly string[]): readonly Ranked[] {
  const kinds = kindsOf(pieces);
  const rarity = raritiesIn([...kinds.values()], pieces.length);
  const isDiff = pieces.some((piece) => piece.startsWith("@@ -"));
  const known = new Map<string, Ranked>();
  for (const [piece, { words }] of kinds) {
    const change = isDiff ? WORTH.change * changeIn(piece) : 0;
    const { trouble, template } = words;
    known.set(piece, { tells: isEmpty(words) ? 0 : worthOf(words, rarity) + change, trouble, template });
  }
  return pieces.map((piece) => known.get(piece) as Ranked);
}

/** Pieces of one wording: they are read once, however often they come. */
interface Kind {
  readonly words: Words;
  count: number;
}

function kindsOf(pieces: readonly string[]): ReadonlyMap<string, Kind> {
  const read = wordReader();
  const kinds = new Map<string, Kind>();
  for (const piece of pieces) {
    const kind = kinds.get(piece);
    if (kind) kind.count++;
    else kinds.set(piece, { words: read(piece), count: 1 });
  }
  return kinds;
}

function isEmpty({ keys, shapes }: Words): boolean {
  return keys.length + shapes.length === 0;
}

function worthOf({ keys, shapes, template, trouble, binding }: Words, rarity: Rarities): number {
  return (
    WORTH.newWords * newness(keys, rarity.key) +
    WORTH.shape * saturated(shapes.reduce((sum, shape) => sum + rarity.shape(shape), 0)) +
    WORTH.template * rarity.template(template) +
    (trouble ? WORTH.trouble * rarity.trouble : 0) +
    (binding ? WORTH.binding * rarity.binding : 0)
  );
}

/** 1 for what is there once, 0 for what every piece has. */
interface Rarities {
  readonly key: (key: number) => number;
  readonly shape: (shape: number) => number;
  readonly template: (template: number) => number;
  readonly trouble: number;
  readonly binding: number;
}

function raritiesIn(kinds: readonly Kind[], pieces: number): Rarities {
  const counted = (of: (words: Words) => readonly number[]): ReadonlyMap<number, number> => {
    const counts = new Map<number, number>();
    for (const { words, count } of kinds)
      for (const each of of(words)) counts.set(each, (counts.get(each) ?? 0) + count);
    return counts;
  };
  const keys = counted((words) => words.keys);
  const shapes = counted((words) => words.shapes);
  const templates = counted((words) => [words.template]);
  const those = (has: (words: Words) => boolean): number =>
    kinds.reduce((sum, { words, count }) => sum + (has(words) ? count : 0), 0);
  const among = (count = 1): number => 1 - Math.log(Math.max(1, count)) / Math.log(pieces + 1);
  return {
    // A word that comes again has mostly said what it has to say.
    key: (key) => 1 / (keys.get(key) ?? 1) ** 2,
    shape: (shape) => among(shapes.get(shape)),
    template: (template) => among(templates.get(template)),
    trouble: among(those(({ trouble }) => trouble)),
    binding: among(those(({ binding }) => binding)),
  };
}

// Not of the whole piece: a long sentence may say one new thing beside much that is old.
function newness(keys: readonly number[], rarity: (key: number) => number): number {
  const rarities = keys.map(rarity);
  let [now, most] = [0, 0];
  for (let at = 0; at < rarities.length; at++) {
    now += (rarities[at] ?? 0) - (rarities[at - SPAN] ?? 0);
    most = Math.max(most, now);
  }
  return most / (Math.min(keys.length, SPAN) + FEW);
}

/** Words in a row that are looked at together; so many more than there are count as known, lest one word be a novelty. */
const SPAN = 8;
const FEW = 3;

/** File and hunk headers say where, added and removed lines say what; the lines around them are there anyway. */
function changeIn(line: string): number {
  if (/^(?:diff |\+\+\+ |@@ )/.test(line)) return 1;
  return /^[+-]/.test(line) ? 1 / 2 : 0;
}

const saturated = (much: number): number => much / (much + 1);
