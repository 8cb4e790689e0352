/** Defines the sessions page's state, the source it reads from, the order of its rows, and its layout. */

import type { SessionItem } from "@pith/context/node";
import type { Snippet } from "@pith/context/search";
import { type SideBySide, sideBySide } from "../choice.ts";
import type { Pressed, Sight } from "../panel.ts";
import { atTop, emptyLine, type LineInput, type Walk, walkTo } from "../widgets.ts";

export interface SessionsState {
  /** Newest first. */
  readonly items: readonly SessionItem[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** Only those of the folder one is in, or all. */
  readonly scope: "here" | "all";
  readonly input: LineInput;
  readonly found: Found | null;
  /** How far the search is, for people; null where it knows all. */
  readonly indexing: string | null;
  /** By the path of the session; what was looked at so far. */
  readonly abouts: ReadonlyMap<string, About>;
  readonly walk: Walk;
  readonly asked: Asked | null;
  /** What came of the last act, for people. */
  readonly note: string | null;
}

/** What a search through all that was said has found. */
export interface Found {
  readonly query: string;
  /** Best first, each session once. */
  readonly hits: readonly FoundSession[];
  /** What could not be searched, and why; null for nothing. */
  readonly pending: string | null;
}

export interface FoundSession {
  readonly path: string;
  readonly snippet: Snippet;
}

/** What a look into a session tells. */
export interface About {
  /** From its newest checkpoint; null where it has none. */
  readonly gist: string | null;
  readonly model: string | null;
  /** Whether another program has written it. */
  readonly isForeign: boolean;
  readonly lastSaid: string;
  readonly lastAnswer: string;
  /** Where they are counted quickly. */
  readonly entries?: number;
  readonly cost?: number;
  readonly branches?: number;
}

/** What must be answered before anything is done to a session. */
export type Asked =
  | { readonly type: "trash"; readonly item: SessionItem }
  | { readonly type: "rename"; readonly item: SessionItem; readonly line: LineInput };

export const noSessionsYet: SessionsState = {
  items: [],
  isWhole: false,
  scope: "here",
  input: emptyLine,
  found: null,
  indexing: null,
  abouts: new Map(),
  walk: atTop,
  asked: null,
  note: null,
};

export type SessionsPressed = Pressed<SessionsState, SessionItem>;

export type Change = (state: SessionsState) => SessionsState;

export interface SessionSource {
  readonly place: SessionsPlace;
  /** First what is newest here, then all; then the search is brought up to date. */
  list(learn: (change: Change) => void, signal: AbortSignal): Promise<void>;
  /** Looks into these sessions. */
  look(items: readonly SessionItem[], signal: AbortSignal): Promise<Change>;
  /** The newest question counts: those before it are given up. */
  search(query: string, scope: SessionsState["scope"]): Promise<Change>;
  rename(item: SessionItem, name: string): Promise<Change>;
  trash(item: SessionItem): Promise<Change>;
}

export interface SessionsPlace {
  /** The folder one is in. */
  readonly cwd: string;
  /** The file of the session one is in; null for none. */
  readonly here: string | null;
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
export function sessionRows({ items, scope, input, found }: SessionsState, cwd: string): readonly SessionRow[] {
  const there = scope === "all" ? items : items.filter((item) => item.cwd === cwd);
  const query = queryOf(input.text);
  if (query === "") return there.filter(isTold).map((item) => ({ item, snippet: null }));
  const words = query.toLowerCase().split(/\s+/);
  const named = there.filter((item) => isMeant(item, words));
  const paths = new Set(named.map(({ path }) => path));
  const byPath = new Map(there.map((item) => [item.path, item]));
  // What was found for fewer letters is shown until what is found for more of them is known.
  const hits = found && query.startsWith(found.query) ? found.hits : [];
  const said = hits.flatMap(({ path, snippet }) => {
    const item = byPath.get(path);
    return item && !paths.has(path) ? [{ item, snippet }] : [];
  });
  return [...named.map((item) => ({ item, snippet: null })), ...said];
}

/** What is searched for, as it was typed. */
export function queryOf(text: string): string {
  return text.trim();
}

/** One that was stopped before a word was said is nothing to go on with. */
function isTold({ firstMessage, name, damaged }: SessionItem): boolean {
  return firstMessage !== "" || name !== undefined || damaged !== undefined;
}

function isMeant(item: SessionItem, words: readonly string[]): boolean {
  const text = textOf(item);
  return words.every((word) => text.includes(word) || item.id.startsWith(word));
}

function textOf(item: SessionItem): string {
  const known = TEXTS.get(item);
  if (known !== undefined) return known;
  const text = `${item.name ?? ""}\n${item.firstMessage}`.toLowerCase();
  TEXTS.set(item, text);
  return text;
}

// Only a shortcut: thousands of texts are looked through with every letter.
const TEXTS = new WeakMap<SessionItem, string>();

/** Rows above and below the list: a title, the search, two rules and the keys. */
export const AROUND = 5;

/** Sessions that are seen at once. */
export function listRoom(state: SessionsState, { height }: Pick<Sight, "height">): number {
  return Math.max(1, Math.floor((height - AROUND) / rowHeight(state)));
}

/** Where one stands now: rows may have gone since, and the terminal may have another height. */
export function standing(state: SessionsState, count: number, sight: Pick<Sight, "height">): Walk {
  return walkTo(state.walk, state.walk.at, { count, rows: listRoom(state, sight) });
}

/** With a search, each says below where it was found. */
export function rowHeight({ input }: SessionsState): number {
  return queryOf(input.text) === "" ? 1 : 2;
}

/** The list, and beside it the session one stands on, where there is room for both; 0 for none. */
export function columns({ width }: Pick<Sight, "width">): SideBySide {
  return sideBySide(width) ?? { list: width, beside: 0 };
}
