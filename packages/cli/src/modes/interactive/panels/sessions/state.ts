/** Defines the sessions page's state, the source it reads from, the order of its rows, and its layout. */

import type { SessionItem } from "@pith/context/node";
import type { Snippet } from "@pith/context/search";
import { type ColumnWidths, splitColumns } from "../choice.ts";
import type { KeyResult, Viewport } from "../panel.ts";
import { emptyInput, type LineInput, type ListPosition, listStart, moveTo } from "../widgets.ts";

export interface SessionsState {
  /** Newest first. */
  readonly items: readonly SessionItem[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  /** Only those of the folder one is in, or all. */
  readonly scope: "here" | "all";
  readonly input: LineInput;
  readonly searchResult: SessionSearchResult | null;
  /** How far the search is, for people; null where it knows all. */
  readonly indexProgress: string | null;
  /** By the path of the session; what was looked at so far. */
  readonly previews: ReadonlyMap<string, SessionPreview>;
  readonly walk: ListPosition;
  readonly pendingAction: PendingAction | null;
  /** What came of the last act, for people. */
  readonly note: string | null;
}

/** What a search through all that was said has found. */
export interface SessionSearchResult {
  readonly query: string;
  /** Best first, each session once. */
  readonly hits: readonly SessionSearchHit[];
  /** What could not be searched, and why; null for nothing. */
  readonly pending: string | null;
}

export interface SessionSearchHit {
  readonly path: string;
  readonly snippet: Snippet;
}

/** What a look into a session tells. */
export interface SessionPreview {
  /** From its newest checkpoint; null where it has none. */
  readonly gist: string | null;
  readonly model: string | null;
  /** Whether another program has written it. */
  readonly isForeign: boolean;
  readonly lastPrompt: string;
  readonly lastReply: string;
  /** Where they are counted quickly. */
  readonly entries?: number;
  readonly cost?: number;
  readonly branches?: number;
}

/** What must be answered before anything is done to a session. */
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
  walk: listStart,
  pendingAction: null,
  note: null,
};

export type SessionsKeyResult = KeyResult<SessionsState, SessionItem>;

export type StateChange = (state: SessionsState) => SessionsState;

export interface SessionSource {
  readonly context: SessionsContext;
  /** First what is newest here, then all; then the search is brought up to date. */
  list(learn: (change: StateChange) => void, signal: AbortSignal): Promise<void>;
  /** Looks into these sessions. */
  readPreviews(items: readonly SessionItem[], signal: AbortSignal): Promise<StateChange>;
  /** The newest question counts: those before it are given up. */
  search(query: string, scope: SessionsState["scope"]): Promise<StateChange>;
  rename(item: SessionItem, name: string): Promise<StateChange>;
  trash(item: SessionItem): Promise<StateChange>;
}

export interface SessionsContext {
  /** The folder one is in. */
  readonly cwd: string;
  /** The file of the session one is in; null for none. */
  readonly currentPath: string | null;
  /** Of the person, shown as `~`. */
  readonly userHome: string;
  /** In milliseconds. */
  readonly now: () => number;
}

export interface SessionRow {
  readonly item: SessionItem;
  /** Where the words stand that were searched for; null where they stand in its name or its first words. */
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
  // What was found for fewer letters is shown until what is found for more of them is known.
  const hits = searchResult && query.startsWith(searchResult.query) ? searchResult.hits : [];
  const textMatches = hits.flatMap(({ path, snippet }) => {
    const item = byPath.get(path);
    return item && !nameMatchPaths.has(path) ? [{ item, snippet }] : [];
  });
  return [...nameMatches.map((item) => ({ item, snippet: null })), ...textMatches];
}

/** What is searched for, as it was typed. */
export function parseQuery(text: string): string {
  return text.trim();
}

/** One that was stopped before a word was said is nothing to go on with. */
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

// Only a shortcut: thousands of texts are looked through with every letter.
const searchTextCache = new WeakMap<SessionItem, string>();

/** Rows above and below the list: a title, the search, two rules and the keys. */
export const CHROME_ROWS = 5;

/** Sessions that are seen at once. */
export function countVisibleRows(state: SessionsState, { height }: Pick<Viewport, "height">): number {
  return Math.max(1, Math.floor((height - CHROME_ROWS) / getRowHeight(state)));
}

/** Where one stands now: rows may have gone since, and the terminal may have another height. */
export function clampPosition(state: SessionsState, count: number, viewport: Pick<Viewport, "height">): ListPosition {
  return moveTo(state.walk, state.walk.index, { count, rows: countVisibleRows(state, viewport) });
}

/** With a search, each says below where it was found. */
export function getRowHeight({ input }: SessionsState): number {
  return parseQuery(input.text) === "" ? 1 : 2;
}

/** The list, and beside it the session one stands on, where there is room for both; 0 for none. */
export function splitSessionColumns({ width }: Pick<Viewport, "width">): ColumnWidths {
  return splitColumns(width) ?? { list: width, preview: 0 };
}
