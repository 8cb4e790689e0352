/** Finds the lines of a text that are most similar to the wanted ones, for the error message of a failed match. */

import { plainSigns, type SearchedText } from "./find-match.ts";

export interface Nearest {
  /** Of the first line, counted from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

export function nearest({ lines, bare }: SearchedText, wanted: readonly string[]): Nearest | null {
  const keys = wanted.map((line) => plainSigns(line).replace(/\s+/g, ""));
  const from = byEqualLines(bare, keys) ?? byLikeLine(bare, keys);
  if (from === null) return null;
  const first = Math.min(Math.max(0, from), lines.length - 1);
  return { first: first + 1, lines: lines.slice(first, first + Math.min(wanted.length, MOST_LINES)) };
}

const MOST_LINES = 12;

/** Each line that is there, apart from white space, votes for the place where the block would begin. Rare lines have the say. */
function byEqualLines(keys: readonly string[], wanted: readonly string[]): number | null {
  const places = placesOf(wanted);
  const counts = new Map<string, number>();
  for (const key of keys) if (places.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const votes = new Map<number, number>();
  for (const [at, key] of keys.entries()) {
    const froms = (places.get(key) ?? []).map((place) => at - place);
    const weight = 1 / (froms.length * (counts.get(key) ?? 1));
    for (const from of froms) votes.set(from, (votes.get(from) ?? 0) + weight);
  }
  return best([...votes])?.[0] ?? null;
}

function placesOf(wanted: readonly string[]): ReadonlyMap<string, readonly number[]> {
  // A lone bracket is everywhere and says nothing.
  const telling = [...wanted.entries()].filter(([, key]) => /[\p{L}\p{N}]/u.test(key));
  const byKey = Map.groupBy(telling, ([, key]) => key);
  return new Map([...byKey].map(([key, entries]) => [key, entries.slice(0, MOST_PLACES).map(([at]) => at)]));
}

/** A line that is wanted again and again says no more each time, and would be held against every one like it. */
const MOST_PLACES = 5;

/** No line is there: the one that shares most with the longest wanted line. */
function byLikeLine(keys: readonly string[], wanted: readonly string[]): number | null {
  const [longest] = [...wanted.entries()].sort(([, one], [, other]) => other.length - one.length);
  if (!longest) return null;
  const [place, key] = longest;
  const wish = { pairs: new Set(pairsOf(key)), size: pairsOf(key).length };
  const found = best(keys.map((there, at) => [at - place, share(wish, there)] as const));
  return found && found[1] >= LIKE ? found[0] : null;
}

const LIKE = 0.4;
/** No more letters of a line are compared. */
const COMPARED = 200;

function pairsOf(key: string): readonly string[] {
  const letters = key.slice(0, COMPARED).toLowerCase();
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2));
}

interface Wish {
  readonly pairs: ReadonlySet<string>;
  readonly size: number;
}

/** How much of both lines are neighbouring letters that are wanted: 1 is all. Runs for every line, so it keeps nothing. */
function share({ pairs, size }: Wish, key: string): number {
  const letters = key.slice(0, COMPARED).toLowerCase();
  let both = 0;
  for (let at = 0; at + 1 < letters.length; at++) if (pairs.has(letters.slice(at, at + 2))) both++;
  return (2 * Math.min(both, size)) / (letters.length - 1 + size || 1);
}

function best(scores: readonly (readonly [number, number])[]): readonly [number, number] | null {
  return scores.reduce<readonly [number, number] | null>((top, one) => (top && top[1] >= one[1] ? top : one), null);
}
