/** Defines the store port (the only access to a session's log), the base class of stores and the rules of an append. */

import type { BranchSummaryEntry, CompactionEntry, ContextEditEntry, Entry, Header } from "../entry.ts";
import { entryText } from "../format/entry-line.ts";
import { withNumber } from "../format/entry-number.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import type { Window } from "./loaded-branch.ts";

/** The store port: the only access to a session's log. */
export interface Store {
  readonly header: Header;
  /** The last entry written; a new session has none. */
  leaf(): Promise<string | null>;
  /** All that the context at this leaf needs. */
  window(leaf: string | null): Promise<Window>;
  entry(id: string): Promise<Entry | undefined>;
  entryByNumber(number: number): Promise<Entry | undefined>;
  /** The highest number in use, here or where this session was copied from; what is appended next gets the one behind it. */
  lastNumber(): Promise<number>;
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

/** The reading side of a store: answers at once, from memory or from a file. */
export interface Lines {
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
  window(leaf: string | null): Window;
  commonAncestor(one: string | null, other: string | null): string | null;
  /** Of leaves that were left; in file order. */
  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[];
  labels(): ReadonlyMap<string, string>;
  name(): string | undefined;
}

/** The same id, if it is here. */
export function known(lines: Pick<Lines, "has">, id: string | null): string | null {
  if (id !== null && !lines.has(id)) throw new Error(`entry ${id} is not in this session`);
  return id;
}

/** What a store answers about what it holds. */
export interface Holdings {
  /** From the parent of the batch's first entry up to its root. */
  readonly above: () => Iterable<Entry>;
  readonly has: (id: string) => boolean;
}

/** Throws a sentence that names the entry where a batch may not be appended; a store asks it before it writes. */
export function checkBatch(batch: readonly Entry[], { above, has }: Holdings): void {
  const own = new Set<string>();
  for (const [at, entry] of batch.entries()) {
    const before = (id: string): boolean => own.has(id) || has(id);
    const onBranch = (id: string): Entry | undefined => onBranchOf(batch.slice(0, at), above(), id);
    checkPlace(entry, batch[at - 1], before);
    if (entry.type === "compaction") checkFirstKept(entry, onBranch);
    if (entry.type === "context_edit") checkEdit(entry, onBranch);
    if (entry.type === "label" && !before(entry.targetId)) throw absent(entry, "labels", entry.targetId);
    own.add(entry.id);
  }
}

// TREE1, TREE2
function checkPlace(entry: Entry, previous: Entry | undefined, before: (id: string) => boolean): void {
  if (entry.type === "gap") throw new Error(`entry ${entry.id} is a gap; gaps are found when reading, never written`);
  if (entry.id === "") throw new Error("an entry needs an id");
  if (before(entry.id)) throw new Error(`entry ${entry.id} is in this session already, with other content`);
  if (previous && entry.parentId !== previous.id)
    throw new Error(`entry ${entry.id} must follow ${previous.id}, the entry before it in its batch`);
  if (entry.parentId !== null && !before(entry.parentId)) throw absent(entry, "follows", entry.parentId);
}

// TREE6
function checkFirstKept(entry: CompactionEntry, onBranch: (id: string) => Entry | undefined): void {
  if (entry.firstKeptEntryId === entry.id) return;
  const kept = onBranch(entry.firstKeptEntryId);
  if (!kept)
    throw new Error(
      `compaction ${entry.id} keeps ${entry.firstKeptEntryId}, which is not before it on its branch; to keep nothing it names itself`,
    );
  if (isToolResult(kept)) throw new Error(`compaction ${entry.id} would keep tool result ${kept.id} without its call`);
}

function checkEdit(entry: ContextEditEntry, onBranch: (id: string) => Entry | undefined): void {
  const target = onBranch(entry.targetId);
  if (!target)
    throw new Error(`context edit ${entry.id} changes ${entry.targetId}, which is not before it on its branch`);
  if (!isEditable(target))
    throw new Error(`context edit ${entry.id} changes ${target.id}, which has no content to edit`);
}

function onBranchOf(earlier: readonly Entry[], above: Iterable<Entry>, id: string): Entry | undefined {
  const own = earlier.find((entry) => entry.id === id);
  if (own) return own;
  for (const entry of above) if (entry.id === id) return entry;
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

function absent(entry: Entry, verb: string, id: string): Error {
  return new Error(`entry ${entry.id} ${verb} ${id}, which is not in this session`);
}

export abstract class LineStore implements Store {
  abstract readonly header: Header;
  abstract append(batch: readonly Entry[], fence: Fence): Promise<Appended>;
  /** The lines, once every question about them can be answered. */
  protected abstract lines(): Promise<Lines>;

  async leaf(): Promise<string | null> {
    return (await this.lines()).leaf;
  }

  async window(leaf: string | null): Promise<Window> {
    return (await this.lines()).window(leaf);
  }

  async entry(id: string): Promise<Entry | undefined> {
    return (await this.lines()).entry(id);
  }

  async entryByNumber(number: number): Promise<Entry | undefined> {
    return (await this.lines()).entryByNumber(number);
  }

  async lastNumber(): Promise<number> {
    return (await this.lines()).lastNumber;
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    return (await this.lines()).children(id);
  }

  async branch(leaf: string | null): Promise<readonly Entry[]> {
    return [...(await this.lines()).ancestry(leaf)].reverse();
  }

  async commonAncestor(one: string | null, other: string | null): Promise<string | null> {
    return (await this.lines()).commonAncestor(one, other);
  }

  async branchSummaries(fromIds: ReadonlySet<string>): Promise<readonly BranchSummaryEntry[]> {
    return (await this.lines()).branchSummaries(fromIds);
  }

  async labels(): Promise<ReadonlyMap<string, string>> {
    return (await this.lines()).labels();
  }

  async name(): Promise<string | undefined> {
    return (await this.lines()).name();
  }

  async line(id: string): Promise<string | undefined> {
    return (await this.lines()).text(id);
  }
}

/** What to do about a batch: write these texts, or nothing, because it is here already or its writer has not seen the leaf. */
export type Verdict = Appended | { readonly type: "to-write"; readonly texts: readonly string[] };

/** Throws for a batch that no caller may ask for. */
export function verdict(
  lines: Lines,
  batch: readonly Entry[],
  { expectedLeaf }: Fence,
  limits: FormatLimits = formatLimits,
): Verdict {
  const texts = batch.map((entry) => entryText(entry, limits));
  const { leaf } = lines;
  if (batch.every((entry, at) => isHere(lines, entry, texts[at] ?? ""))) return { type: "appended", leaf };
  if (expectedLeaf !== leaf) return { type: "leaf-moved", leaf };
  checkNumbers(batch, lines.lastNumber);
  checkBatch(batch, { above: () => lines.ancestry(batch[0]?.parentId ?? null), has: (id) => lines.has(id) });
  return { type: "to-write", texts };
}

// An entry that was read has a number also where its line has none.
function isHere(lines: Lines, entry: Entry, text: string): boolean {
  const line = lines.has(entry.id) ? lines.text(entry.id) : undefined;
  if (line === undefined || line === text || entry.number === undefined) return line === text;
  return line === entryText(withNumber(entry, 0)) && lines.entry(entry.id)?.number === entry.number;
}

// NUM1
function checkNumbers(batch: readonly Entry[], lastNumber: number): void {
  let last = lastNumber;
  for (const { id, number } of batch) {
    if (number === undefined) continue;
    if (number <= last) throw new Error(`entry ${id} has the number ${number}; ${last} is in use already`);
    last = number;
  }
}
