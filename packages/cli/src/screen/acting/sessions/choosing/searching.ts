/** Search while somebody types: the newest question counts, and those before it are given up. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Redaction } from "@pith/context";
import { type Progress, type Searching, searchSessions } from "@pith/context/node";
import { bytesTold } from "../../../../printing/amounts.ts";
import type { Found, FoundSession } from "../../../panels/sessions/sessions-state.ts";

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
      const onProgress = ({ done, all }: Progress): void => {
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

function foundIn(query: string, searching: Searching): Found {
  if (searching.type !== "searched")
    return { query, hits: [], pending: searching.type === "unavailable" ? searching.why : null };
  const first = new Map<string, FoundSession>();
  for (const { session, snippet } of searching.hits)
    if (!first.has(session.path)) first.set(session.path, { path: session.path, snippet });
  return { query, hits: [...first.values()], pending: searching.pending?.why ?? null };
}
