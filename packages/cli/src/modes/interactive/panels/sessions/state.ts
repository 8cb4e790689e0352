/** Defines the sessions page's state, the source it reads from, the order of its rows, and its layout. */

import type { SessionItem } from "@pith/context/node";
import type { Snippet } from "@pith/context/search";
import { type ColumnWidths, splitColumns } from "../choice.ts";
import type { KeyResult, Viewport } from "../panel.ts";
import { emptyInput, type LineInput, type ListPosition, listStart, moveTo } from "../widgets.ts";

export interface SessionsState {
  /** Newest first. */
  readonly items: readonly SessionItem[];
  /** Whether all sessions are listed. */
  readonly isComplete: boolean;
  /** `here`: only the sessions of the current folder. */
  readonly scope: "here" | "all";
  readonly input: LineInput;
  readonly searchResult: SessionSearchResult | null;
  /** The progress text of the search index. Null if the index is complete. */
  readonly indexProgress: string | null;
  /** By the path of the session. Contains only the previews loaded so far. */
  readonly previews: ReadonlyMap<string, SessionPreview>;
  readonly position: ListPosition;
  readonly pendingAction: PendingAction | null;
  /** The result of the last action, for the user. */
  readonly note: string | null;
}

/** The result of a full-text search. */
export interface SessionSearchResult {
  readonly query: string;
  /** Best first, each session once. */
  readonly hits: readonly SessionSearchHit[];
  /** Says what could not be searched and why. Null if everything was searched. */
  readonly pending: string | null;
}

export interface SessionSearchHit {
  readonly path: string;
  readonly snippet: Snippet;
}

export interface SessionPreview {
  /** The goal and the next step from the latest compaction. Null if there is none. */
  readonly gist: string | null;
  readonly model: string | null;
  /** Whether another program wrote the session. */
  readonly isForeign: boolean;
  readonly lastPrompt: string;
  readonly lastReply: string;
  /** Absent, like `cost` and `branches`, if the file is too large to count quickly. */
  readonly entries?: number;
  readonly cost?: number;
  readonly branches?: number;
}

/** An action that waits for a confirmation or a name. */
export type PendingAction =
  | { readonly type: "trash"; readonly item: SessionItem }
  | { readonly type: "rename"; readonly item: SessionItem; readonly line: LineInput };

export const emptySessionsState: SessionsState = {
  items: [],
  isComplete: false,
  scope: "here",
  input: emptyInput,
  searchResult: null,
  indexProgress: null,
  previews: new Map(),
  position: listStart,
  pendingAction: null,
  note: null,
};

export type SessionsKeyResult = KeyResult<SessionsState, SessionItem>;

export type StateChange = (state: SessionsState) => SessionsState;

export interface SessionSource {
  readonly context: SessionsContext;
  /** Loads the newest sessions of the folder, then all sessions, and then updates the search index. */
  list(update: (change: StateChange) => void, signal: AbortSignal): Promise<void>;
  readPreviews(items: readonly SessionItem[], signal: AbortSignal): Promise<StateChange>;
  /** A new search cancels the previous one. */
  search(query: string, scope: SessionsState["scope"]): Promise<StateChange>;
  rename(item: SessionItem, name: string): Promise<StateChange>;
  trash(item: SessionItem): Promise<StateChange>;
}

export interface SessionsContext {
  readonly cwd: string;
  /** The file of the open session. Null if there is none. */
  readonly currentPath: string | null;
  /** The user's home folder, shown as `~`. */
  readonly userHome: string;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

export interface SessionRow {
  readonly item: SessionItem;
  /** The text around the match. Null if the name or the first message matches, or if there is no query. */
  readonly snippet: Snippet | null;
}

/** Sessions whose name or first message matches come first, then those found by full-text search. */
export function buildSessionRows(
  { items, scope, input, searchResult }: SessionsState,
  cwd: string,
): readonly SessionRow[] {
  const inScope = scope === "all" ? items : items.filter((item) => item.cwd === cwd);
  const query = parseQuery(input.text);
  if (query === "") return inScope.filter(hasContent).map((item) => ({ item, snippet: null }));
  const words = query.toLowerCase().split(/\s+/);
  const nameMatches = inScope.filter((item) => matchesWords(item, words));
  const nameMatchPaths = new Set(nameMatches.map(({ path }) => path));
  const byPath = new Map(inScope.map((item) => [item.path, item]));
  // While the user types, hits of the shorter query stay visible until the new search finishes.
  const hits = searchResult && query.startsWith(searchResult.query) ? searchResult.hits : [];
  const textMatches = hits.flatMap(({ path, snippet }) => {
    const item = byPath.get(path);
    return item && !nameMatchPaths.has(path) ? [{ item, snippet }] : [];
  });
  return [...nameMatches.map((item) => ({ item, snippet: null })), ...textMatches];
}

export function parseQuery(text: string): string {
  return text.trim();
}

/** A session that ended before the first message is not worth resuming. */
function hasContent({ firstMessage, name, damaged }: SessionItem): boolean {
  return firstMessage !== "" || name !== undefined || damaged !== undefined;
}

function matchesWords(item: SessionItem, words: readonly string[]): boolean {
  const text = getSearchText(item);
  return words.every((word) => text.includes(word) || item.id.startsWith(word));
}

function getSearchText(item: SessionItem): string {
  const cached = searchTextCache.get(item);
  if (cached !== undefined) return cached;
  const text = `${item.name ?? ""}\n${item.firstMessage}`.toLowerCase();
  searchTextCache.set(item, text);
  return text;
}

// Each key searches thousands of texts.
const searchTextCache = new WeakMap<SessionItem, string>();

/** Rows above and below the list: the title, the search line, two rules and the hints. */
export const CHROME_ROWS = 5;

/** Returns how many sessions are visible. */
export function countVisibleRows(state: SessionsState, { height }: Pick<Viewport, "height">): number {
  return Math.max(1, Math.floor((height - CHROME_ROWS) / getRowHeight(state)));
}

/** The number of rows and the height of the terminal may have changed since the last key. */
export function clampPosition(state: SessionsState, count: number, viewport: Pick<Viewport, "height">): ListPosition {
  return moveTo(state.position, state.position.index, { count, rows: countVisibleRows(state, viewport) });
}

/** With a query, each session has a second row that shows the match. */
export function getRowHeight({ input }: SessionsState): number {
  return parseQuery(input.text) === "" ? 1 : 2;
}

/** `preview` is 0 if there is no room for it. */
export function splitSessionColumns({ width }: Pick<Viewport, "width">): ColumnWidths {
  return splitColumns(width) ?? { list: width, preview: 0 };
}
