/** Makes search questions of every kind, from words that are everywhere to some that stand in one line only. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { between, type Random, random } from "../random.ts";
import { wordOfRank } from "./corpus.ts";

export const KINDS = ["common", "rare", "phrase", "prefix", "path", "cjk"] as const;

export type Kind = (typeof KINDS)[number];

export interface Asked {
  readonly kind: Kind;
  readonly query: string;
}

/** So many of each kind, in turn. Phrases, paths and signs are taken from what is there, so that they are found. */
export function questions(
  home: string,
  { each, seed }: { readonly each: number; readonly seed: number },
): readonly Asked[] {
  const next = random(seed);
  const files = sessionFiles(home);
  const makers: Readonly<Record<Kind, () => string>> = {
    common: () => wordsOf(next, { least: 0, most: 90, count: between(next, 1, 3) }),
    rare: () => wordsOf(next, { least: 20_000, most: 59_000, count: 1 }),
    phrase: () => `"${found(next, files, /(?<= )[a-z]+ [a-z]+ [a-z]+ [a-z]+(?= )/)}"`,
    prefix: () => `${wordsOf(next, { least: 10, most: 5_000, count: 1 }).slice(0, between(next, 3, 4))}*`,
    path: () => found(next, files, /src\/[a-z]+\/[a-z]+-[a-z]+\.ts/).slice(next() < 0.5 ? 0 : 4),
    cjk: () => found(next, files, /[\u4e00-\u9fff]{4,}/).slice(0, between(next, 1, 4)),
  };
  return Array.from({ length: each }, () => KINDS.map((kind) => ({ kind, query: makers[kind]() }))).flat();
}

interface Ranks {
  readonly least: number;
  readonly most: number;
  readonly count: number;
}

function wordsOf(next: Random, { least, most, count }: Ranks): string {
  return Array.from({ length: count }, () => wordOfRank(between(next, least, most))).join(" ");
}

function found(next: Random, files: readonly string[], pattern: RegExp): string {
  for (let tries = 0; tries < 1_000; tries++) {
    const text = readFileSync(files[between(next, 0, files.length - 1)] ?? "", "utf8");
    const all = text.match(new RegExp(pattern, "g"));
    if (all) return all[between(next, 0, all.length - 1)] ?? "";
  }
  throw new Error(`nothing like ${pattern} was written`);
}

function sessionFiles(home: string): readonly string[] {
  const all = join(home, "sessions");
  return readdirSync(all).flatMap((folder) =>
    readdirSync(join(all, folder))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(all, folder, name)),
  );
}
