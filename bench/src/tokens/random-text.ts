/** Makes random names, paths and sentences of the words that programmers use. */

import { between, type Random } from "../random.ts";

export function many<Each>(count: number, make: (at: number) => Each): readonly Each[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

export function pick<Each>(next: Random, from: readonly Each[]): Each {
  const picked = from[between(next, 0, from.length - 1)];
  if (picked === undefined) throw new Error("there is nothing to pick from");
  return picked;
}

export function lettersOf(next: Random, alphabet: string, count: number): string {
  return many(count, () => pick(next, [...alphabet])).join("");
}

export function sentence(next: Random): string {
  const words = many(between(next, 5, 12), () => pick(next, WORDS)).join(" ");
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

export function identifier(next: Random): string {
  const [first = "", ...rest] = many(between(next, 1, 3), () => pick(next, NAMES));
  return first + rest.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join("");
}

export function fileName(next: Random): string {
  return `${many(between(next, 1, 3), () => pick(next, NAMES)).join("-")}.${pick(next, ["ts", "json", "md", "so.6", "py"])}`;
}

export function pathName(next: Random): string {
  return `src/${many(between(next, 1, 2), () => pick(next, NAMES)).join("/")}/${fileName(next)}`;
}

const WORDS =
  "the a of to and in for with from not is was that this when before after while every connection request server client file could cannot be found opened closed written read timed out retry because user session token expired invalid missing value expected but received empty response database query returned no rows".split(
    " ",
  );

const NAMES =
  "user session request response buffer parser token stream index cache worker queue event config loader render layout store schema query result merge patch diff tree node edge count limit width offset debounce memoized tokenizer middleware serializer upsert backoff mtime stdin argv regex glob inode mutex viewport breadcrumb checksum webhook hydration tombstone shard quorum lexer dedupe throttle unwrap".split(
    " ",
  );

/** A text of one kind, as a model sees it: source code, a listing, a log. */
export interface Kind {
  readonly name: string;
  readonly text: string;
}
