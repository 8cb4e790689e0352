/** Generates random names, paths and sentences from words that programmers use. */

import { type Random, randomInteger } from "../random.ts";

export function generateList<Each>(count: number, make: (index: number) => Each): readonly Each[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function pick<Each>(random: Random, list: readonly Each[]): Each {
  const item = list[randomInteger(random, 0, list.length - 1)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

export function randomLetters(random: Random, alphabet: string, count: number): string {
  return generateList(count, () => pick(random, [...alphabet])).join("");
}

export function randomSentence(random: Random): string {
  const words = generateList(randomInteger(random, 5, 12), () => pick(random, WORDS)).join(" ");
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

export function randomIdentifier(random: Random): string {
  const [first = "", ...rest] = generateList(randomInteger(random, 1, 3), () => pick(random, NAMES));
  return first + rest.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join("");
}

export function randomFileName(random: Random): string {
  return `${generateList(randomInteger(random, 1, 3), () => pick(random, NAMES)).join("-")}.${pick(random, ["ts", "json", "md", "so.6", "py"])}`;
}

export function randomPathName(random: Random): string {
  return `src/${generateList(randomInteger(random, 1, 2), () => pick(random, NAMES)).join("/")}/${randomFileName(random)}`;
}

const WORDS =
  "the a of to and in for with from not is was that this when before after while every connection request server client file could cannot be found opened closed written read timed out retry because user session token expired invalid missing value expected but received empty response database query returned no rows".split(
    " ",
  );

const NAMES =
  "user session request response buffer parser token stream index cache worker queue event config loader render layout store schema query result merge patch diff tree node edge count limit width offset debounce memoized tokenizer middleware serializer upsert backoff mtime stdin argv regex glob inode mutex viewport breadcrumb checksum webhook hydration tombstone shard quorum lexer dedupe throttle unwrap".split(
    " ",
  );

/** A text of one kind: source code, a listing, a log. */
export interface TextKind {
  readonly name: string;
  readonly text: string;
}
