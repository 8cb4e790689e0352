/** Searches all sessions: updates the index, ranks the matching entries, and reads the best hits. */

import { basename, dirname, join, resolve } from "node:path";
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
import { parsePathTerm, parseQuery, type SearchQuery } from "./query.ts";
import { findCandidates } from "./rank.ts";
import { readFolders } from "./tables.ts";
import { type UpdateIndexOptions, type UpdateIndexResult, updateIndex } from "./update-index.ts";

export interface SearchOptions extends SessionFileOptions, IndexProgressOptions {
  /** Searches only the sessions of this working directory. */
  readonly cwd?: string;
  /** Searches these folders instead of Pith's own; for example pi's. */
  readonly folders?: readonly string[];
  /** Skips entries older than this, in milliseconds since 1970. */
  readonly since?: number;
  /** Searches only this session file, and reads no other. */
  readonly session?: string;
  /** Finds only calls of this tool and their results. */
  readonly tool?: string;
  /** Finds only entries that contain this path. */
  readonly file?: string;
  /** Leaves out summaries, which repeat other entries. Default: false. */
  readonly skipsSummaries?: boolean;
  /** `any` also finds entries that contain only some of the words; those with rare words come first. Default: `all`. */
  readonly match?: "all" | "any";
  /** The maximum number of hits; default: 20. */
  readonly limit?: number;
  /** The number of hits to skip; default: 0. */
  readonly offset?: number;
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
      /** The number of matches, up to 2,000. */
      readonly count: number;
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

interface SearchRequest extends UpdateIndexOptions, Pick<SearchOptions, "cwd" | "folders" | "tool" | "skipsSummaries"> {
  readonly searchQuery: SearchQuery;
  readonly since: number;
  readonly limit: number;
  readonly offset: number;
}

function createSearchRequest(query: string, options: SearchOptions): SearchRequest {
  const {
    cwd,
    folders: customFolders,
    session,
    file,
    match = "all",
    since = 0,
    limit = 20,
    offset = 0,
    redaction = noRedaction,
    segmentChars = SEGMENT_CHARS,
    ...rest
  } = options;
  const config = applyDefaults(rest);
  const path = join(pithHome(config.env), "search.db");
  const sessionPath = session === undefined ? null : resolve(session);
  const sessionFile = sessionPath === null ? undefined : { folder: dirname(sessionPath), name: basename(sessionPath) };
  const folderPaths = sessionFile
    ? [sessionFile.folder]
    : (customFolders?.map((folder) => resolve(folder)) ??
      (cwd === undefined ? listSessionFolders(config) : [projectSessionsFolder(cwd, config)]));
  const scope = { ...(cwd !== undefined && { cwd }), ...(customFolders && { folders: customFolders }), sessionFile };
  const pathTerm = file === undefined ? undefined : parsePathTerm(file);
  const searchQuery = { ...parseQuery(query), match, ...(pathTerm && { path: pathTerm }) };
  const position = { since, limit, offset };
  return { ...rest, ...config, ...scope, ...position, searchQuery, redaction, segmentChars, path, folderPaths };
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
  { cwd, folders: customFolders, sessionFile, folderPaths, env }: SearchRequest,
): readonly string[] {
  if (cwd !== undefined || customFolders || sessionFile) return [];
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
  readonly count: number;
  readonly more: boolean;
}

async function findHits(database: Database, request: SearchRequest): Promise<HitList> {
  const { limit, offset } = request;
  const { best, more, query } = readInTransaction(database, () => findCandidates(database, request));
  const hits: Hit[] = [];
  let lastYield = performance.now();
  for (const hit of readHits(database, best.slice(offset), { ...request, searchQuery: query })) {
    if (hit) hits.push(hit);
    if (hits.length >= limit) break;
    if (performance.now() - lastYield < MAX_SLICE_MS) continue;
    await yieldToEventLoop();
    lastYield = performance.now();
  }
  return { hits: hits.slice(0, limit), count: best.length, more };
}

const SEGMENT_CHARS = 16_000_000;
const MAX_SLICE_MS = 10;

/** Describes what the search could not cover; null if it covered everything. */
function describePending(status: IndexStatus): { readonly bytes: number; readonly why: string } | null {
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
function toSearchFailure(error: unknown): UnavailableResult {
  const fault = databaseFault(error);
  // The index was just recreated, so this is a bug.
  if (fault === "broken") throw error;
  if (!fault) return toUnavailableResult("the sessions cannot be searched", error);
  const why =
    fault === "full" ? refusalNotes["disk-full"] : "check the permissions of search.db in Pith's folder, or delete it";
  return { type: "unavailable", code: fault, why: `the sessions cannot be searched: ${why}` };
}
