/** Lists, searches, renames and trashes the sessions on disk for the sessions page. */

import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Redaction, refusalNotes } from "@pith/context";
import { noRedaction, sanitizeLine } from "@pith/context/host";
import { listSessions, renameSession, type SessionItem } from "@pith/context/node";
import { type IndexProgress, type SearchResult, searchSessions } from "@pith/context/search";
import type { HostContext } from "@pith/host/host-context";
import { formatBytes } from "@pith/host/text/format";
import { createRedaction } from "../../../../sessions/entries.ts";
import { describeOpenFailure } from "../../../../sessions/find-session.ts";
import { moveToTrash } from "../../../../sessions/trash.ts";
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

export interface SearcherOptions extends Pick<HostContext, "home"> {
  readonly redaction: () => Promise<Redaction>;
}

export interface SearchQuery {
  readonly query: string;
  /** Searches only sessions of this folder. Default: all sessions. */
  readonly cwd?: string;
}

export interface Searcher {
  /** Null if a newer search started before this one finished. */
  search(query: SearchQuery): Promise<SessionSearchResult | null>;
  /** Adds new entries to the search index. Calls `report` with the progress, and with null at the end. */
  updateIndex(report: (progress: string | null) => void, signal: AbortSignal): Promise<void>;
}

function createSearcher({ home, redaction }: SearcherOptions): Searcher {
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
      // The last word may be incomplete, so it matches as a prefix.
      const prefixQuery = /[\p{L}\p{N}]$/u.test(query) ? `${query}*` : query;
      const result = await searchSessions(prefixQuery, options);
      return controller.signal.aborted ? null : toSessionSearchResult(query, result);
    },
    updateIndex: async (report, signal) => {
      let nextReportAt = 0;
      const onProgress = ({ done, total }: IndexProgress): void => {
        if (Date.now() < nextReportAt) return;
        nextReportAt = Date.now() + REPORT_INTERVAL_MS;
        report(
          total < MIN_REPORTED_BYTES ? null : `indexing for search: ${formatBytes(done)} of ${formatBytes(total)}`,
        );
      };
      await searchSessions(INDEX_QUERY, { env, redaction: await redaction(), limit: 1, signal, onProgress });
      report(null);
    },
  };
}

/** A search starts only if no other search starts in this time, so that fast typing does not start one per key. */
const DEBOUNCE_MS = 40;
const MAX_HITS = 100;
const REPORT_INTERVAL_MS = 250;
/** Less is indexed before the user could read a progress text. */
const MIN_REPORTED_BYTES = 1024 * 1024;
/** Any search updates the index. */
const INDEX_QUERY = "pith";

function toSessionSearchResult(query: string, result: SearchResult): SessionSearchResult {
  if (result.type !== "searched")
    return { query, hits: [], pending: result.type === "unavailable" ? result.why : null };
  const firstHits = new Map<string, SessionSearchHit>();
  for (const { session, snippet } of result.hits)
    if (!firstHits.has(session.path)) firstHits.set(session.path, { path: session.path, snippet });
  return { query, hits: [...firstHits.values()], pending: result.pending?.why ?? null };
}

export interface SessionPickerOptions extends Pick<HostContext, "cwd" | "home"> {
  /** The file of the open session. Null if there is none. */
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

/** The rows of a high terminal. */
const VISIBLE_ROWS = 40;
/** Sessions redacted before the event loop runs. */
const REDACTION_BATCH = 250;
const MAX_PREVIEWED_HITS = 10;

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An old session may contain a secret in its texts. The path must not change. */
async function redactItems(items: readonly SessionItem[], { redact }: Redaction): Promise<readonly SessionItem[]> {
  const redactedItems: SessionItem[] = [];
  for (const item of items) {
    redactedItems.push({ ...item, ...redact(pickTexts(item)) });
    // Keeps the page responsive to keys.
    if (redactedItems.length % REDACTION_BATCH === 0) await yieldToEventLoop();
  }
  return redactedItems;
}

function pickTexts({ name, firstMessage, damaged }: SessionItem): Partial<SessionItem> {
  return { firstMessage, ...(name !== undefined && { name }), ...(damaged !== undefined && { damaged }) };
}

/** If the folder has no sessions, the page shows those of all folders. */
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
  const reason = outcome.type === "refused" ? refusalNotes[outcome.why] : describeRenameFailure(outcome);
  return (state) => ({ ...state, note: `Not renamed: ${reason}` });

  function withNewName(candidate: SessionItem): SessionItem {
    if (candidate.path !== item.path) return candidate;
    const { name: _, ...rest } = candidate;
    const name = sanitizeLine(newName);
    return name === "" ? rest : { ...rest, name };
  }
}

function describeRenameFailure(outcome: { readonly type: string }): string {
  if (outcome.type === "leaf-moved") return "another process has just written to the session; try again";
  return describeOpenFailure(outcome as Parameters<typeof describeOpenFailure>[0]);
}

async function trashItem(item: SessionItem, home: string): Promise<StateChange> {
  const result = await moveToTrash(item.path, { home, by: "rm" });
  if (result.type === "failed") return (state) => ({ ...state, note: result.message });
  const note = `Moved to the trash. Restore it with: pith sessions restore ${item.id.slice(0, 8)}`;
  return (state) => ({ ...state, note, items: state.items.filter(({ path }) => path !== item.path) });
}

function memoize<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let promise: Promise<Value> | null = null;
  return () => {
    promise ??= load();
    return promise;
  };
}
