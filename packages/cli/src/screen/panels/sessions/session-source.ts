/** Where the page of sessions has its knowledge from, and who acts for it: the port behind which the disk lies. */

import type { SessionItem } from "@pith/context/node";
import type { Pressed } from "../panel.ts";
import type { SessionsState } from "./sessions-state.ts";

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
