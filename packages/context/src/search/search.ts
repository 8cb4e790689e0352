/** Searches all sessions: updates the index, ranks the matching entries, and reads the best hits. */

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

export interface SearchOptions extends SessionFileOptions, IndexProgressOptions {
  /** Searches only the sessions of this working directory. */
  readonly cwd?: string;
  /** Searches these folders instead of Pith's own; for example pi's. */
  readonly folders?: readonly string[];
  /** Skips entries older than this, in milliseconds since 1970. */
  readonly since?: number;
  /** The maximum number of hits; default: 20. */
  readonly limit?: number;
  /** Applied before text gets into the index or into a hit. */
  readonly redaction?: Redaction;
  /** The number of characters per segment of the index. */
  readonly segmentChars?: number;
}

/** The hits of a search, or why there are none. */
export type SearchResult =
  | {
      readonly type: "searched";
      /** Best first, of the newest 2,000 matches. */
      readonly hits: readonly Hit[];
      /** Whether there are more than 2,000 matches. */
      readonly more: boolean;
      /** How many bytes are not in the index yet, and why; null if the index is complete. */
      readonly pending: { readonly bytes: number; readonly why: string } | null;
    }
  | { readonly type: "aborted" }
  | UnavailableResult;

/**
 * Searches the text of all sessions. An entry matches if it contains all words, "quoted phrases" and prefixes* of the query. Any text is a
 * valid query.
 *
 * ```ts
 * const result = await searchSessions('flaky "retry queue"', { limit: 5 });
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

// Folders of the index that no longer exist, so that the update removes their entries.
function findRemovedFolders(
  database: Database,
  { cwd, folders: customFolders, folderPaths, env }: SearchRequest,
): readonly string[] {
  if (cwd !== undefined || customFolders) return [];
  const root = sessionsFolder(env);
  const existingPaths = new Set(folderPaths);
  return [...readFolders(database).keys()].filter((path) => dirname(path) === root && !existingPaths.has(path));
}

/** The state of the index; `full` if the disk has no space for new entries. */
export type IndexStatus = UpdateIndexResult | { readonly type: "full" };

async function tryUpdateIndex(database: Database, request: SearchRequest): Promise<IndexStatus> {
  try {
    return await updateIndex(database, request);
  } catch (error) {
    // The existing index is still searched.
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

/** Describes what the search could not cover; null if it covered everything. */
export function describePending(status: IndexStatus): { readonly bytes: number; readonly why: string } | null {
  switch (status.type) {
    case "held":
      return { bytes: status.bytes, why: "another process is updating the index; search again in a moment" };
    case "unread":
      return { bytes: status.bytes, why: "some files cannot be read; check their permissions" };
    case "full":
      return { bytes: 0, why: `new entries could not be added to the index: ${refusalNotes["disk-full"]}` };
    case "up-to-date":
    case "aborted":
      return null;
  }
}

/** Converts an error of the disk or of SQLite to a result; throws any other error again. */
export function toSearchFailure(error: unknown): UnavailableResult {
  const fault = databaseFault(error);
  // The index was just recreated, so this is a bug.
  if (fault === "broken") throw error;
  if (!fault) return toUnavailableResult("the sessions cannot be searched", error);
  const why =
    fault === "full" ? refusalNotes["disk-full"] : "check the permissions of search.db in Pith's folder, or delete it";
  return { type: "unavailable", code: fault, why: `the sessions cannot be searched: ${why}` };
}

export interface SearchScope {
  /** The session folders. */
  readonly folderPaths: readonly string[];
  /** In milliseconds since 1970. */
  readonly since: number;
}

export interface CandidateList {
  readonly best: readonly SearchCandidate[];
  /** Whether more entries match than are ranked. */
  readonly more: boolean;
}

/** Finds and ranks the newest entries that match. */
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

/** Null if the search covers all folders of the index. */
function resolveFolderIds(database: Database, folderPaths: readonly string[]): readonly number[] | null {
  const indexFolders = readFolders(database);
  const requestedPaths = new Set(folderPaths);
  if ([...indexFolders.keys()].every((path) => requestedPaths.has(path))) return null;
  return folderPaths.flatMap((path) => indexFolders.get(path)?.id ?? []);
}

/** Only this many entries, the newest, are ranked. */
const MAX_RANKED_ENTRIES = 2_000;

/**
 * Sorts candidates, best first: user text before program output, a phrase before separate words, short before long, new before old.
 * `phraseIds` are the entries that contain all words in a row. Of equal candidates the newest comes first.
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
  /** The time of the newest candidate. */
  readonly newest: number;
  readonly phraseIds: ReadonlySet<number>;
}

// The author is worth up to three points, every other signal up to two. A short text with the words is more likely about them.
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
