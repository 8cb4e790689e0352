/** Exports `@pith/context/search`: full-text search over all sessions, and the parts of it that a search in another storage needs. It loads SQLite only to search. */

export type { IndexProgress } from "./changed-files.ts";
export { listIndexWords, parsePathTerm, parseQuery, type SearchQuery } from "./query.ts";
export { type SearchResult, searchSessions } from "./search.ts";
export { extractSearchableText } from "./searchable-text.ts";
export { createSnippet, type Snippet } from "./snippet.ts";
