/** Searches all sessions: updates the index, ranks the entries that match, and reads the best hits. */

import { dirname, join, resolve } from "node:path";
import { type Unavailable, unavailable } from "../node/files.ts";
import { allFolders, type HomeParts, pithHome, sessionsFolder, settled, workFolder } from "../node/sessions/paths.ts";
import { asItIs, type Redaction } from "../session/session.ts";
import { refusalNotes } from "../session/store.ts";
import { breath, type Pace } from "./changed-files.ts";
import { type Database, databaseFault, throwAway, together, withIndex } from "./database.ts";
import { type Hit, hitsOf } from "./hits.ts";
import { asked, asPhrase, gistOf, isSeldom, matchOf, type Question } from "./query.ts";
import type { HitKind } from "./searchable-text.ts";
import { type Candidate, findEntries, folders, idsFrom } from "./tables.ts";
import { type CatchUpParts, type CaughtUp, catchUp } from "./update-index.ts";

/**
 * People's text before program output, words in a row before scattered ones, short before long, new before old. `phrased` are those in
 * which all words stand in a row. Best first; of equals the newest.
 */
export function ranked(found: readonly Candidate[], phrased: ReadonlySet<number>): readonly Candidate[] {
  const newest = Math.max(...found.map(({ time }) => time));
  const scored = found.map((candidate) => ({ candidate, score: score(candidate, { newest, phrased }) }));
  return scored
    .sort((one, other) => other.score - one.score || newestFirst(one.candidate, other.candidate))
    .map(({ candidate }) => candidate);
}

interface Among {
  /** When the newest of all that were found was written. */
  readonly newest: number;
  readonly phrased: ReadonlySet<number>;
}

// Each signal is worth two points at most, who speaks three. A short text that has the words is about them.
function score({ id, kind, letters, time }: Candidate, { newest, phrased }: Among): number {
  const inARow = phrased.has(id) ? 2 : 0;
  const density = Math.min(2, Math.max(0, 4 - Math.log10(Math.max(1, letters))));
  const recency = 2 * 0.5 ** ((newest - time) / MONTH);
  return WORTH[kind] + inARow + density + recency;
}

function newestFirst(one: Candidate, other: Candidate): number {
  return other.time - one.time || other.id - one.id;
}

const MONTH = 30 * 86_400_000;
const WORTH: Readonly<Record<HitKind, number>> = {
  user: 3,
  session_info: 3,
  label: 3,
  assistant: 2,
  compaction: 1.5,
  branch_summary: 1.5,
  bashExecution: 1.5,
  custom_message: 1,
  custom: 1,
  program: 1,
  toolResult: 0,
};

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

export type Searching =
  | {
      readonly type: "searched";
      /** Best first, of the newest 2,000. */
      readonly hits: readonly Hit[];
      /** Whether there were more than the newest 2,000. */
      readonly more: boolean;
      /** What could not be searched yet, and why; null for nothing. */
      readonly pending: { readonly bytes: number; readonly why: string } | null;
    }
  | { readonly type: "aborted" }
  | Unavailable;

/** How far the index is; `full` where the disk had no room for what is new. */
export type Reached = CaughtUp | { readonly type: "full" };

export function pendingAfter(reached: Reached): { readonly bytes: number; readonly why: string } | null {
  switch (reached.type) {
    case "held":
      return { bytes: reached.bytes, why: "another program is just reading what is new; search again in a moment" };
    case "unread":
      return { bytes: reached.bytes, why: "some files cannot be read; check their permissions" };
    case "full":
      return { bytes: 0, why: `what is new could not be added: ${refusalNotes["disk-full"]}` };
    case "up-to-date":
    case "aborted":
      return null;
  }
}

/** What the disk or SQLite had against it, and what to do; throws what neither said. */
export function notSearched(error: unknown): Unavailable {
  const fault = databaseFault(error);
  // One that was just made cannot be: then the fault is ours.
  if (fault === "broken") throw error;
  if (!fault) return unavailable("the sessions cannot be searched", error);
  const why =
    fault === "full" ? refusalNotes["disk-full"] : "check the permissions of search.db in Pith's folder, or delete it";
  return { type: "unavailable", code: fault, why: `the sessions cannot be searched: ${why}` };
}

export interface SearchParts extends HomeParts, Pace {
  /** Only the sessions of this directory. */
  readonly cwd?: string;
  /** These folders instead of Pith's own; pi's, for example. */
  readonly folders?: readonly string[];
  /** Nothing older than this, in milliseconds since 1970. */
  readonly since?: number;
  /** Hits at most; 20 if not said. */
  readonly limit?: number;
  /** What it finds never gets into the index, nor into a hit. */
  readonly redaction?: Redaction;
  /** Letters that one volume of the index takes. */
  readonly volumeLetters?: number;
}

/**
 * Words must all occur; "words in quotes" in a row; wor* as a beginning. Any text is a question.
 *
 * ```ts
 * const found = await searchSessions('flaky "retry queue"', { limit: 5 });
 * ```
 */
export async function searchSessions(query: string, parts: SearchParts = {}): Promise<Searching> {
  const search = settledSearch(query, parts);
  try {
    return await searched(search);
  } catch (error) {
    if (databaseFault(error) !== "broken") return notSearched(error);
  }
  try {
    throwAway(search.path, search.files);
    return await searched(search);
  } catch (error) {
    return notSearched(error);
  }
}

interface Search extends CatchUpParts, Pick<SearchParts, "cwd" | "folders"> {
  readonly query: string;
  readonly since: number;
  readonly limit: number;
}

function settledSearch(query: string, parts: SearchParts): Search {
  const {
    cwd,
    folders: own,
    since = 0,
    limit = 20,
    redaction = asItIs,
    volumeLetters = VOLUME_LETTERS,
    ...more
  } = parts;
  const home = settled(more);
  const path = join(pithHome(home.env), "search.db");
  const places =
    own?.map((folder) => resolve(folder)) ?? (cwd === undefined ? allFolders(home) : [workFolder(cwd, home)]);
  const only = { ...(cwd !== undefined && { cwd }), ...(own && { folders: own }) };
  return { ...more, ...home, ...only, query, since, limit, redaction, volumeLetters, path, places };
}

function searched(search: Search): Promise<Searching> {
  return withIndex(search.path, search.files, async (database): Promise<Searching> => {
    const places = [...search.places, ...vanished(database, search)];
    const caught = await caughtUp(database, { ...search, places });
    if (caught.type === "aborted") return caught;
    return { type: "searched", ...(await found(database, search)), pending: pendingAfter(caught) };
  });
}

// A folder that was removed whole is not among those that are there; what the index has of it is to be forgotten.
function vanished(database: Database, { cwd, folders: own, places, env }: Search): readonly string[] {
  if (cwd !== undefined || own) return [];
  const all = sessionsFolder(env);
  const there = new Set(places);
  return [...folders(database).keys()].filter((path) => dirname(path) === all && !there.has(path));
}

async function caughtUp(database: Database, search: Search): Promise<Reached> {
  try {
    return await catchUp(database, search);
  } catch (error) {
    // What is in the index already can be searched all the same.
    if (databaseFault(error) === "full") return { type: "full" };
    if (databaseFault(error) === "busy") return { type: "held", bytes: 0 };
    throw error;
  }
}

interface Found {
  readonly hits: readonly Hit[];
  readonly more: boolean;
}

async function found(database: Database, search: Search): Promise<Found> {
  const question = asked(search.query);
  const { best, more } = together(database, () => candidatesFor(question, database, search));
  const hits: Hit[] = [];
  let looked = 0;
  for (const hit of hitsOf(database, best, { ...search, question })) {
    if (hit) hits.push(hit);
    if (hits.length >= search.limit) break;
    if (++looked % BREATH === 0) await breath();
  }
  return { hits: hits.slice(0, search.limit), more };
}

const VOLUME_LETTERS = 16_000_000;
const BREATH = 20;
