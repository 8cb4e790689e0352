/** Search in all sessions: what was ever said, called or answered, the newest first, with the index brought up to date before. */

import { dirname, join, resolve } from "node:path";
import { asItIs, type Redaction } from "../../session/redaction.ts";
import { type HomeParts, pithHome, sessionsFolder, settled } from "../sessions/home.ts";
import { allFolders, workFolder } from "../sessions/placing/work-folder.ts";
import { asked } from "./asking/question.ts";
import { candidatesFor } from "./candidates.ts";
import { type Hit, hitsOf } from "./hits.ts";
import { type CatchUpParts, catchUp } from "./indexing/catch-up.ts";
import { breath, type Pace } from "./indexing/pace.ts";
import { withIndex } from "./keeping/held-index.ts";
import { folders } from "./keeping/known-files.ts";
import { throwAway } from "./keeping/open-index.ts";
import { type Database, databaseFault, together } from "./keeping/sqlite.ts";
import { notSearched, pendingAfter, type Reached, type Searching } from "./searching.ts";

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
