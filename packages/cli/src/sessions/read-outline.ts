/** Reads the outline of a session's tree in chunks, nearest to the current entry first, and yields to other work in between. */

import type { Entry } from "@pith/context";
import type { Store } from "@pith/context/store";
import { readBranch } from "./tree-lines.ts";
import { type OutlineEntry, type OutlineGroup, type OutlineUpdate, toOutlineEntry } from "./tree-outline.ts";

export interface ReadOutlineOptions {
  readonly store: Store;
  readonly leaf: string | null;
  readonly signal?: AbortSignal;
  readonly maxEntries?: number;
  /** The loaded end of the current branch. If it is given, the first update needs no read. */
  readonly knownEntries?: readonly Entry[];
  /** Entries may contain secrets if they were written before redaction was on, or by another program. */
  readonly redact?: <Value>(value: Value) => Value;
}

/** The first update is the end of the current branch. The next ones add the side branches, upwards to the root, then the other roots. */
export async function* readOutline(options: ReadOutlineOptions): AsyncGenerator<OutlineUpdate> {
  const { store, leaf, signal, knownEntries = [], redact = identity, maxEntries = MAX_ENTRIES } = options;
  const reader = new OutlineReader(options);
  let branch = findConnectedTail(knownEntries, leaf) ?? (await readBranch(leaf, store, FIRST_CHUNK_ENTRIES));
  let top = branch[0] ?? null;
  reader.addBranch(branch);
  yield reader.takeUpdate(top, "loading");
  const labels = new Map([...(await store.labels())].map(([id, label]) => [id, redact(label)]));
  yield { ...reader.takeUpdate(top, "loading"), labels };
  while (branch.length > 0) {
    for await (const _ of reader.readDescendants(branch.toReversed())) {
      if (signal?.aborted) return;
      if (reader.count > maxEntries) return yield reader.takeUpdate(top, "truncated");
      if (reader.hasFullUpdate) yield reader.takeUpdate(top, "loading");
    }
    branch = top === null ? [] : await readBranch(top.parentId, store, CHUNK_ENTRIES);
    reader.addBranch(branch);
    top = branch[0] ?? top;
  }
  yield* readOtherRoots(reader, top, maxEntries);
}

/** The last entries that form an unbroken chain to the leaf. Null if the last entry is not the leaf. */
function findConnectedTail(entries: readonly Entry[], leaf: string | null): readonly Entry[] | null {
  const last = entries.slice(-FIRST_CHUNK_ENTRIES);
  if (leaf === null || last.at(-1)?.id !== leaf) return null;
  const gap = last.findLastIndex((entry, index) => index > 0 && entry.parentId !== last[index - 1]?.id);
  return last.slice(Math.max(0, gap));
}

function identity<Value>(value: Value): Value {
  return value;
}

/** Reads all roots, and the entries below the roots that are not on the current branch. */
async function* readOtherRoots(
  reader: OutlineReader,
  top: Entry | null,
  maxEntries: number,
): AsyncGenerator<OutlineUpdate> {
  const roots = await reader.children(null);
  const others = roots.filter(({ id }) => id !== top?.id);
  for await (const _ of reader.readDescendants(others)) {
    if (reader.signal?.aborted) return;
    if (reader.count > maxEntries) return yield reader.takeUpdate(top, "truncated");
    if (reader.hasFullUpdate) yield reader.takeUpdate(top, "loading");
  }
  yield reader.takeUpdate(top, "complete");
}

/** Enough for the first screen, and fast to read. */
const FIRST_CHUNK_ENTRIES = 300;
/** Entries of the branch per read. A read blocks other work. */
const CHUNK_ENTRIES = 200;
/** The size of an update. */
const UPDATE_ENTRIES = 1_500;
const MAX_ENTRIES = 250_000;
/** How long to read without a break. The user does not notice a delay of this length. */
const SLICE_MS = 8;

/** Reads entries and collects them for the next update. */
class OutlineReader {
  readonly signal: AbortSignal | undefined;
  readonly #store: Store;
  readonly #redact: <Value>(value: Value) => Value;
  /** Entries of the branch are read twice: from below, and as children of their parent. */
  readonly #branchEntries = new Map<string, OutlineEntry>();
  #groups: OutlineGroup[] = [];
  #reportedCount = 0;
  /** When other work could last run. */
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

  takeUpdate(top: Entry | null, status: OutlineUpdate["status"]): OutlineUpdate {
    const groups = this.#groups;
    this.#groups = [];
    this.#reportedCount += this.#unreportedCount;
    this.#unreportedCount = 0;
    return { groups, top: top?.id ?? null, status };
  }

  /** Adds each entry of the branch as the only child of its parent for now. Siblings follow later. */
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

  /** Reads all entries below these, except those on the branch. Yields every few milliseconds and at the end. */
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
