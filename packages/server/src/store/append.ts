/** Appends a batch to a session in PostgreSQL. An ordinary batch at the leaf takes one round trip. */

import type { AppendResult, Entry } from "@pith/context";
import { sumUsage, usageOfEntry } from "@pith/context/host";
import {
  type AppendFacts,
  type AppendGuard,
  type AppendLookups,
  decideAppend,
  listAppendLookups,
  resolveEntryNumber,
  type StoredEntry,
  serializeEntry,
  stateInCompaction,
} from "@pith/context/store";
import { DatabaseError } from "pg";
import type { Database } from "./connect.ts";
import { fromStoredText, toEntry, toStoredText } from "./entry-rows.ts";

/** The end of a session. */
export interface SessionPosition {
  readonly leaf: string | null;
  /** The highest number in use, here or in the session that this one was copied from. */
  readonly lastNumber: number;
}

/** A session that a writer has opened. */
export interface WriterSession {
  readonly tenant: string;
  readonly key: string;
  /** The fencing token: a writer that opens the session later has a higher one. */
  readonly token: string;
}

interface BatchWithGuard {
  readonly batch: readonly Entry[];
  readonly guard: AppendGuard;
}

/** The result of an append, and the end of the session after it. Null: it must be read. */
export interface AppendBatchResult {
  readonly result: AppendResult;
  readonly position: SessionPosition | null;
}

/** Appends a batch. Throws `UnavailableError` if PostgreSQL cannot be reached, and an error that names the entry if the batch is invalid. */
export async function appendBatch(
  database: Database,
  session: WriterSession,
  input: BatchWithGuard,
): Promise<AppendBatchResult> {
  checkIdLengths(input.batch);
  const lookups = listAppendLookups(input.batch, input.guard);
  if (isOrdinary(input, lookups)) {
    const outcome = await writeOrdinaryBatch(database, session, input);
    if (outcome) return outcome;
  }
  for (let attempt = 1; ; attempt++) {
    const outcome = await decideAndWrite(database, session, { ...input, lookups });
    // The leaf has moved between the two statements; the next attempt says so.
    if (outcome || attempt === MAX_ATTEMPTS) return outcome ?? { result: LEASE_LOST, position: null };
  }
}

function checkIdLengths(batch: readonly Entry[]): void {
  const long = batch.find(({ id }) => Buffer.byteLength(toStoredText(id)) > MAX_ID_BYTES);
  if (long) throw new Error(`entry ${long.id.slice(0, 40)}… has an id of more than ${MAX_ID_BYTES} bytes`);
}

/** A longer one does not fit into an index. */
const MAX_ID_BYTES = 1000;
const MAX_ATTEMPTS = 3;
const LEASE_LOST: AppendResult = { type: "refused", why: "lease-lost", leaf: null };

/** Whether the batch can be decided without reading anything: numbered entries at the leaf that refer to no other entry. */
function isOrdinary(
  { batch, guard }: BatchWithGuard,
  { references, branchReferences, parentId }: AppendLookups,
): boolean {
  return (
    batch.length > 0 &&
    parentId === guard.expectedLeaf &&
    references.length + branchReferences.length === 0 &&
    batch.every(({ type, number }) => type !== "compaction" && number !== undefined)
  );
}

/** Returns null if the session is not as expected. */
async function writeOrdinaryBatch(
  database: Database,
  session: WriterSession,
  { batch, guard }: BatchWithGuard,
): Promise<AppendBatchResult | null> {
  const decision = decideAppend(batch, guard, {
    leaf: guard.expectedLeaf,
    lastNumber: 0,
    stored: new Map(),
    existing: new Set(),
    onBranch: new Map(),
  });
  if (decision.type !== "write") return null;
  const numbers = batch.map(({ number }) => number ?? null);
  return writeRows(database, session, {
    batch,
    guard,
    texts: decision.texts,
    numbers,
    parent: null,
    contextStarts: null,
  });
}

interface BatchRows extends BatchWithGuard {
  readonly texts: readonly string[];
  readonly numbers: readonly (number | null)[];
  /** The segment, position and context_start of a parent that is not the leaf; nulls for no parent. Null: the parent is the leaf. */
  readonly parent: readonly (number | null)[] | null;
  /** Where the context of each entry begins; see the function `pith.append`. */
  readonly contextStarts: readonly number[] | null;
}

/** Returns null if the session is not as expected, or an id is used. */
async function writeRows(
  database: Database,
  { tenant, key, token }: WriterSession,
  { batch, guard, texts, numbers, parent, contextStarts }: BatchRows,
): Promise<AppendBatchResult | null> {
  const rows = batch.map(({ id, type }, index) => ({
    ...{ id: toStoredText(id), type, number: numbers[index] ?? null },
    ...{ context_start: contextStarts?.[index] ?? null, body: texts[index] ?? "" },
  }));
  const [first, ...more] = rows;
  const last = rows.at(-1);
  const { expectedLeaf } = guard;
  const used = sumUsage(batch.flatMap((entry) => usageOfEntry(entry)?.usage ?? []));
  const lastNumber = await database
    .call<number>(used.totalTokens > 0 ? "append_and_count" : "append", [
      ...[tenant, key, token, expectedLeaf === null ? null : toStoredText(expectedLeaf), parent],
      ...[first?.id, first?.type, first?.number, first?.context_start, first?.body],
      more.length > 0 ? JSON.stringify(more) : null,
      ...[last?.id, numbers.findLast((number) => number !== null) ?? null, last?.context_start],
      ...(used.totalTokens > 0 ? [used.totalTokens, used.cost.total] : []),
    ])
    .catch((error: unknown) => {
      if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return NOT_AS_EXPECTED;
      throw error;
    });
  if (lastNumber === NOT_AS_EXPECTED) return null;
  const position = { leaf: batch.at(-1)?.id ?? null, lastNumber };
  return { result: { type: "appended", leaf: position.leaf }, position };
}

const UNIQUE_VIOLATION = "23505";
/** What the function returns if the token, the leaf or the last number is another one. */
const NOT_AS_EXPECTED = -1;

/** Looks up what the batch needs, decides and writes. Returns null if the leaf moves in between. */
async function decideAndWrite(
  database: Database,
  session: WriterSession,
  { batch, guard, lookups }: BatchWithGuard & { readonly lookups: AppendLookups },
): Promise<AppendBatchResult | null> {
  const read = await readFacts(database, session, lookups);
  if (read === null) return { result: LEASE_LOST, position: null };
  const { facts, rows } = read;
  // Another writer has taken over. The batch is written nevertheless if only its answer was lost.
  if (read.token !== session.token && !isStored(batch, facts)) return { result: LEASE_LOST, position: null };
  const decision = decideAppend(batch, guard, facts);
  const position = { leaf: facts.leaf, lastNumber: facts.lastNumber };
  if (decision.type !== "write") return { result: decision, position };
  const { parentId } = lookups;
  const parent = parentId === null ? null : (rows.get(parentId) ?? null);
  return writeRows(database, session, {
    batch,
    guard,
    texts: decision.texts,
    numbers: resolveNumbers(batch, facts.lastNumber),
    parent:
      parentId === guard.expectedLeaf
        ? null
        : [parent?.segment ?? null, parent?.seq ?? null, parent?.context_start ?? null],
    contextStarts: batch.some(({ type }) => type === "compaction") ? findContextStarts(batch, parent, rows) : null,
  });
}

interface FactsRow {
  readonly token: string;
  readonly leaf: string | null;
  readonly last_number: number;
  /** Null if the session has none of the entries. */
  readonly id: string | null;
  readonly seq: number;
  readonly segment: number;
  readonly context_start: number;
  readonly number: number | null;
  readonly type: string;
  readonly body: string;
  readonly is_on_branch: boolean;
}

interface ReadFactsResult {
  readonly token: string;
  readonly facts: AppendFacts;
  readonly rows: ReadonlyMap<string, FactsRow>;
}

/** Returns null if the session was erased. */
async function readFacts(
  database: Database,
  { tenant, key }: WriterSession,
  { ids, references, branchReferences, parentId }: AppendLookups,
): Promise<ReadFactsResult | null> {
  const wantedIds = new Set([...ids, ...references, ...branchReferences, ...(parentId === null ? [] : [parentId])]);
  const found = await database.readRows<FactsRow>("append_facts", [
    tenant,
    key,
    Array.from(wantedIds, toStoredText),
    parentId === null ? null : toStoredText(parentId),
  ]);
  const [first] = found;
  if (!first) return null;
  const rows = new Map(found.flatMap((row) => (row.id === null ? [] : [[fromStoredText(row.id), row] as const])));
  const stored = new Map<string, StoredEntry>();
  const onBranch = new Map<string, Entry>();
  for (const [id, row] of rows) {
    if (ids.includes(id))
      stored.set(id, { line: row.type === "gap" ? undefined : row.body, number: row.number ?? undefined });
    if (branchReferences.includes(id) && row.is_on_branch) onBranch.set(id, toEntry(row));
  }
  return {
    token: first.token,
    facts: {
      leaf: first.leaf === null ? null : fromStoredText(first.leaf),
      lastNumber: first.last_number,
      stored,
      existing: new Set(references.filter((id) => rows.has(id))),
      onBranch,
    },
    rows,
  };
}

function isStored(batch: readonly Entry[], facts: AppendFacts): boolean {
  return batch.every((entry) => facts.stored.get(entry.id)?.line === serializeEntry(entry));
}

function resolveNumbers(batch: readonly Entry[], lastNumber: number): readonly (number | null)[] {
  let previous = lastNumber;
  return batch.map(({ number: stored }) => {
    const number = resolveEntryNumber(stored, { previous, reserved: 0 });
    if (number > 0) previous = number;
    return number > 0 ? number : null;
  });
}

/** The position of an entry that is not stored yet: `-n` is the n-th of the batch. */
function inBatch(index: number): number {
  return -1 - index;
}

/** Where the context of each entry begins. A compaction that holds the state moves the beginning to the first entry that it keeps. */
function findContextStarts(
  batch: readonly Entry[],
  parent: FactsRow | null,
  rows: ReadonlyMap<string, FactsRow>,
): readonly number[] {
  let start = parent?.context_start ?? inBatch(0);
  return batch.map((entry, index) => {
    if (entry.type !== "compaction") return start;
    const keptIndex = batch.findIndex(({ id }) => id === entry.firstKeptEntryId);
    const firstKept = keptIndex === -1 ? (rows.get(entry.firstKeptEntryId)?.seq ?? inBatch(index)) : inBatch(keptIndex);
    start = stateInCompaction(entry) === null ? findEarlier(start, firstKept) : firstKept;
    return start;
  });
}

function findEarlier(one: number, other: number): number {
  if (one >= 0 && other >= 0) return Math.min(one, other);
  // A stored entry is before those of the batch; of two in the batch, the one with the smaller index is the greater number.
  return Math.max(one, other);
}
