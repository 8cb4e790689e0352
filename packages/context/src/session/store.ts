/** Defines the store port, which is the only access to a session's log, and the base class of stores. */

import type { BranchSummaryEntry, Entry, Header } from "../entry.ts";
import type { LoadedBranch } from "./loaded-branch.ts";

/** The store port: the only access to a session's log. */
export interface Store {
  readonly header: Header;
  /** Returns the id of the last entry; null for an empty session. */
  leaf(): Promise<string | null>;
  /** Loads the entries that the context at this leaf needs. */
  loadBranch(leaf: string | null): Promise<LoadedBranch>;
  /** Returns the entry with this id. */
  entry(id: string): Promise<Entry | undefined>;
  /** Returns the entry with this number. */
  entryByNumber(number: number): Promise<Entry | undefined>;
  /** Returns the highest number in use, here or in the session that this one was copied from. The next entry gets the next number. */
  lastNumber(): Promise<number>;
  /** Returns the children of an entry in file order; null returns the roots. */
  children(id: string | null): Promise<readonly Entry[]>;
  /** Returns the entries from the root to this leaf. */
  branchEntries(leaf: string | null): Promise<readonly Entry[]>;
  /** Returns the last entry that both branches share, or null. */
  commonAncestor(one: string | null, other: string | null): Promise<string | null>;
  /** Returns the summaries of branches that ended at these leaves, in file order. */
  branchSummaries(fromIds: ReadonlySet<string>): Promise<readonly BranchSummaryEntry[]>;
  /** Returns the labels by entry id. */
  labels(): Promise<ReadonlyMap<string, string>>;
  /** Returns the latest name of the session. */
  name(): Promise<string | undefined>;
  /** Returns the line of an entry as written, without trailer; undefined for a gap and for an unknown id. */
  line(id: string): Promise<string | undefined>;
  /** Returns at most `limit` entries in the order of the log, the first at this position, counted from 0. */
  entriesFrom(position: number, limit: number): Promise<readonly Entry[]>;
  /**
   * Appends a batch, all or nothing; its last entry becomes the leaf. A batch that is already stored with the same bytes counts as
   * appended. Throws if the batch is invalid: a missing parent, or an id that is used for other content. A store that another writer has
   * taken over refuses every append (`lease-lost`).
   */
  append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult>;
  /** Keeps a prepared summary beside the log, so that it survives a restart. Absent: it is lost with the process. */
  readonly preparedSummary?: {
    /** Returns null if there is none. */
    read(): Promise<string | null>;
    /** Replaces the text. A store that cannot write now keeps none. */
    write(text: string): Promise<void>;
    remove(): Promise<void>;
  };
  /** Releases what the store holds open; nothing is appended afterwards. */
  close?(): Promise<unknown>;
}

/** The conditions for an append. */
export interface AppendGuard {
  /** The leaf that the writer expects; null for an empty session. */
  readonly expectedLeaf: string | null;
  /** The entries could be produced again: the append returns before the disk has them, and they are synced within a second. */
  readonly isReplaceable?: boolean;
}

/** The result of an append. */
export type AppendResult =
  | { readonly type: "appended"; readonly leaf: string | null }
  /** Another writer has moved the leaf; nothing was written. */
  | { readonly type: "leaf-moved"; readonly leaf: string | null }
  /** The store cannot write now; nothing was written. Of `unavailable` that is not known: the same batch can be appended again. */
  | { readonly type: "refused"; readonly why: Refusal; readonly leaf: string | null };

/** The reason why a store refuses an append. */
export type Refusal = keyof typeof refusalNotes;

/** Explains to the user what each refusal means, and what to do next. */
export const refusalNotes = {
  "disk-full": "the disk is full; free some space and try again",
  "disk-error":
    "the disk reported an error and the session is now read-only; open it again, or fork it to another disk",
  "not-writable": "the session file is not writable; check its permissions, or fork the session",
  "file-removed": "the session file was removed while it was open; fork the session to keep it",
  "file-replaced": "the session file was replaced while it was open; open it again, or fork the session",
  "file-shortened": "the session file was truncated while it was open; open it again, or fork the session",
  "lease-lost": "another process has taken over this session; follow it, or fork the session",
  "read-only": "the session is open for reading only",
  closed: "the session is closed; open it again",
  unavailable: "the storage of the session cannot be reached; try again",
  "newer-version": "a newer version of Pith wrote this session; update Pith, or fork the session",
} as const;

/** Explains to the user why an append failed, and what to do next. */
export function explainFailedAppend(result: Exclude<AppendResult, { type: "appended" }>): string {
  return result.type === "refused"
    ? refusalNotes[result.why]
    : "another process has written to this session; open it again";
}

/** The reading side of a store. It answers synchronously, from memory or from a file. */
export interface EntryReader {
  /** The id of the last entry, or of the gap if its line is damaged. A damaged line that shows no sign of an entry is skipped. */
  readonly leaf: string | null;
  /** The highest number in use, here or in the session that this one was copied from. */
  readonly lastNumber: number;
  has(id: string): boolean;
  entry(id: string): Entry | undefined;
  entryByNumber(number: number): Entry | undefined;
  /** Returns the line of an entry as written, without trailer; undefined for a gap and for an unknown id. */
  text(id: string): string | undefined;
  /** Returns the children of an entry in file order; null returns the roots. */
  children(id: string | null): readonly Entry[];
  /** Returns the entries from this leaf to the root. */
  ancestry(leaf: string | null): Iterable<Entry>;
  loadBranch(leaf: string | null): LoadedBranch;
  commonAncestor(one: string | null, other: string | null): string | null;
  /** Returns the summaries of branches that ended at these leaves, in file order. */
  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[];
  labels(): ReadonlyMap<string, string>;
  name(): string | undefined;
  /** Returns at most `limit` entries in the order of the log, the first at this position, counted from 0. */
  entriesFrom(position: number, limit: number): readonly Entry[];
}

/** Implements the reading methods of a store through an `EntryReader`. */
export abstract class BaseStore implements Store {
  abstract readonly header: Header;
  abstract append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult>;
  /** Returns the reader as soon as it can answer every question. */
  protected abstract reader(): Promise<EntryReader>;

  async leaf(): Promise<string | null> {
    return (await this.reader()).leaf;
  }

  async loadBranch(leaf: string | null): Promise<LoadedBranch> {
    return (await this.reader()).loadBranch(leaf);
  }

  async entry(id: string): Promise<Entry | undefined> {
    return (await this.reader()).entry(id);
  }

  async entryByNumber(number: number): Promise<Entry | undefined> {
    return (await this.reader()).entryByNumber(number);
  }

  async lastNumber(): Promise<number> {
    return (await this.reader()).lastNumber;
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    return (await this.reader()).children(id);
  }

  async branchEntries(leaf: string | null): Promise<readonly Entry[]> {
    return [...(await this.reader()).ancestry(leaf)].reverse();
  }

  async commonAncestor(one: string | null, other: string | null): Promise<string | null> {
    return (await this.reader()).commonAncestor(one, other);
  }

  async branchSummaries(fromIds: ReadonlySet<string>): Promise<readonly BranchSummaryEntry[]> {
    return (await this.reader()).branchSummaries(fromIds);
  }

  async labels(): Promise<ReadonlyMap<string, string>> {
    return (await this.reader()).labels();
  }

  async name(): Promise<string | undefined> {
    return (await this.reader()).name();
  }

  async line(id: string): Promise<string | undefined> {
    return (await this.reader()).text(id);
  }

  async entriesFrom(position: number, limit: number): Promise<readonly Entry[]> {
    return (await this.reader()).entriesFrom(position, limit);
  }
}

/** Returns the id, or throws if no entry has it. */
export function requireId(reader: Pick<EntryReader, "has">, id: string | null): string | null {
  if (id !== null && !reader.has(id)) throw new Error(`entry ${id} is not in this session`);
  return id;
}
