/** Searches one session file for the `recall` tool, with the search index of all sessions. */

import type { Redaction } from "@pith/context";
import { blobReference } from "@pith/context/host";
import type { SearchResult } from "@pith/context/search";
import type { EntryHit, SearchEntries } from "../ports.ts";

/** Options of `sessionSearch`. */
export interface SessionSearchOptions {
  /** Pith's home, which contains the index. Default: `~/.pith`. */
  readonly home?: string;
  /** Applied before text gets into the index or into a hit. */
  readonly redaction?: Redaction | undefined;
}

/** Creates the search for `recallTool`: it indexes this session file, and only this one, when it is first used. */
export function sessionSearch(path: string, { home, redaction }: SessionSearchOptions = {}): SearchEntries {
  const location = { session: path, ...(home !== undefined && { env: { ...process.env, PITH_HOME: home } }) };
  return async ({ text, ...query }, options) => {
    // Loads SQLite, which a session without a search does not need.
    const { searchSessions } = await import("@pith/context/search");
    const result = await searchSessions(text, {
      ...location,
      ...query,
      ...options,
      match: "any",
      skipsSummaries: true,
      ...(redaction && { redaction }),
    });
    if (result.type === "aborted") return { type: "failed", why: "the search was stopped" };
    if (result.type === "unavailable") return { type: "failed", why: result.why };
    const { hits, count, more, pending } = result;
    return {
      type: "found",
      hits: hits.flatMap(toEntryHit),
      count,
      more,
      incomplete: pending?.why ?? null,
    };
  };
}

type Hit = Extract<SearchResult, { type: "searched" }>["hits"][number];

function toEntryHit({ entry, snippet, stored }: Hit): readonly EntryHit[] {
  if (entry === null) return [];
  const location = stored && { reference: blobReference(stored.hash), line: stored.line };
  return [{ id: entry, excerpt: snippet.text, ...(location && { stored: location }) }];
}
