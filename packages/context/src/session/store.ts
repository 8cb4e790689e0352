/** Defines the store port (the only access to a session's log), the base class of stores and the rules of an append. */

import type { BranchSummaryEntry, CompactionEntry, ContextEditEntry, Entry, Header } from "../entry.ts";
import { serializeEntry } from "../format/entry-line.ts";
import { withEntryNumber } from "../format/entry-number.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import type { LoadedBranch } from "./loaded-branch.ts";

/** The store port: the only access to a session's log. */
export interface Store {
  readonly header: Header;
  /** The last entry written; a new session has none. */
  leaf(): Promise<string | null>;
  /** All that the context at this leaf needs. */
  loadBranch(leaf: string | null): Promise<LoadedBranch>;
  entry(id: string): Promise<Entry | undefined>;
  entryByNumber(number: number): Promise<Entry | undefined>;
  /** The highest number in use, here or where this session was copied from; what is appended next gets the one behind it. */
  lastNumber(): Promise<number>;
  /** In file order; null asks for the roots. */
  children(id: string | null): Promise<readonly Entry[]>;
  /** From the root to this leaf. */
  branchEntries(leaf: string | null): Promise<readonly Entry[]>;
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
  append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult>;
  /** Releases what the store holds open; nothing is appended afterwards. */
  close?(): Promise<unknown>;
}

export interface AppendGuard {
  /** The leaf the writer has seen; null for an empty session. */
  readonly expectedLeaf: string | null;
  /** A hosted writer's token; a store that gives out tokens refuses an older one. */
  readonly token?: number;
  /** It could be had again: acknowledged when written, and on the disk with what follows, at most a second later. */
  readonly isReplaceable?: boolean;
}

export type AppendResult =
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

/** The reading side of a store: answers at once, from memory or from a file. */
export interface EntryReader {
  /** The last entry written; a gap where its line is damaged. A line that shows nothing of an entry does not count. */
  readonly leaf: string | null;
  /** The highest number in use, here or where this session was copied from. */
  readonly lastNumber: number;
  has(id: string): boolean;
  entry(id: string): Entry | undefined;
  entryByNumber(number: number): Entry | undefined;
  /** An entry's line as it was written, without seal; undefined for a gap and for an id that is not here. */
  text(id: string): string | undefined;
  /** In file order; null asks for the roots. */
  children(id: string | null): readonly Entry[];
  /** From this leaf up to its root. */
  ancestry(leaf: string | null): Iterable<Entry>;
  loadBranch(leaf: string | null): LoadedBranch;
  commonAncestor(one: string | null, other: string | null): string | null;
  /** Of leaves that were left; in file order. */
  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[];
  labels(): ReadonlyMap<string, string>;
  name(): string | undefined;
}

/** The same id, if it is here. */
export function requireId(reader: Pick<EntryReader, "has">, id: string | null): string | null {
  if (id !== null && !reader.has(id)) throw new Error(`entry ${id} is not in this session`);
  return id;
}

/** What a store answers about what it holds. */
export interface BatchLookup {
  /** From the parent of the batch's first entry up to its root. */
  readonly ancestors: () => Iterable<Entry>;
  readonly has: (id: string) => boolean;
}

/** Throws a sentence that names the entry where a batch may not be appended; a store asks it before it writes. */
export function validateBatch(batch: readonly Entry[], { ancestors, has }: BatchLookup): void {
  const batchIds = new Set<string>();
  for (const [index, entry] of batch.entries()) {
    const isEarlier = (id: string): boolean => batchIds.has(id) || has(id);
    const findEarlier = (id: string): Entry | undefined => findOnBranch(batch.slice(0, index), ancestors(), id);
    checkParent(entry, batch[index - 1], isEarlier);
    if (entry.type === "compaction") checkFirstKept(entry, findEarlier);
    if (entry.type === "context_edit") checkEdit(entry, findEarlier);
    if (entry.type === "label" && !isEarlier(entry.targetId)) throw missingEntryError(entry, "labels", entry.targetId);
    batchIds.add(entry.id);
  }
}

// TREE1, TREE2
function checkParent(entry: Entry, previous: Entry | undefined, isEarlier: (id: string) => boolean): void {
  if (entry.type === "gap") throw new Error(`entry ${entry.id} is a gap; gaps are found when reading, never written`);
  if (entry.id === "") throw new Error("an entry needs an id");
  if (isEarlier(entry.id)) throw new Error(`entry ${entry.id} is in this session already, with other content`);
  if (previous && entry.parentId !== previous.id)
    throw new Error(`entry ${entry.id} must follow ${previous.id}, the entry before it in its batch`);
  if (entry.parentId !== null && !isEarlier(entry.parentId)) throw missingEntryError(entry, "follows", entry.parentId);
}

// TREE6
function checkFirstKept(entry: CompactionEntry, findEarlier: (id: string) => Entry | undefined): void {
  if (entry.firstKeptEntryId === entry.id) return;
  const firstKept = findEarlier(entry.firstKeptEntryId);
  if (!firstKept)
    throw new Error(
      `compaction ${entry.id} keeps ${entry.firstKeptEntryId}, which is not before it on its branch; to keep nothing it names itself`,
    );
  if (isToolResult(firstKept))
    throw new Error(`compaction ${entry.id} would keep tool result ${firstKept.id} without its call`);
}

function checkEdit(entry: ContextEditEntry, findEarlier: (id: string) => Entry | undefined): void {
  const target = findEarlier(entry.targetId);
  if (!target)
    throw new Error(`context edit ${entry.id} changes ${entry.targetId}, which is not before it on its branch`);
  if (!isEditable(target))
    throw new Error(`context edit ${entry.id} changes ${target.id}, which has no content to edit`);
}

function findOnBranch(earlier: readonly Entry[], ancestors: Iterable<Entry>, id: string): Entry | undefined {
  const inBatch = earlier.find((entry) => entry.id === id);
  if (inBatch) return inBatch;
  for (const entry of ancestors) if (entry.id === id) return entry;
  return undefined;
}

function isToolResult(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

/** Whether an edit can change what it gives to the context (TREE7). */
export function isEditable(entry: Entry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message.role);
}

function missingEntryError(entry: Entry, verb: string, id: string): Error {
  return new Error(`entry ${entry.id} ${verb} ${id}, which is not in this session`);
}

export abstract class BaseStore implements Store {
  abstract readonly header: Header;
  abstract append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult>;
  /** The lines, once every question about them can be answered. */
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
}

/** What to do about a batch: write these texts, or nothing, because it is here already or its writer has not seen the leaf. */
export type AppendDecision = AppendResult | { readonly type: "write"; readonly texts: readonly string[] };

/** Throws for a batch that no caller may ask for. */
export function checkAppend(
  reader: EntryReader,
  batch: readonly Entry[],
  { expectedLeaf }: AppendGuard,
  limits: FormatLimits = formatLimits,
): AppendDecision {
  const texts = batch.map((entry) => serializeEntry(entry, limits));
  const { leaf } = reader;
  if (batch.every((entry, index) => isAlreadyStored(reader, entry, texts[index] ?? "")))
    return { type: "appended", leaf };
  if (expectedLeaf !== leaf) return { type: "leaf-moved", leaf };
  checkEntryNumbers(batch, reader.lastNumber);
  validateBatch(batch, { ancestors: () => reader.ancestry(batch[0]?.parentId ?? null), has: (id) => reader.has(id) });
  return { type: "write", texts };
}

// An entry that was read has a number also where its line has none.
function isAlreadyStored(reader: EntryReader, entry: Entry, text: string): boolean {
  const line = reader.has(entry.id) ? reader.text(entry.id) : undefined;
  if (line === undefined || line === text || entry.number === undefined) return line === text;
  return line === serializeEntry(withEntryNumber(entry, 0)) && reader.entry(entry.id)?.number === entry.number;
}

// NUM1
function checkEntryNumbers(batch: readonly Entry[], lastNumber: number): void {
  let last = lastNumber;
  for (const { id, number } of batch) {
    if (number === undefined) continue;
    if (number <= last) throw new Error(`entry ${id} has the number ${number}; ${last} is in use already`);
    last = number;
  }
}
