/** Exports `@pith/context/search`: full-text search over all sessions. It loads SQLite. */

export type { IndexProgress } from "./changed-files.ts";
export { type SearchResult, searchSessions } from "./search.ts";
export type { Snippet } from "./snippet.ts";
