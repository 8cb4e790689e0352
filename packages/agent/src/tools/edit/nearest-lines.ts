/** Finds the lines of a text that are most similar to the wanted ones, for the error message of a failed match. */

import { normalizeCharacters, type SearchedText } from "./find-match.ts";

export interface NearestLines {
  /** Of the first line, counted from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

export function findNearestLines(
  { lines, compactLines }: SearchedText,
  wanted: readonly string[],
): NearestLines | null {
  const keys = wanted.map((line) => normalizeCharacters(line).replace(/\s+/g, ""));
  const start = findByEqualLines(compactLines, keys) ?? findBySimilarLine(compactLines, keys);
  if (start === null) return null;
  const first = Math.min(Math.max(0, start), lines.length - 1);
  return { firstLine: first + 1, lines: lines.slice(first, first + Math.min(wanted.length, MAX_LINES)) };
}

const MAX_LINES = 12;

/** Each line that is there, apart from white space, votes for the place where the block would begin. Rare lines have the say. */
function findByEqualLines(keys: readonly string[], wanted: readonly string[]): number | null {
  const positions = linePositions(wanted);
  const counts = new Map<string, number>();
  for (const key of keys) if (positions.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const votes = new Map<number, number>();
  for (const [index, key] of keys.entries()) {
    const starts = (positions.get(key) ?? []).map((position) => index - position);
    const weight = 1 / (starts.length * (counts.get(key) ?? 1));
    for (const start of starts) votes.set(start, (votes.get(start) ?? 0) + weight);
  }
  return highestScore([...votes])?.[0] ?? null;
}

function linePositions(wanted: readonly string[]): ReadonlyMap<string, readonly number[]> {
  // A lone bracket is everywhere and says nothing.
  const distinctive = [...wanted.entries()].filter(([, key]) => /[\p{L}\p{N}]/u.test(key));
  const byKey = Map.groupBy(distinctive, ([, key]) => key);
  return new Map([...byKey].map(([key, entries]) => [key, entries.slice(0, MAX_POSITIONS).map(([index]) => index)]));
}

/** A line that is wanted again and again says no more each time, and would be held against every one like it. */
const MAX_POSITIONS = 5;

/** No line is there: the one that shares most with the longest wanted line. */
function findBySimilarLine(keys: readonly string[], wanted: readonly string[]): number | null {
  const [longest] = [...wanted.entries()].sort(([, one], [, other]) => other.length - one.length);
  if (!longest) return null;
  const [position, key] = longest;
  const wantedLine = { pairs: new Set(characterPairs(key)), size: characterPairs(key).length };
  const bestMatch = highestScore(keys.map((line, index) => [index - position, similarity(wantedLine, line)] as const));
  return bestMatch && bestMatch[1] >= MIN_SIMILARITY ? bestMatch[0] : null;
}

const MIN_SIMILARITY = 0.4;
/** No more letters of a line are compared. */
const MAX_COMPARED_CHARS = 200;

function characterPairs(key: string): readonly string[] {
  const characters = key.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  return Array.from({ length: Math.max(0, characters.length - 1) }, (_, index) => characters.slice(index, index + 2));
}

interface WantedLine {
  readonly pairs: ReadonlySet<string>;
  readonly size: number;
}

/** How much of both lines are neighbouring letters that are wanted: 1 is all. Runs for every line, so it keeps nothing. */
function similarity({ pairs, size }: WantedLine, key: string): number {
  const characters = key.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  let common = 0;
  for (let index = 0; index + 1 < characters.length; index++)
    if (pairs.has(characters.slice(index, index + 2))) common++;
  return (2 * Math.min(common, size)) / (characters.length - 1 + size || 1);
}

function highestScore(scores: readonly (readonly [number, number])[]): readonly [number, number] | null {
  return scores.reduce<readonly [number, number] | null>(
    (highest, score) => (highest && highest[1] >= score[1] ? highest : score),
    null,
  );
}
