/** Generates search queries of every kind, from words in every session to words in a single line. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, type Random, randomInteger } from "../random.ts";
import { wordOfRank } from "./corpus.ts";

export const QUERY_KINDS = ["common", "rare", "phrase", "prefix", "path", "cjk"] as const;

export type QueryKind = (typeof QUERY_KINDS)[number];

export interface SearchQuery {
  readonly kind: QueryKind;
  readonly query: string;
}

/** Generates `countPerKind` queries of each kind, in turn. Phrases, paths and characters are taken from the sessions, so that they have hits. */
export function makeQueries(
  home: string,
  { countPerKind, seed }: { readonly countPerKind: number; readonly seed: number },
): readonly SearchQuery[] {
  const randomSource = createRandom(seed);
  const files = listSessionFiles(home);
  const makers: Readonly<Record<QueryKind, () => string>> = {
    common: () =>
      randomWordsOfRank(randomSource, { minRank: 0, maxRank: 90, count: randomInteger(randomSource, 1, 3) }),
    rare: () => randomWordsOfRank(randomSource, { minRank: 20_000, maxRank: 59_000, count: 1 }),
    phrase: () => `"${pickMatch(randomSource, files, /(?<= )[a-z]+ [a-z]+ [a-z]+ [a-z]+(?= )/)}"`,
    prefix: () =>
      `${randomWordsOfRank(randomSource, { minRank: 10, maxRank: 5_000, count: 1 }).slice(0, randomInteger(randomSource, 3, 4))}*`,
    path: () => pickMatch(randomSource, files, /src\/[a-z]+\/[a-z]+-[a-z]+\.ts/).slice(randomSource() < 0.5 ? 0 : 4),
    cjk: () => pickMatch(randomSource, files, /[\u4e00-\u9fff]{4,}/).slice(0, randomInteger(randomSource, 1, 4)),
  };
  return Array.from({ length: countPerKind }, () =>
    QUERY_KINDS.map((kind) => ({ kind, query: makers[kind]() })),
  ).flat();
}

interface WordRanks {
  readonly minRank: number;
  readonly maxRank: number;
  readonly count: number;
}

function randomWordsOfRank(random: Random, { minRank, maxRank, count }: WordRanks): string {
  return Array.from({ length: count }, () => wordOfRank(randomInteger(random, minRank, maxRank))).join(" ");
}

function pickMatch(random: Random, files: readonly string[], pattern: RegExp): string {
  for (let tries = 0; tries < 1_000; tries++) {
    const text = readFileSync(files[randomInteger(random, 0, files.length - 1)] ?? "", "utf8");
    const matches = text.match(new RegExp(pattern, "g"));
    if (matches) return matches[randomInteger(random, 0, matches.length - 1)] ?? "";
  }
  throw new Error(`nothing like ${pattern} was written`);
}

function listSessionFiles(home: string): readonly string[] {
  const sessionsFolder = join(home, "sessions");
  return readdirSync(sessionsFolder).flatMap((folder) =>
    readdirSync(join(sessionsFolder, folder))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(sessionsFolder, folder, name)),
  );
}
