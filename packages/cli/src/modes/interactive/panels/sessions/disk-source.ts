/** Lists, searches, renames and trashes the sessions on disk for the sessions page. */

import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Redaction, refusalNotes } from "@pith/context";
import { noRedaction, sanitizeLine } from "@pith/context/host";
import { listSessions, renameSession, type SessionItem } from "@pith/context/node";
import { type IndexProgress, type SearchResult, searchSessions } from "@pith/context/search";
import { redactionHere } from "../../../../sessions/entries.ts";
import { whyNot } from "../../../../sessions/find-session.ts";
import { intoTrash } from "../../../../sessions/trash.ts";
import { bytesTold } from "../../../../text/format.ts";
import { lineOf } from "../widgets.ts";
import { looker } from "./preview.ts";
import {
  type Change,
  type Found,
  type FoundSession,
  noSessionsYet,
  type SessionSource,
  type SessionsState,
  sessionRows,
} from "./state.ts";

export interface SearchPlace {
  /** Pith's home. */
  readonly home: string;
  readonly redaction: () => Promise<Redaction>;
}

export interface SearchWish {
  readonly query: string;
  /** Only in sessions of this folder; absent: in all. */
  readonly cwd?: string;
}

export interface Searcher {
  /** Null where another question came before this one was answered. */
  search(wish: SearchWish): Promise<Found | null>;
  /** Reads what is new for the search; told how far it is, null at its end. */
  catchUp(tell: (line: string | null) => void, signal: AbortSignal): Promise<void>;
}

export function searcher({ home, redaction }: SearchPlace): Searcher {
  let asking = new AbortController();
  const env = { PITH_HOME: home };
  return {
    search: async ({ query, cwd }) => {
      asking.abort();
      const own = new AbortController();
      asking = own;
      await sleep(PAUSE);
      if (own.signal.aborted) return null;
      const parts = {
        env,
        redaction: await redaction(),
        limit: MOST,
        signal: own.signal,
        ...(cwd !== undefined && { cwd }),
      };
      const found = await searchSessions(asBeginning(query), parts);
      return own.signal.aborted ? null : foundIn(query, found);
    },
    catchUp: async (tell, signal) => {
      let next = 0;
      const onProgress = ({ done, total: all }: IndexProgress): void => {
        if (Date.now() < next) return;
        next = Date.now() + PATIENCE;
        tell(all < LITTLE ? null : `reading for the search: ${bytesTold(done)} of ${bytesTold(all)}`);
      };
      await searchSessions(ANYTHING, { env, redaction: await redaction(), limit: 1, signal, onProgress });
      tell(null);
    },
  };
}

/** In milliseconds: whoever types on is not waited for. */
const PAUSE = 40;
const MOST = 100;
/** In milliseconds, from one word on how far it is to the next. */
const PATIENCE = 250;
/** Bytes, read before anybody could have read the words. */
const LITTLE = 1024 * 1024;
/** The index is brought up to date by a search, whatever for. */
const ANYTHING = "pith";

/** The last word may still go on. */
function asBeginning(query: string): string {
  return /[\p{L}\p{N}]$/u.test(query) ? `${query}*` : query;
}

function foundIn(query: string, searching: SearchResult): Found {
  if (searching.type !== "searched")
    return { query, hits: [], pending: searching.type === "unavailable" ? searching.why : null };
  const first = new Map<string, FoundSession>();
  for (const { session, snippet } of searching.hits)
    if (!first.has(session.path)) first.set(session.path, { path: session.path, snippet });
  return { query, hits: [...first.values()], pending: searching.pending?.why ?? null };
}

export interface ChoosingPlace {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** The file of the session one is in; null for none. */
  readonly here: string | null;
}

export function diskSource({ cwd, home, here }: ChoosingPlace): SessionSource {
  const env = { PITH_HOME: home };
  const redaction = once(() => redactionHere({ home, environment: process.env }).catch(() => noRedaction));
  const search = searcher({ home, redaction });
  const look = looker(redaction);
  let known: readonly SessionItem[] = [];
  return {
    place: { cwd, here, userHome: homedir(), now: Date.now },
    look,
    list: async (learn, signal) => {
      const first = await cleaned(await listSessions({ env, cwd, maxPerFolder: GLANCE }), await redaction());
      learn((state) => ({ ...state, items: first }));
      await pause();
      const all = await cleaned(await listSessions({ env }), await redaction());
      known = all;
      learn((state) => ({ ...state, items: all, isWhole: true, scope: scopeIn(state, all, cwd) }));
      const here = all.filter((item) => item.cwd === cwd);
      learn(await look((here.length > 0 ? here : all).slice(0, GLANCE), signal));
      await search.catchUp((indexing) => learn((state) => ({ ...state, indexing })), signal);
    },
    search: async (query, scope) => {
      const found = await search.search({ query, ...(scope === "here" && { cwd }) });
      if (!found) return (state) => state;
      const rows = sessionRows({ ...noSessionsYet, items: known, scope, input: lineOf(query), found }, cwd);
      const first = rows.slice(0, FOUND).map(({ item }) => item);
      const seen = await look(first, new AbortController().signal);
      return (state) => seen({ ...state, found });
    },
    rename: (item, name) => renamed(item, name, env),
    trash: (item) => trashed(item, home),
  };
}

/** Rows of a high terminal. */
const GLANCE = 40;
/** Of thousands, so many at a time. */
const MANY = 250;
/** Of what was found, those at the beginning are looked into. */
const FOUND = 10;

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An older session may hold a secret, and its path must stay as it is. */
async function cleaned(
  items: readonly SessionItem[],
  { redact: redacted }: Redaction,
): Promise<readonly SessionItem[]> {
  const shown: SessionItem[] = [];
  for (const item of items) {
    shown.push({ ...item, ...redacted(wordsOf(item)) });
    // Whoever types gets a turn in between.
    if (shown.length % MANY === 0) await pause();
  }
  return shown;
}

function wordsOf({ name, firstMessage, damaged }: SessionItem): Partial<SessionItem> {
  return { firstMessage, ...(name !== undefined && { name }), ...(damaged !== undefined && { damaged }) };
}

/** Whoever has nothing here is shown what there is elsewhere. */
function scopeIn({ scope }: SessionsState, all: readonly SessionItem[], cwd: string): "here" | "all" {
  return all.length === 0 || all.some((item) => item.cwd === cwd) ? scope : "all";
}

async function renamed(item: SessionItem, words: string, env: { readonly PITH_HOME: string }): Promise<Change> {
  const outcome = await renameSession(item.path, words, { env });
  if (outcome.type === "appended") return (state) => ({ ...state, items: state.items.map((each) => named(each)) });
  const note = outcome.type === "refused" ? refusalNotes[outcome.why] : notRenamed(outcome);
  return (state) => ({ ...state, note });

  function named(each: SessionItem): SessionItem {
    if (each.path !== item.path) return each;
    const { name: _, ...rest } = each;
    const name = sanitizeLine(words);
    return name === "" ? rest : { ...rest, name };
  }
}

function notRenamed(outcome: { readonly type: string }): string {
  if (outcome.type === "leaf-moved") return "somebody else has just written to it; try again";
  return whyNot(outcome as Parameters<typeof whyNot>[0]);
}

async function trashed(item: SessionItem, home: string): Promise<Change> {
  const gone = await intoTrash(item.path, { home, by: "rm" });
  if (gone.type === "failed") return (state) => ({ ...state, note: gone.message });
  const note = `it is in the trash; pith sessions restore ${item.id.slice(0, 8)} brings it back`;
  return (state) => ({ ...state, note, items: state.items.filter(({ path }) => path !== item.path) });
}

function once<Value>(act: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= act();
    return made;
  };
}
