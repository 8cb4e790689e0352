/** Decides whether a batch may be appended. A store looks up the facts that a batch needs in its own way; the decision reads nothing. */

import { type CompactionEntry, type ContextEditEntry, type Entry, isEditable } from "../entry.ts";
import { serializeEntry, withEntryNumber } from "../format/entry-line.ts";
import { type FormatLimits, formatLimits } from "../settings.ts";
import type { AppendGuard, AppendResult, EntryReader } from "./store.ts";

/** What a store has to look up before it can decide on a batch. Of an ordinary batch, only `ids`. */
export interface AppendLookups {
  /** The ids of the batch, which are stored only if the batch is appended again. */
  readonly ids: readonly string[];
  /** Entries that the batch refers to: the parent of its first entry, unless this is the expected leaf, and the targets of labels. */
  readonly references: readonly string[];
  /** Entries that must be on the branch of the batch: what a compaction keeps first, and what a context edit changes. */
  readonly branchReferences: readonly string[];
  /** The leaf of the branch of `branchReferences`. */
  readonly parentId: string | null;
}

/** Lists what a store has to look up for a batch. */
export function listAppendLookups(batch: readonly Entry[], { expectedLeaf }: AppendGuard): AppendLookups {
  const ids = batch.map(({ id }) => id);
  const isOutside = (id: string): boolean => !ids.includes(id);
  const parentId = batch[0]?.parentId ?? null;
  const references = batch.flatMap((entry) => (entry.type === "label" ? [entry.targetId] : []));
  if (parentId !== null && parentId !== expectedLeaf) references.push(parentId);
  const branchReferences = batch.flatMap((entry) => {
    if (entry.type === "compaction") return [entry.firstKeptEntryId];
    return entry.type === "context_edit" ? [entry.targetId] : [];
  });
  return {
    ids,
    references: references.filter(isOutside),
    branchReferences: branchReferences.filter(isOutside),
    parentId,
  };
}

/** The facts that decide on a batch. */
export interface AppendFacts {
  readonly leaf: string | null;
  /** The highest number in use. */
  readonly lastNumber: number;
  /** The stored entries among `ids`. */
  readonly stored: ReadonlyMap<string, StoredEntry>;
  /** The ids among `references` that exist. */
  readonly existing: ReadonlySet<string>;
  /** The entries among `branchReferences` that are on the branch. */
  readonly onBranch: ReadonlyMap<string, Entry>;
}

/** An entry that has the id of an entry of the batch. */
export interface StoredEntry {
  /** The line as written; undefined if it is damaged. */
  readonly line: string | undefined;
  readonly number: number | undefined;
}

/** Looks up the facts in a store that can be read synchronously. */
export function readAppendFacts(reader: EntryReader, lookups: AppendLookups): AppendFacts {
  const { ids, references, branchReferences, parentId } = lookups;
  const stored = new Map<string, StoredEntry>();
  for (const id of ids) if (reader.has(id)) stored.set(id, { line: reader.text(id), number: reader.entry(id)?.number });
  return {
    leaf: reader.leaf,
    lastNumber: reader.lastNumber,
    stored,
    existing: new Set(references.filter((id) => reader.has(id))),
    onBranch: findOnBranch(reader, branchReferences, parentId),
  };
}

function findOnBranch(
  reader: EntryReader,
  wantedIds: readonly string[],
  parentId: string | null,
): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  const missing = new Set(wantedIds);
  if (missing.size === 0 || parentId === null || !reader.has(parentId)) return found;
  for (const entry of reader.ancestry(parentId)) {
    if (missing.delete(entry.id)) found.set(entry.id, entry);
    if (missing.size === 0) break;
  }
  return found;
}

/** What to do with a batch: write these lines, or return this result. */
export type AppendDecision = AppendResult | { readonly type: "write"; readonly texts: readonly string[] };

/** Decides whether a batch is written. Throws an error that names the entry if the batch is invalid. */
export function decideAppend(
  batch: readonly Entry[],
  { expectedLeaf }: AppendGuard,
  facts: AppendFacts,
  limits: FormatLimits = formatLimits,
): AppendDecision {
  const texts = batch.map((entry) => serializeEntry(entry, limits));
  const { leaf } = facts;
  if (batch.every((entry, index) => isAlreadyStored(facts.stored.get(entry.id), entry, texts[index] ?? "")))
    return { type: "appended", leaf };
  if (expectedLeaf !== leaf) return { type: "leaf-moved", leaf };
  checkEntryNumbers(batch, facts.lastNumber);
  checkReferences(batch, facts);
  return { type: "write", texts };
}

// An entry that was read from a line without a number has a number in memory.
function isAlreadyStored(stored: StoredEntry | undefined, entry: Entry, text: string): boolean {
  const line = stored?.line;
  if (line === undefined || line === text || entry.number === undefined) return line === text;
  return line === serializeEntry(withEntryNumber(entry, 0)) && stored?.number === entry.number;
}

// NUM1
function checkEntryNumbers(batch: readonly Entry[], lastNumber: number): void {
  let last = lastNumber;
  for (const { id, number } of batch) {
    if (number === undefined) continue;
    if (number <= last) throw new Error(`entry ${id} has number ${number}, but ${last} is already in use`);
    last = number;
  }
}

function checkReferences(batch: readonly Entry[], facts: AppendFacts): void {
  const { leaf, stored, existing, onBranch } = facts;
  const batchEntries = new Map<string, Entry>();
  const exists = (id: string): boolean => batchEntries.has(id) || id === leaf || stored.has(id) || existing.has(id);
  const findEarlier = (id: string): Entry | undefined => batchEntries.get(id) ?? onBranch.get(id);
  for (const [index, entry] of batch.entries()) {
    checkPosition(entry, batch[index - 1], exists);
    if (entry.type === "compaction") checkFirstKept(entry, findEarlier);
    if (entry.type === "context_edit") checkEdit(entry, findEarlier);
    if (entry.type === "label" && !exists(entry.targetId)) throw missingEntryError(entry, "labels", entry.targetId);
    batchEntries.set(entry.id, entry);
  }
}

// TREE1, TREE2
function checkPosition(entry: Entry, previous: Entry | undefined, exists: (id: string) => boolean): void {
  if (entry.type === "gap") throw new Error(`entry ${entry.id} is a gap; gaps cannot be appended`);
  if (entry.id === "") throw new Error("an entry needs an id");
  if (exists(entry.id)) throw new Error(`entry ${entry.id} is already in this session, with other content`);
  if (previous && entry.parentId !== previous.id)
    throw new Error(`entry ${entry.id} must follow ${previous.id}, the entry before it in its batch`);
  if (entry.parentId !== null && !exists(entry.parentId)) throw missingEntryError(entry, "follows", entry.parentId);
}

// TREE6
function checkFirstKept(entry: CompactionEntry, findEarlier: (id: string) => Entry | undefined): void {
  if (entry.firstKeptEntryId === entry.id) return;
  const firstKept = findEarlier(entry.firstKeptEntryId);
  if (!firstKept)
    throw new Error(
      `compaction ${entry.id} keeps ${entry.firstKeptEntryId}, which is not before it on its branch; to keep nothing, use its own id`,
    );
  if (isToolResult(firstKept))
    throw new Error(`compaction ${entry.id} keeps tool result ${firstKept.id} without its tool call`);
}

function checkEdit(entry: ContextEditEntry, findEarlier: (id: string) => Entry | undefined): void {
  const target = findEarlier(entry.targetId);
  if (!target)
    throw new Error(`context edit ${entry.id} changes ${entry.targetId}, which is not before it on its branch`);
  if (!isEditable(target))
    throw new Error(`context edit ${entry.id} changes ${target.id}, which has no content to edit`);
}

export function isToolResult(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

function missingEntryError(entry: Entry, verb: string, id: string): Error {
  return new Error(`entry ${entry.id} ${verb} ${id}, which is not in this session`);
}
