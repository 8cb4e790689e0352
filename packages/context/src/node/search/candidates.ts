/** Which entries a question may be answered with, as the index has it: the newest, the best of them first. */

import { asPhrase, gistOf, isSeldom, matchOf, type Question } from "./asking/question.ts";
import { type Candidate, findEntries, idsFrom } from "./keeping/entries.ts";
import { folders } from "./keeping/known-files.ts";
import type { Database } from "./keeping/sqlite.ts";
import { ranked } from "./rank.ts";

export interface Within {
  /** Folders with sessions. */
  readonly places: readonly string[];
  /** In milliseconds since 1970. */
  readonly since: number;
}

export interface Candidates {
  readonly best: readonly Candidate[];
  /** Whether there were more than can be put in order. */
  readonly more: boolean;
}

export function candidatesFor(question: Question, database: Database, { places, since }: Within): Candidates {
  const within = foldersWithin(database, places);
  if (question.parts.length === 0 || within?.length === 0) return { best: [], more: false };
  const match = matchOf(question, within);
  const gist = gistOf(question);
  const wanted = { match, gist: gist && matchOf(gist, within), seldom: isSeldom(question), since };
  const found = findEntries(database, { ...wanted, most: RANKED + 1 });
  const newest = found.slice(0, RANKED);
  const phrase = asPhrase(question);
  const last = newest.at(-1);
  const inARow = phrase && last ? idsFrom(database, matchOf(phrase, within), last.id) : new Set<number>();
  return { best: ranked(newest, inARow), more: found.length > RANKED };
}

/** Null where all that the index has is asked for. */
function foldersWithin(database: Database, places: readonly string[]): readonly number[] | null {
  const all = folders(database);
  const asked = new Set(places);
  if ([...all.keys()].every((path) => asked.has(path))) return null;
  return places.flatMap((path) => all.get(path)?.id ?? []);
}

/** The newest so many hits are put in order. */
const RANKED = 2_000;
