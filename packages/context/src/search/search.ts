/** Searches all sessions: updates the index, ranks the entries that match, and reads the best hits. */

import { dirname, join, resolve } from "node:path";
import { toUnavailableResult, type UnavailableResult } from "../node/files.ts";
import { yieldToEventLoop } from "../node/runtime.ts";
import {
  applyDefaults,
  listSessionFolders,
  pithHome,
  projectSessionsFolder,
  type SessionFileOptions,
  sessionsFolder,
} from "../node/sessions/paths.ts";
import { noRedaction, type Redaction } from "../session/session.ts";
import { refusalNotes } from "../session/store.ts";
import type { IndexProgressOptions } from "./changed-files.ts";
import { type Database, databaseFault, deleteIndex, readInTransaction, withDatabase } from "./database.ts";
import { type Hit, readHits } from "./hits.ts";
import {
  isRareQuery,
  parseQuery,
  type SearchQuery,
  toMatchExpression,
  toPhraseQuery,
  toPrefilterQuery,
} from "./query.ts";
import type { HitKind } from "./searchable-text.ts";
import { findMatchingEntries, findMatchingIds, readFolders, type SearchCandidate } from "./tables.ts";
import { type UpdateIndexOptions, type UpdateIndexResult, updateIndex } from "./update-index.ts";

/**
 * People's text before program output, words in a row before scattered ones, short before long, new before old. `phrased` are those in
 * which all words stand in a row. Best first; of equals the newest.
 */
export function rankCandidates(
  candidates: readonly SearchCandidate[],
  phraseIds: ReadonlySet<number>,
): readonly SearchCandidate[] {
  const newest = Math.max(...candidates.map(({ time }) => time));
  const scored = candidates.map((candidate) => ({
    candidate,
    score: scoreCandidate(candidate, { newest, phraseIds }),
  }));
  return scored
    .sort((one, other) => other.score - one.score || compareCandidates(one.candidate, other.candidate))
    .map(({ candidate }) => candidate);
}

interface RankContext {
  /** When the newest of all that were found was written. */
  readonly newest: number;
  readonly phraseIds: ReadonlySet<number>;
}

// Each signal is worth two points at most, who speaks three. A short text that has the words is about them.
function scoreCandidate({ id, kind, chars, time }: SearchCandidate, { newest, phraseIds }: RankContext): number {
  const phraseScore = phraseIds.has(id) ? 2 : 0;
  const density = Math.min(2, Math.max(0, 4 - Math.log10(Math.max(1, chars))));
  const recency = 2 * 0.5 ** ((newest - time) / MONTH_MS);
  return KIND_SCORES[kind] + phraseScore + density + recency;
}

function compareCandidates(one: SearchCandidate, other: SearchCandidate): number {
  return other.time - one.time || other.id - one.id;
}

const MONTH_MS = 30 * 86_400_000;
const KIND_SCORES: Readonly<Record<HitKind, number>> = {
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

export interface SearchScope {
  /** Folders with sessions. */
  readonly folderPaths: readonly string[];
  /** In milliseconds since 1970. */
  readonly since: number;
}

export interface CandidateList {
  readonly best: readonly SearchCandidate[];
  /** Whether there were more than can be put in order. */
  readonly more: boolean;
}

export function findCandidates(
  query: SearchQuery,
  database: Database,
  { folderPaths, since }: SearchScope,
): CandidateList {
  const folderIds = resolveFolderIds(database, folderPaths);
  if (query.terms.length === 0 || folderIds?.length === 0) return { best: [], more: false };
  const match = toMatchExpression(query, folderIds);
  const prefilter = toPrefilterQuery(query);
  const criteria = {
    match,
    prefilter: prefilter && toMatchExpression(prefilter, folderIds),
    isRare: isRareQuery(query),
    since,
  };
  const entries = findMatchingEntries(database, { ...criteria, limit: MAX_RANKED_ENTRIES + 1 });
  const newest = entries.slice(0, MAX_RANKED_ENTRIES);
  const phrase = toPhraseQuery(query);
  const last = newest.at(-1);
  const phraseIds =
    phrase && last ? findMatchingIds(database, toMatchExpression(phrase, folderIds), last.id) : new Set<number>();
  return { best: rankCandidates(newest, phraseIds), more: entries.length > MAX_RANKED_ENTRIES };
}

/** Null where all that the index has is asked for. */
function resolveFolderIds(database: Database, folderPaths: readonly string[]): readonly number[] | null {
  const indexFolders = readFolders(database);
  const requestedPaths = new Set(folderPaths);
  if ([...indexFolders.keys()].every((path) => requestedPaths.has(path))) return null;
  return folderPaths.flatMap((path) => indexFolders.get(path)?.id ?? []);
}

/** The newest so many hits are put in order. */
const MAX_RANKED_ENTRIES = 2_000;

export type SearchResult =
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
  | UnavailableResult;

/** How far the index is; `full` where the disk had no room for what is new. */
export type IndexStatus = UpdateIndexResult | { readonly type: "full" };

export function describePending(status: IndexStatus): { readonly bytes: number; readonly why: string } | null {
  switch (status.type) {
    case "held":
      return { bytes: status.bytes, why: "another program is just reading what is new; search again in a moment" };
    case "unread":
      return { bytes: status.bytes, why: "some files cannot be read; check their permissions" };
    case "full":
      return { bytes: 0, why: `what is new could not be added: ${refusalNotes["disk-full"]}` };
    case "up-to-date":
    case "aborted":
      return null;
  }
}

/** What the disk or SQLite had against it, and what to do; throws what neither said. */
export function toSearchFailure(error: unknown): UnavailableResult {
  const fault = databaseFault(error);
  // One that was just made cannot be: then the fault is ours.
  if (fault === "broken") throw error;
  if (!fault) return toUnavailableResult("the sessions cannot be searched", error);
  const why =
    fault === "full" ? refusalNotes["disk-full"] : "check the permissions of search.db in Pith's folder, or delete it";
  return { type: "unavailable", code: fault, why: `the sessions cannot be searched: ${why}` };
}

export interface SearchOptions extends SessionFileOptions, IndexProgressOptions {
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
  readonly segmentChars?: number;
}

/**
 * Words must all occur; "words in quotes" in a row; wor* as a beginning. Any text is a question.
 *
 * ```ts
 * const found = await searchSessions('flaky "retry queue"', { limit: 5 });
 * ```
 */
export async function searchSessions(query: string, options: SearchOptions = {}): Promise<SearchResult> {
  const request = createSearchRequest(query, options);
  try {
    return await runSearch(request);
  } catch (error) {
    if (databaseFault(error) !== "broken") return toSearchFailure(error);
  }
  try {
    deleteIndex(request.path, request.files);
    return await runSearch(request);
  } catch (error) {
    return toSearchFailure(error);
  }
}

interface SearchRequest extends UpdateIndexOptions, Pick<SearchOptions, "cwd" | "folders"> {
  readonly query: string;
  readonly since: number;
  readonly limit: number;
}

function createSearchRequest(query: string, options: SearchOptions): SearchRequest {
  const {
    cwd,
    folders: customFolders,
    since = 0,
    limit = 20,
    redaction = noRedaction,
    segmentChars = SEGMENT_CHARS,
    ...rest
  } = options;
  const config = applyDefaults(rest);
  const path = join(pithHome(config.env), "search.db");
  const folderPaths =
    customFolders?.map((folder) => resolve(folder)) ??
    (cwd === undefined ? listSessionFolders(config) : [projectSessionsFolder(cwd, config)]);
  const scope = { ...(cwd !== undefined && { cwd }), ...(customFolders && { folders: customFolders }) };
  return { ...rest, ...config, ...scope, query, since, limit, redaction, segmentChars, path, folderPaths };
}

function runSearch(request: SearchRequest): Promise<SearchResult> {
  return withDatabase(request.path, request.files, async (database): Promise<SearchResult> => {
    const folderPaths = [...request.folderPaths, ...findRemovedFolders(database, request)];
    const status = await tryUpdateIndex(database, { ...request, folderPaths });
    if (status.type === "aborted") return status;
    return { type: "searched", ...(await findHits(database, request)), pending: describePending(status) };
  });
}

// A folder that was removed whole is not among those that are there; what the index has of it is to be forgotten.
function findRemovedFolders(
  database: Database,
  { cwd, folders: customFolders, folderPaths, env }: SearchRequest,
): readonly string[] {
  if (cwd !== undefined || customFolders) return [];
  const root = sessionsFolder(env);
  const existingPaths = new Set(folderPaths);
  return [...readFolders(database).keys()].filter((path) => dirname(path) === root && !existingPaths.has(path));
}

async function tryUpdateIndex(database: Database, request: SearchRequest): Promise<IndexStatus> {
  try {
    return await updateIndex(database, request);
  } catch (error) {
    // What is in the index already can be searched all the same.
    if (databaseFault(error) === "full") return { type: "full" };
    if (databaseFault(error) === "busy") return { type: "held", bytes: 0 };
    throw error;
  }
}

interface HitList {
  readonly hits: readonly Hit[];
  readonly more: boolean;
}

async function findHits(database: Database, request: SearchRequest): Promise<HitList> {
  const searchQuery = parseQuery(request.query);
  const { best, more } = readInTransaction(database, () => findCandidates(searchQuery, database, request));
  const hits: Hit[] = [];
  let readCount = 0;
  for (const hit of readHits(database, best, { ...request, searchQuery })) {
    if (hit) hits.push(hit);
    if (hits.length >= request.limit) break;
    if (++readCount % HITS_PER_YIELD === 0) await yieldToEventLoop();
  }
  return { hits: hits.slice(0, request.limit), more };
}

const SEGMENT_CHARS = 16_000_000;
const HITS_PER_YIELD = 20;
