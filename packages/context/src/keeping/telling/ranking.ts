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
  const read = pieces.map(wordReader());
  const rarity = raritiesIn(read);
  const isDiff = pieces.some((piece) => piece.startsWith("@@ -"));
  return read.map((words, at) => {
    const { keys, shapes, template, trouble, binding } = words;
    const isEmpty = keys.length + shapes.length === 0;
    const tells =
      WORTH.newWords * newness(keys, rarity.key) +
      WORTH.shape * saturated(sum(shapes, rarity.shape)) +
      WORTH.template * rarity.template(template) +
      (trouble ? WORTH.trouble * rarity.trouble : 0) +
      (binding ? WORTH.binding * rarity.binding : 0) +
      (isDiff ? WORTH.change * changeIn(pieces[at] ?? "") : 0);
    return { tells: isEmpty ? 0 : tells, trouble, template };
  });
}

/** 1 for what is there once, 0 for what every piece has. */
interface Rarities {
  readonly key: (key: number) => number;
  readonly shape: (shape: number) => number;
  readonly template: (template: number) => number;
  readonly trouble: number;
  readonly binding: number;
}

function raritiesIn(read: readonly Words[]): Rarities {
  const keys = counted(read, ({ keys }) => keys);
  const shapes = counted(read, ({ shapes }) => shapes);
  const templates = counted(read, ({ template }) => [template]);
  const all = Math.log(read.length + 1);
  const among = (count = 1): number => 1 - Math.log(Math.max(1, count)) / all;
  return {
    // A word that comes again has mostly said what it has to say.
    key: (key) => 1 / (keys.get(key) ?? 1) ** 2,
    shape: (shape) => among(shapes.get(shape)),
    template: (template) => among(templates.get(template)),
    trouble: among(read.filter(({ trouble }) => trouble).length),
    binding: among(read.filter(({ binding }) => binding).length),
  };
}

function counted(read: readonly Words[], of: (words: Words) => readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const words of read) for (const each of of(words)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
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

function sum(list: readonly number[], of: (each: number) => number): number {
  return list.reduce((total, each) => total + of(each), 0);
}
