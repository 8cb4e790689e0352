/** Where a session is kept: the port behind which memory, a file or a database stands. The log is the truth; this is its only door. */

import type { BranchSummaryEntry, Entry, Header } from "../entry.ts";
import type { Window } from "./window.ts";

export interface Store {
  readonly header: Header;
  /** The last entry written; a new session has none. */
  leaf(): Promise<string | null>;
  /** All that the context at this leaf needs. */
  window(leaf: string | null): Promise<Window>;
  entry(id: string): Promise<Entry | undefined>;
  /** In file order; null asks for the roots. */
  children(id: string | null): Promise<readonly Entry[]>;
  /** From the root to this leaf. */
  branch(leaf: string | null): Promise<readonly Entry[]>;
  commonAncestor(one: string | null, other: string | null): Promise<string | null>;
  /** Of leaves that were left, on whatever branch they stand; in file order. */
  branchSummaries(fromIds: ReadonlySet<string>): Promise<readonly BranchSummaryEntry[]>;
  labels(): Promise<ReadonlyMap<string, string>>;
  /** The session's name, the latest in the file. */
  name(): Promise<string | undefined>;
  /** The line of an entry as it was written, without seal; undefined for a gap and for an id that is not here. */
  line(id: string): Promise<string | undefined>;
  /**
   * Adds a batch, all of it or nothing; its last entry becomes the leaf. A batch that is here already, to the byte, counts as
   * appended. Throws for what no caller may ask: an entry without its parent, an id used for other content.
   */
  append(batch: readonly Entry[], fence: Fence): Promise<Appended>;
}

export interface Fence {
  /** The leaf the writer has seen; null for an empty session. */
  readonly expectedLeaf: string | null;
  /** A hosted writer's token; a store that gives out tokens refuses an older one. */
  readonly token?: number;
  /** It could be had again: acknowledged when written, and on the disk with what follows, at most a second later. */
  readonly isReplaceable?: boolean;
}

export type Appended =
  | { readonly type: "appended"; readonly leaf: string | null }
  /** Another writer was here; nothing was written. */
  | { readonly type: "leaf-moved"; readonly leaf: string | null }
  /** It cannot be written now; what was there before still is. */
  | { readonly type: "refused"; readonly why: Refusal; readonly leaf: string | null };

export type Refusal = keyof typeof refusalNotes;

/** What each refusal means, and what to do about it. */
export const refusalNotes = {
  "disk-full": "the disk is full; free some space and try again",
  "disk-error":
    "the disk gave an error; the session is read-only from here on: open it again, or fork it to another disk",
  "not-writable": "the file cannot be written; check its permissions, or fork the session",
  "file-removed": "the session's file was removed while it was open; fork the session to keep it",
  "file-replaced": "another file took the place of the session's file; open it again, or fork the session",
  "file-shortened": "the session's file became shorter while it was open; open it again, or fork the session",
  "lease-lost": "another process has taken this session over; follow it, or fork the session",
  "read-only": "the session is open for reading only",
  closed: "the session was closed here; open it again",
  "newer-version": "a newer program wrote this session; it can only be read here, or forked",
} as const;
