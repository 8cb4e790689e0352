/** What the page of sessions knows: all that are there, what is searched for, and where one stands. Plain data. */

import type { SessionItem, Snippet } from "@pith/context/node";
import { emptyLine, type LineInput } from "../../widgets/line-input.ts";
import { atTop, type Walk } from "../../widgets/list.ts";

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
