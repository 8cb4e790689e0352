/** Implements the session: appends redacted entries, moves the leaf, forks and notifies watchers. It builds no context. */

import { type Entry, type EntryContent, MOVE_TYPE } from "../entry.ts";
import { isEntryNumber } from "../format/entry-line.ts";
import type { Model, ModelEvent, StreamOptions } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { type ForkOptions, forkBranch } from "./fork.ts";
import { appendToBranch, branchLeaf, type LoadedBranch, needsReload } from "./loaded-branch.ts";
import { addStateToCompactions } from "./state.ts";
import { type AppendGuard, type AppendResult, explainFailedAppend, type Store } from "./store.ts";
import { streamAndAppendReply } from "./stream-and-append-reply.ts";

/** Removes secrets from everything that is written to the log. Entries already in the log are not changed. */
export interface Redaction {
  /**
   * Returns the value, or a copy with a placeholder for each secret. The value is a string, an array or an object. Redacting twice
   * changes nothing.
   */
  redact<Value>(value: Value): Value;
}

/** A redaction that changes nothing. */
export const noRedaction: Redaction = { redact: (value) => value };

/** An entry to append. It may have an id, so that another entry of its batch can refer to it; the session sets the position. */
export type NewEntry = EntryContent & {
  readonly id?: string;
  readonly parentId?: never;
  readonly timestamp?: never;
  readonly number?: never;
};

/** Options for a move. */
export interface MoveOptions {
  /** Data for the entry that records the move. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The move is refused unless the leaf is this one. */
  readonly expectedLeaf?: string | null;
  /** Entries to append at the target. They record the move, so no other entry is written. */
  readonly newEntries?: readonly NewEntry[];
}

/** A long operation at the leaf. */
export type BusyReason = "streaming" | "compacting" | "moving";

/** Options for a session. */
export interface SessionOptions {
  /** Applied to everything that is written; nothing is redacted by default. */
  readonly redaction?: Redaction | undefined;
}

/** A session open for writing: appends entries at the leaf, moves the leaf and keeps the branch at the leaf loaded. */
export class Session {
  readonly store: Store;
  readonly #runtime: Runtime;
  readonly #redaction: Redaction;
  #branch: LoadedBranch;
  /** The last queued operation; the next one waits for it. */
  #queue: Promise<unknown> = Promise.resolve();
  readonly #busyReasons = new Set<{ readonly reason: BusyReason }>();
  readonly #watchers = new Set<(entries: readonly Entry[]) => void>();

  /** Opens a session at the leaf of its store. */
  static async open(
    store: Store,
    runtime: Runtime,
    { redaction = noRedaction }: SessionOptions = {},
  ): Promise<Session> {
    return new Session(store, runtime, redaction, await store.loadBranch(await store.leaf()));
  }

  private constructor(store: Store, runtime: Runtime, redaction: Redaction, branch: LoadedBranch) {
    this.store = store;
    this.#runtime = runtime;
    this.#redaction = redaction;
    this.#branch = branch;
  }

  /** The loaded branch at the leaf: the entries that the context needs. */
  get branch(): LoadedBranch {
    return this.#branch;
  }

  /** The id of the current entry; null before the first entry. */
  get leaf(): string | null {
    return branchLeaf(this.#branch);
  }

  /** The clock, ids and timers that the session was opened with. */
  get runtime(): Runtime {
    return this.#runtime;
  }

  /** Returns the value as it would be written, without secrets. */
  redact<Value>(value: Value): Value {
    return this.#redaction.redact(value);
  }

  /** The operations that run at the leaf. The session refuses nothing because of them; callers check before they start an operation. */
  get busyReasons(): readonly BusyReason[] {
    return Array.from(this.#busyReasons, ({ reason }) => reason);
  }

  /** Marks the start of an operation at the leaf. Call the returned function when it ends. */
  markBusy(reason: BusyReason): () => void {
    const busy = { reason };
    this.#busyReasons.add(busy);
    return () => void this.#busyReasons.delete(busy);
  }

  /** Calls the watcher with each batch of entries after it is written. Call the returned function to stop. */
  watch(watcher: (entries: readonly Entry[]) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Appends a user message and returns the id of its entry. Throws if it cannot be written. */
  async addUserMessage(text: string): Promise<string> {
    const message = { role: "user", content: text, timestamp: this.#runtime.now() } as const;
    const { leaf } = requireAppended(await this.append({ type: "message", message }));
    return leaf ?? "";
  }

  /**
   * Sends the context at the leaf to a model, yields its events and appends the reply when it ends. If the reply fails or is
   * aborted, the part that arrived is appended. Throws only if the reply cannot be written.
   */
  async *stream(model: Model, options: StreamOptions = {}): AsyncGenerator<ModelEvent, void> {
    const release = this.markBusy("streaming");
    const append = async (entry: EntryContent): Promise<void> =>
      void requireAppended(await this.appendReplaceable(entry));
    try {
      yield* streamAndAppendReply(model, { ...options, branch: this.#branch, sleep: this.#runtime.sleep, append });
    } finally {
      release();
    }
  }

  /** Closes the store, if it holds a file open. */
  async close(): Promise<void> {
    await this.#enqueue(async () => this.store.close?.());
  }

  /** Appends entries at the leaf, all or none. The last one becomes the leaf. */
  append(...newEntries: readonly NewEntry[]): Promise<AppendResult> {
    return this.#enqueue(() => this.#append(newEntries));
  }

  /** Appends entries that could be produced again, such as a reply, without waiting for the disk. A power cut may lose the last second. */
  appendReplaceable(...newEntries: readonly NewEntry[]): Promise<AppendResult> {
    return this.#enqueue(() => this.#append(newEntries, { isReplaceable: true }));
  }

  /** Appends entries only if `leaf` is still the leaf and the signal is not aborted. */
  appendAtLeaf(
    leaf: string | null,
    newEntries: readonly NewEntry[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<AppendResult | { readonly type: "aborted" }> {
    return this.#enqueue(async () => {
      if (signal?.aborted) return { type: "aborted" };
      return this.leaf === leaf ? this.#append(newEntries) : { type: "leaf-moved", leaf: this.leaf };
    });
  }

  /** Moves the leaf to another entry; null moves before the first entry. The next append starts a new branch there. */
  move(target: string | null, { data, expectedLeaf, newEntries = [] }: MoveOptions = {}): Promise<AppendResult> {
    return this.#enqueue(async () => {
      if (expectedLeaf !== undefined && expectedLeaf !== this.leaf) return { type: "leaf-moved", leaf: this.leaf };
      if (target !== null && !(await this.store.entry(target)))
        throw new Error(`cannot move to ${target}: it is not in this session`);
      // MOVE3: a new entry under the target is the last line and records the move; without one, a move entry does.
      const moveEntries: readonly NewEntry[] =
        newEntries.length > 0 ? newEntries : [{ type: "custom", customType: MOVE_TYPE, ...(data && { data }) }];
      const batch = await this.#createBatch(moveEntries, target);
      const result = await this.store.append(batch, { expectedLeaf: this.leaf });
      if (result.type !== "appended") return result;
      this.#branch = await this.store.loadBranch(result.leaf);
      for (const watcher of this.#watchers) watcher(batch);
      return result;
    });
  }

  /** Returns the entries from the root to this leaf; to the current leaf by default. */
  branchEntries(leaf?: string | null): Promise<readonly Entry[]> {
    return this.#enqueue(() => this.store.branchEntries(leaf === undefined ? this.leaf : leaf));
  }

  /** Returns the bytes of a new session file that holds one branch of this session. */
  fork(options: ForkOptions = {}): Promise<Uint8Array> {
    return this.#enqueue(() => forkBranch(this.store, { leaf: this.leaf, ...options }, this.#runtime));
  }

  /** Loads the rest of the branch's state. A file from pi is opened before its state is known. */
  loadState(): Promise<void> {
    return this.#enqueue(() => this.#loadState());
  }

  /** Moves to the leaf of the store, after another writer has moved it. */
  refresh(): Promise<void> {
    return this.#enqueue(async () => {
      this.#branch = await this.store.loadBranch(await this.store.leaf());
    });
  }

  // SES1: results of parallel tools arrive in any order; each is appended after the previous one.
  #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(task);
    // The caller gets the error; the next operation only waits for the end of this one.
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #append(
    newEntries: readonly NewEntry[],
    options: Pick<AppendGuard, "isReplaceable"> = {},
  ): Promise<AppendResult> {
    const batch = await this.#createBatch(newEntries, this.leaf);
    const result = await this.store.append(batch, { expectedLeaf: this.leaf, ...options });
    if (result.type !== "appended") return result;
    const isNext =
      result.leaf === batch.at(-1)?.id && this.#branch.isStateComplete && !needsReload(this.#branch, batch);
    this.#branch = isNext ? appendToBranch(this.#branch, batch) : await this.store.loadBranch(result.leaf);
    for (const watcher of this.#watchers) watcher(batch);
    return result;
  }

  /** Creates the entries of a batch under a parent. A compaction gets the state at that parent. */
  async #createBatch(newEntries: readonly NewEntry[], parent: string | null): Promise<readonly Entry[]> {
    // The append reports a disk error. A line without a number gets the next number when it is read.
    const lastNumber = await this.store.lastNumber().catch(() => null);
    const entries = this.#toEntries(newEntries, parent, lastNumber);
    if (!entries.some((entry) => entry.type === "compaction")) return entries;
    if (parent === this.leaf) await this.#loadState();
    const { state } = parent === this.leaf ? this.#branch : await this.store.loadBranch(parent);
    // The state may come from entries that were written without redaction.
    return this.redact(addStateToCompactions(entries, state));
  }

  async #loadState(): Promise<void> {
    const hasNumbers = this.#branch.entries.every(({ type, number }) => number !== undefined || type === "gap");
    if ((this.#branch.isStateComplete && hasNumbers) || this.leaf === null) return;
    // Reading any entry waits for the index of the whole file; then the state is complete.
    await this.store.entry(this.leaf);
    this.#branch = await this.store.loadBranch(this.leaf);
  }

  #toEntries(newEntries: readonly NewEntry[], parent: string | null, lastNumber: number | null): readonly Entry[] {
    const timestamp = new Date(this.#runtime.now()).toISOString();
    let parentId = parent;
    return newEntries.map((newEntry, index) => {
      const { type, id = this.#runtime.entryId(), ...rest } = newEntry;
      const number = lastNumber === null ? null : lastNumber + index + 1;
      const position = { id, parentId, timestamp, ...(isEntryNumber(number) && { number }) };
      parentId = id;
      // SES2: a copy, as read from a file, so that the caller cannot change it later.
      const entry = JSON.parse(JSON.stringify({ type, ...position, ...rest, ...position })) as Entry;
      // Redaction needs the plain JSON that will be written.
      return this.redact(entry);
    });
  }
}

function requireAppended(result: AppendResult): Extract<AppendResult, { type: "appended" }> {
  if (result.type === "appended") return result;
  throw new Error(`The message was not written: ${explainFailedAppend(result)}.`);
}
