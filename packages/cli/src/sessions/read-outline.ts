/** Reads a session's tree in pieces, nearest to the current entry first, and lets other work run in between. */

import type { Entry } from "@pith/context";
import type { Store } from "@pith/context/store";
import { readBranch } from "./tree-lines.ts";
import { type OutlineEntry, type OutlineGroup, type OutlineUpdate, toOutlineEntry } from "./tree-outline.ts";

export interface ReadOutlineOptions {
  readonly store: Store;
  readonly leaf: string | null;
  readonly signal?: AbortSignal;
  /** Entries that are read at most. */
  readonly maxEntries?: number;
  /** The end of the way, as far as it is known already: then the first piece needs no reading. */
  readonly knownEntries?: readonly Entry[];
  /** An entry may come from before redaction, or from another program. */
  readonly redact?: <Value>(value: Value) => Value;
}

/** The first piece is the end of the way; then all that leaves it, upwards to the roots and what hangs on them. */
export async function* readOutline(options: ReadOutlineOptions): AsyncGenerator<OutlineUpdate> {
  const { store, leaf, signal, knownEntries = [], redact = identity, maxEntries = MAX_ENTRIES } = options;
  const reader = new OutlineReader(options);
  let branch = findConnectedTail(knownEntries, leaf) ?? (await readBranch(leaf, store, FIRST_CHUNK_ENTRIES));
  let top = branch[0] ?? null;
  reader.addBranch(branch);
  yield reader.takeUpdate(top, "growing");
  const labels = new Map([...(await store.labels())].map(([id, label]) => [id, redact(label)]));
  yield { ...reader.takeUpdate(top, "growing"), labels };
  while (branch.length > 0) {
    for await (const _ of reader.readDescendants(branch.toReversed())) {
      if (signal?.aborted) return;
      if (reader.count > maxEntries) return yield reader.takeUpdate(top, "cut");
      if (reader.hasFullUpdate) yield reader.takeUpdate(top, "growing");
    }
    branch = top === null ? [] : await readBranch(top.parentId, store, CHUNK_ENTRIES);
    reader.addBranch(branch);
    top = branch[0] ?? top;
  }
  yield* readOtherRoots(reader, top, maxEntries);
}

/** The last of them, as far as each follows the one before it; null where they do not lead to the leaf. */
function findConnectedTail(entries: readonly Entry[], leaf: string | null): readonly Entry[] | null {
  const last = entries.slice(-FIRST_CHUNK_ENTRIES);
  if (leaf === null || last.at(-1)?.id !== leaf) return null;
  const gap = last.findLastIndex((entry, index) => index > 0 && entry.parentId !== last[index - 1]?.id);
  return last.slice(Math.max(0, gap));
}

function identity<Value>(value: Value): Value {
  return value;
}

/** Roots, and what hangs on those that the way does not begin with. */
async function* readOtherRoots(
  reader: OutlineReader,
  top: Entry | null,
  maxEntries: number,
): AsyncGenerator<OutlineUpdate> {
  const roots = await reader.children(null);
  const others = roots.filter(({ id }) => id !== top?.id);
  for await (const _ of reader.readDescendants(others)) {
    if (reader.signal?.aborted) return;
    if (reader.count > maxEntries) return yield reader.takeUpdate(top, "cut");
    if (reader.hasFullUpdate) yield reader.takeUpdate(top, "growing");
  }
  yield reader.takeUpdate(top, "whole");
}

/** Enough for a first look, and read in a moment. */
const FIRST_CHUNK_ENTRIES = 300;
/** Of the way: whoever reads it does nothing else meanwhile. */
const CHUNK_ENTRIES = 200;
/** Entries that are told at once. */
const UPDATE_ENTRIES = 1_500;
const MAX_ENTRIES = 250_000;
/** In milliseconds: nobody notices that nothing else was done for so long. */
const SLICE_MS = 8;

/** What was read and not told yet. */
class OutlineReader {
  readonly signal: AbortSignal | undefined;
  readonly #store: Store;
  readonly #redact: <Value>(value: Value) => Value;
  /** What is on it is met twice: from below, and among the children of its parent. */
  readonly #branchEntries = new Map<string, OutlineEntry>();
  #groups: OutlineGroup[] = [];
  #reportedCount = 0;
  /** Others had their turn then; what is read in between counts, too. */
  #sliceStart = performance.now();
  #unreportedCount = 0;

  constructor({ store, signal, redact = identity }: ReadOutlineOptions) {
    this.#store = store;
    this.#redact = redact;
    this.signal = signal;
  }

  get count(): number {
    return this.#reportedCount + this.#unreportedCount;
  }

  get hasFullUpdate(): boolean {
    return this.#unreportedCount > UPDATE_ENTRIES;
  }

  takeUpdate(top: Entry | null, reach: OutlineUpdate["reach"]): OutlineUpdate {
    const groups = this.#groups;
    this.#groups = [];
    this.#reportedCount += this.#unreportedCount;
    this.#unreportedCount = 0;
    return { groups, top: top?.id ?? null, reach };
  }

  /** Each with the one that follows on the way; what else follows is found later. */
  addBranch(branch: readonly Entry[]): void {
    for (const entry of branch) {
      this.#branchEntries.set(entry.id, this.#toOutlineEntry(entry));
      this.#addGroup(entry.parentId, [entry]);
    }
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    const children = await this.#store.children(id);
    this.#unreportedCount += children.length;
    if (children.length > 0) this.#addGroup(id, children);
    return children;
  }

  /** All below these but what follows on the way; comes back every few milliseconds, and at the end. */
  async *readDescendants(tops: readonly Entry[]): AsyncGenerator<undefined> {
    const stack = tops.toReversed();
    for (let entry = stack.pop(); entry; entry = stack.pop()) {
      const children = await this.children(entry.id);
      for (const child of children.toReversed()) if (!this.#branchEntries.has(child.id)) stack.push(child);
      if (performance.now() - this.#sliceStart < SLICE_MS && !this.hasFullUpdate) continue;
      await new Promise((resolve) => setImmediate(resolve));
      this.#sliceStart = performance.now();
      yield undefined;
    }
    yield undefined;
  }

  #addGroup(parentId: string | null, children: readonly Entry[]): void {
    const outlineEntries = children.map((entry) => this.#branchEntries.get(entry.id) ?? this.#toOutlineEntry(entry));
    this.#groups.push({ parentId, children: outlineEntries });
  }

  #toOutlineEntry(entry: Entry): OutlineEntry {
    return toOutlineEntry(entry, this.#redact);
  }
}
