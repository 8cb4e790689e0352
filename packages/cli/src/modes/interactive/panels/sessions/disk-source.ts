/** Lists, searches, renames and trashes the sessions on disk for the sessions page. */

import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Redaction, refusalNotes } from "@pith/context";
import { noRedaction, sanitizeLine } from "@pith/context/host";
import { listSessions, renameSession, type SessionItem } from "@pith/context/node";
import { type IndexProgress, type SearchResult, searchSessions } from "@pith/context/search";
import { createRedaction } from "../../../../sessions/entries.ts";
import { describeOpenFailure } from "../../../../sessions/find-session.ts";
import { moveToTrash } from "../../../../sessions/trash.ts";
import { formatBytes } from "../../../../text/format.ts";
import { createInput } from "../widgets.ts";
import { createPreviewReader } from "./preview.ts";
import {
  buildSessionRows,
  emptySessionsState,
  type SessionSearchHit,
  type SessionSearchResult,
  type SessionSource,
  type SessionsState,
  type StateChange,
} from "./state.ts";

export interface SearcherOptions {
  /** Pith's home. */
  readonly home: string;
  readonly redaction: () => Promise<Redaction>;
}

export interface SearchQuery {
  readonly query: string;
  /** Only in sessions of this folder; absent: in all. */
  readonly cwd?: string;
}

export interface Searcher {
  /** Null where another question came before this one was answered. */
  search(wish: SearchQuery): Promise<SessionSearchResult | null>;
  /** Reads what is new for the search; told how far it is, null at its end. */
  updateIndex(tell: (line: string | null) => void, signal: AbortSignal): Promise<void>;
}

export function createSearcher({ home, redaction }: SearcherOptions): Searcher {
  let current = new AbortController();
  const env = { PITH_HOME: home };
  return {
    search: async ({ query, cwd }) => {
      current.abort();
      const controller = new AbortController();
      current = controller;
      await sleep(DEBOUNCE_MS);
      if (controller.signal.aborted) return null;
      const options = {
        env,
        redaction: await redaction(),
        limit: MAX_HITS,
        signal: controller.signal,
        ...(cwd !== undefined && { cwd }),
      };
      const result = await searchSessions(toPrefixQuery(query), options);
      return controller.signal.aborted ? null : toSessionSearchResult(query, result);
    },
    updateIndex: async (report, signal) => {
      let nextReportAt = 0;
      const onProgress = ({ done, total }: IndexProgress): void => {
        if (Date.now() < nextReportAt) return;
        nextReportAt = Date.now() + REPORT_INTERVAL_MS;
        report(
          total < MIN_REPORTED_BYTES ? null : `reading for the search: ${formatBytes(done)} of ${formatBytes(total)}`,
        );
      };
      await searchSessions(INDEX_QUERY, { env, redaction: await redaction(), limit: 1, signal, onProgress });
      report(null);
    },
  };
}

/** In milliseconds: whoever types on is not waited for. */
const DEBOUNCE_MS = 40;
const MAX_HITS = 100;
/** In milliseconds, from one word on how far it is to the next. */
const REPORT_INTERVAL_MS = 250;
/** Bytes, read before anybody could have read the words. */
const MIN_REPORTED_BYTES = 1024 * 1024;
/** The index is brought up to date by a search, whatever for. */
const INDEX_QUERY = "pith";

/** The last word may still go on. */
function toPrefixQuery(query: string): string {
  return /[\p{L}\p{N}]$/u.test(query) ? `${query}*` : query;
}

function toSessionSearchResult(query: string, result: SearchResult): SessionSearchResult {
  if (result.type !== "searched")
    return { query, hits: [], pending: result.type === "unavailable" ? result.why : null };
  const firstHits = new Map<string, SessionSearchHit>();
  for (const { session, snippet } of result.hits)
    if (!firstHits.has(session.path)) firstHits.set(session.path, { path: session.path, snippet });
  return { query, hits: [...firstHits.values()], pending: result.pending?.why ?? null };
}

export interface SessionPickerOptions {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** The file of the session one is in; null for none. */
  readonly currentPath: string | null;
}

export function createDiskSource({ cwd, home, currentPath }: SessionPickerOptions): SessionSource {
  const env = { PITH_HOME: home };
  const redaction = memoize(() => createRedaction({ home, environment: process.env }).catch(() => noRedaction));
  const sessionSearch = createSearcher({ home, redaction });
  const readPreviews = createPreviewReader(redaction);
  let allSessions: readonly SessionItem[] = [];
  return {
    context: { cwd, currentPath, userHome: homedir(), now: Date.now },
    readPreviews,
    list: async (update, signal) => {
      const first = await redactItems(await listSessions({ env, cwd, maxPerFolder: VISIBLE_ROWS }), await redaction());
      update((state) => ({ ...state, items: first }));
      await yieldToEventLoop();
      const all = await redactItems(await listSessions({ env }), await redaction());
      allSessions = all;
      update((state) => ({ ...state, items: all, isComplete: true, scope: chooseScope(state, all, cwd) }));
      const here = all.filter((item) => item.cwd === cwd);
      update(await readPreviews((here.length > 0 ? here : all).slice(0, VISIBLE_ROWS), signal));
      await sessionSearch.updateIndex((indexing) => update((state) => ({ ...state, indexProgress: indexing })), signal);
    },
    search: async (query, scope) => {
      const searchResult = await sessionSearch.search({ query, ...(scope === "here" && { cwd }) });
      if (!searchResult) return (state) => state;
      const rows = buildSessionRows(
        { ...emptySessionsState, items: allSessions, scope, input: createInput(query), searchResult },
        cwd,
      );
      const first = rows.slice(0, MAX_PREVIEWED_HITS).map(({ item }) => item);
      const addPreviews = await readPreviews(first, new AbortController().signal);
      return (state) => addPreviews({ ...state, searchResult });
    },
    rename: (item, name) => renameItem(item, name, env),
    trash: (item) => trashItem(item, home),
  };
}

/** Rows of a high terminal. */
const VISIBLE_ROWS = 40;
/** Of thousands, so many at a time. */
const REDACTION_BATCH = 250;
/** Of what was found, those at the beginning are looked into. */
const MAX_PREVIEWED_HITS = 10;

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An older session may hold a secret, and its path must stay as it is. */
async function redactItems(items: readonly SessionItem[], { redact }: Redaction): Promise<readonly SessionItem[]> {
  const redactedItems: SessionItem[] = [];
  for (const item of items) {
    redactedItems.push({ ...item, ...redact(pickTexts(item)) });
    // Whoever types gets a turn in between.
    if (redactedItems.length % REDACTION_BATCH === 0) await yieldToEventLoop();
  }
  return redactedItems;
}

function pickTexts({ name, firstMessage, damaged }: SessionItem): Partial<SessionItem> {
  return { firstMessage, ...(name !== undefined && { name }), ...(damaged !== undefined && { damaged }) };
}

/** Whoever has nothing here is shown what there is elsewhere. */
function chooseScope({ scope }: SessionsState, items: readonly SessionItem[], cwd: string): "here" | "all" {
  return items.length === 0 || items.some((item) => item.cwd === cwd) ? scope : "all";
}

async function renameItem(
  item: SessionItem,
  newName: string,
  env: { readonly PITH_HOME: string },
): Promise<StateChange> {
  const outcome = await renameSession(item.path, newName, { env });
  if (outcome.type === "appended")
    return (state) => ({ ...state, items: state.items.map((candidate) => withNewName(candidate)) });
  const note = outcome.type === "refused" ? refusalNotes[outcome.why] : describeRenameFailure(outcome);
  return (state) => ({ ...state, note });

  function withNewName(candidate: SessionItem): SessionItem {
    if (candidate.path !== item.path) return candidate;
    const { name: _, ...rest } = candidate;
    const name = sanitizeLine(newName);
    return name === "" ? rest : { ...rest, name };
  }
}

function describeRenameFailure(outcome: { readonly type: string }): string {
  if (outcome.type === "leaf-moved") return "somebody else has just written to it; try again";
  return describeOpenFailure(outcome as Parameters<typeof describeOpenFailure>[0]);
}

async function trashItem(item: SessionItem, home: string): Promise<StateChange> {
  const result = await moveToTrash(item.path, { home, by: "rm" });
  if (result.type === "failed") return (state) => ({ ...state, note: result.message });
  const note = `it is in the trash; pith sessions restore ${item.id.slice(0, 8)} brings it back`;
  return (state) => ({ ...state, note, items: state.items.filter(({ path }) => path !== item.path) });
}

function memoize<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let promise: Promise<Value> | null = null;
  return () => {
    promise ??= load();
    return promise;
  };
}
