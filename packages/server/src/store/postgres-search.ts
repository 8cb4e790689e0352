/** Searches the entries of a session in PostgreSQL. Each search first adds the entries that are new since the last one to the index. */

import type { EntryHit, SearchEntries, SearchEntriesOptions } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import {
  createSnippet,
  extractSearchableText,
  listIndexWords,
  parsePathTerm,
  parseQuery,
  type SearchQuery,
} from "@pith/context/search";
import { type Database, UnavailableError } from "./connect.ts";
import { type EntryRow, fromStoredText, toStoredText } from "./entry-rows.ts";
import type { SessionRef } from "./postgres-store.ts";
import { checkTenant } from "./sessions.ts";

/** Options of `createSearch`. */
export interface PostgresSearchOptions {
  /** Applied before a text gets into the index or into a hit. */
  readonly redaction: Redaction;
}

/** Creates the search of one session for the `recall` tool. Output that is stored as a blob is not searched. */
export function createSearch(
  database: Database,
  session: SessionRef,
  { redaction }: PostgresSearchOptions,
): SearchEntries {
  const keys = [session.tenant, session.key];
  return async ({ text, tool, file, offset, limit }, options) => {
    try {
      await indexNewEntries(database, session, { ...options, redaction });
      if (options.signal.aborted) return { type: "failed", why: "the search was stopped" };
      const path = file === undefined ? undefined : parsePathTerm(file);
      const query: SearchQuery = { ...parseQuery(text), match: "any", ...(path && { path }) };
      const found = await database.readRows<FoundRow>("search_entries", [
        ...keys,
        query.terms.map(toTsquery),
        path ? toTsquery(path) : null,
        tool === undefined ? null : toStoredText(tool),
        offset,
        limit,
      ]);
      const count = Number(found[0]?.total ?? 0);
      const hits = found.flatMap((row) => toHit(row, query, redaction));
      return { type: "found", hits, count, more: false, incomplete: null };
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return { type: "failed", why: error.message };
    }
  };
}

/** A hit in one of a tenant's sessions. */
export interface SessionHit {
  readonly session: string;
  readonly entryId: string;
  readonly text: string;
}

/** Searches the sessions of a tenant that changed last for entries with all words. First it adds new entries of some sessions to the index. */
export async function searchSessions(
  database: Database,
  tenant: string,
  { text, offset = 0, limit = 20, signal }: SessionSearch,
): Promise<readonly SessionHit[]> {
  checkTenant(tenant);
  const unindexed = await database.readRows<{ readonly key: string }>("list_unindexed", [tenant, MAX_INDEXED]);
  const options = { redaction: noRedaction, signal, onProgress: () => {} };
  for (const { key } of unindexed) await indexNewEntries(database, { tenant, key }, options);
  const query: SearchQuery = { ...parseQuery(text), match: "all" };
  if (query.terms.length === 0) return [];
  const found = await database.readRows<{ readonly session: string; readonly id: string; readonly text: string }>(
    "search_sessions",
    [tenant, query.terms.map((term) => `(${toTsquery(term)})`), offset, limit],
  );
  return found.flatMap(({ session, ...row }) =>
    toHit(row, query, noRedaction).map(({ id, excerpt }) => ({
      ...{ session: fromStoredText(session), entryId: id, text: excerpt },
    })),
  );
}

export interface SessionSearch {
  readonly text: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly signal: AbortSignal;
}

/** The sessions that one search adds to the index. */
const MAX_INDEXED = 100;

interface FoundRow {
  /** Null if the page is empty. */
  readonly id: string | null;
  readonly text: string;
  readonly total: string;
}

/** A phrase whose words do not follow each other has no hit. */
function toHit(
  { id, text }: Pick<FoundRow, "id" | "text">,
  query: SearchQuery,
  redaction: Redaction,
): readonly EntryHit[] {
  const snippet = id === null ? null : createSnippet(redaction.redact(fromStoredText(text)), query);
  return id !== null && snippet ? [{ id: fromStoredText(id), excerpt: snippet.text }] : [];
}

// Words contain only letters and digits, so none can close the quotes.
function toTsquery({ words, isPrefix }: SearchQuery["terms"][number]): string {
  return words.map((word, index) => `'${word}'${isPrefix && index === words.length - 1 ? ":*" : ""}`).join(" & ");
}

/** A step holds the lock of the session, so appends wait for it. */
const ENTRIES_PER_STEP = 100;

async function indexNewEntries(
  database: Database,
  { tenant, key }: SessionRef,
  { redaction, signal, onProgress }: SearchEntriesOptions & PostgresSearchOptions,
): Promise<void> {
  const [state] = await database.readRows<IndexState>("read_indexed_seq", [tenant, key]);
  if (!state) return;
  const total = state.entries;
  for (let from = state.indexed_seq; from < total && !signal.aborted; from += ENTRIES_PER_STEP) {
    const limit = Math.min(ENTRIES_PER_STEP, total - from);
    const rows = await database.readRows<EntryRow>("read_entries_from", [tenant, key, from, limit]);
    const texts = rows.flatMap((row, index) => toSearchable(row, from + index, redaction));
    await database.call("index_entries", [
      tenant,
      key,
      from,
      from + limit,
      texts.map(({ seq }) => seq),
      texts.map(({ tools }) => tools.map(toStoredText).join("\n")),
      texts.map(({ text }) => listIndexWords(text).join(" ")),
      texts.map(({ text }) => toStoredText(text)),
    ]);
    onProgress({ done: from + limit, total });
  }
}

interface IndexState {
  readonly indexed_seq: number;
  readonly entries: number;
}

interface Searchable {
  readonly seq: number;
  readonly tools: readonly string[];
  readonly text: string;
}

/** Summaries repeat what other entries say, so they are not searched. */
function toSearchable({ body }: EntryRow, seq: number, redaction: Redaction): readonly Searchable[] {
  const found = extractSearchableText(JSON.parse(body) as Readonly<Record<string, unknown>>, {
    redaction,
    readOutput: () => null,
  });
  if (!found || found.text === "" || found.kind === "compaction" || found.kind === "branch_summary") return [];
  return [{ seq, tools: found.tools, text: found.text }];
}
