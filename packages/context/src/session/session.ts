/** Implements the session: appends redacted entries, moves the leaf, forks and notifies watchers. It builds no context. */

import { type Entry, type EntryContent, MOVE_TYPE } from "../entry.ts";
import { isEntryNumber } from "../format/entry-number.ts";
import type { Model, ModelEvent, StreamOptions } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { type ForkOptions, forkBranch } from "./fork.ts";
import { appendToBranch, branchLeaf, type LoadedBranch, needsReload } from "./loaded-branch.ts";
import { addStateToCompactions } from "./state.ts";
import { type AppendGuard, type AppendResult, refusalNotes, type Store } from "./store.ts";
import { streamReply } from "./stream-reply.ts";

/** Finds what must not be written. Everything passes it on its way into the log; nothing that is in the log already does. */
export interface Redaction {
  /**
   * The same value where it holds no secret, else a copy in which a placeholder stands for each. A text, or anything made of
   * texts, lists and objects. What was redacted is not changed by being redacted again.
   */
  redact<Value>(value: Value): Value;
}

/** Everything as it is. */
export const noRedaction: Redaction = { redact: (value) => value };

/** A draft may bring an id of its own, where another entry of its batch names it; its place it never brings. */
export type NewEntry = EntryContent & {
  readonly id?: string;
  readonly parentId?: never;
  readonly timestamp?: never;
  readonly number?: never;
};

export interface MoveOptions {
  /** What the move has to say of itself. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Only from here. */
  readonly expectedLeaf?: string | null;
  /** Entries for the place moved to: written there, they are the move, and no other is needed. */
  readonly newEntries?: readonly NewEntry[];
}

/** What is done at the leaf for long. */
export type BusyReason = "streaming" | "compacting" | "moving";

export interface SessionOptions {
  /** What is written passes it; without it, all is written as it is. */
  readonly redaction?: Redaction | undefined;
}

interface AppendPosition {
  readonly parentId: string | null;
  /** Null where it is not known. */
  readonly lastNumber: number | null;
}

interface SessionInit {
  readonly runtime: Runtime;
  readonly redaction: Redaction;
  readonly branch: LoadedBranch;
}

/** A session as its writer holds it: it adds behind the leaf, moves the leaf, and knows the window at it. */
export class Session {
  readonly store: Store;
  readonly #runtime: Runtime;
  readonly #redaction: Redaction;
  #branch: LoadedBranch;
  /** The acts under way; the next one waits for them. */
  #queue: Promise<unknown> = Promise.resolve();
  readonly #busyReasons = new Set<{ readonly reason: BusyReason }>();
  readonly #watchers = new Set<(entries: readonly Entry[]) => void>();

  static async open(
    store: Store,
    runtime: Runtime,
    { redaction = noRedaction }: SessionOptions = {},
  ): Promise<Session> {
    return new Session(store, { runtime, redaction, branch: await store.loadBranch(await store.leaf()) });
  }

  private constructor(store: Store, { runtime, redaction, branch }: SessionInit) {
    this.store = store;
    this.#runtime = runtime;
    this.#redaction = redaction;
    this.#branch = branch;
  }

  /** All that the context at the leaf needs. */
  get branch(): LoadedBranch {
    return this.#branch;
  }

  /** Where we stand; null before the first entry. */
  get leaf(): string | null {
    return branchLeaf(this.#branch);
  }

  /** The clock, ids and timers that the session was opened with. */
  get runtime(): Runtime {
    return this.#runtime;
  }

  /** As it would be written: without secrets. */
  redact<Value>(value: Value): Value {
    return this.#redaction.redact(value);
  }

  /** What goes on at the leaf, each as often as it does. Nothing is refused here because of it: acts look at it before they begin. */
  get busyReasons(): readonly BusyReason[] {
    return Array.from(this.#busyReasons, ({ reason }) => reason);
  }

  /** Says that work at the leaf begins; whoever says so calls what comes back when it has ended. */
  markBusy(reason: BusyReason): () => void {
    const busy = { reason };
    this.#busyReasons.add(busy);
    return () => void this.#busyReasons.delete(busy);
  }

  /** Told all that is written here, batch by batch, as soon as it is; whoever has heard enough calls what comes back. */
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
   * Sends the context at the leaf to a model, yields its events and appends the reply when it ends. A reply that fails or is
   * aborted is appended as far as it came. Throws only if the reply cannot be written.
   */
  async *stream(model: Model, options: StreamOptions = {}): AsyncGenerator<ModelEvent, void> {
    const release = this.markBusy("streaming");
    const append = async (entry: EntryContent): Promise<void> =>
      void requireAppended(await this.appendReplaceable(entry));
    try {
      yield* streamReply(model, { ...options, branch: this.#branch, sleep: this.#runtime.sleep, append });
    } finally {
      release();
    }
  }

  /** Closes the store, if it is one that holds a file open. */
  async close(): Promise<void> {
    await this.#enqueue(async () => this.store.close?.());
  }

  /** Adds entries behind the leaf, all of them or none; the last becomes the leaf. */
  append(...newEntries: readonly NewEntry[]): Promise<AppendResult> {
    return this.#enqueue(() => this.#append(newEntries));
  }

  /** The same for what could be had again, such as a reply: after a power cut the last second of it may be missing. */
  appendReplaceable(...newEntries: readonly NewEntry[]): Promise<AppendResult> {
    return this.#enqueue(() => this.#append(newEntries, { isReplaceable: true }));
  }

  /** Adds entries that were made for this leaf, only behind it, and only while they are wanted. */
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

  /** Goes to another place in the tree; null goes before the first entry. What is appended next makes a new branch there. */
  move(target: string | null, { data, expectedLeaf, newEntries = [] }: MoveOptions = {}): Promise<AppendResult> {
    return this.#enqueue(async () => {
      if (expectedLeaf !== undefined && expectedLeaf !== this.leaf) return { type: "leaf-moved", leaf: this.leaf };
      if (target !== null && !(await this.store.entry(target)))
        throw new Error(`cannot move to ${target}: it is not in this session`);
      // MOVE3: what is a child of the place moved to, and the last line, says by itself where we stand.
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

  /** All entries from the root to this leaf, or to where we stand. */
  branchEntries(leaf?: string | null): Promise<readonly Entry[]> {
    return this.#enqueue(() => this.store.branchEntries(leaf === undefined ? this.leaf : leaf));
  }

  /** The bytes of a new session that holds one branch of this one: to where we stand, or to the leaf that is named. */
  fork(options: ForkOptions = {}): Promise<Uint8Array> {
    return this.#enqueue(() => forkBranch(this.store, { leaf: this.leaf, ...options }, this.#runtime));
  }

  /** Waits until all is known that holds at the leaf: a file without our marks is opened before it is. */
  loadState(): Promise<void> {
    return this.#enqueue(() => this.#loadState());
  }

  /** Stands where the store stands now: after another writer has moved the leaf. */
  refresh(): Promise<void> {
    return this.#enqueue(async () => {
      this.#branch = await this.store.loadBranch(await this.store.leaf());
    });
  }

  // SES1: results of parallel tools come when they come; each is appended behind what was appended before it.
  #enqueue<Outcome>(task: () => Promise<Outcome>): Promise<Outcome> {
    const result = this.#queue.then(task);
    // Whoever asked for an act hears of its failure; the next one only waits for its end.
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

  /** Behind this place; a compaction among them carries what holds there. */
  async #createBatch(newEntries: readonly NewEntry[], parent: string | null): Promise<readonly Entry[]> {
    // Why a disk cannot be read is for the append to say. A line without a number gets the next one when it is read.
    const lastNumber = await this.store.lastNumber().catch(() => null);
    const entries = this.#toEntries(newEntries, { parentId: parent, lastNumber });
    if (!entries.some((entry) => entry.type === "compaction")) return entries;
    if (parent === this.leaf) await this.#loadState();
    const { state } = parent === this.leaf ? this.#branch : await this.store.loadBranch(parent);
    // What is carried may come from before redaction.
    return this.redact(addStateToCompactions(entries, state));
  }

  async #loadState(): Promise<void> {
    const hasNumbers = this.#branch.entries.every(({ type, number }) => number !== undefined || type === "gap");
    if ((this.#branch.isStateComplete && hasNumbers) || this.leaf === null) return;
    // Whatever lies further back can only be answered when the whole file is known.
    await this.store.entry(this.leaf);
    this.#branch = await this.store.loadBranch(this.leaf);
  }

  #toEntries(newEntries: readonly NewEntry[], { parentId: parent, lastNumber }: AppendPosition): readonly Entry[] {
    const timestamp = new Date(this.#runtime.now()).toISOString();
    let parentId = parent;
    return newEntries.map((newEntry, index) => {
      const { type, id = this.#runtime.entryId(), ...rest } = newEntry;
      const number = lastNumber === null ? null : lastNumber + index + 1;
      const position = { id, parentId, timestamp, ...(isEntryNumber(number) && { number }) };
      parentId = id;
      // A copy, as a file would give it back: nobody can change it any more.
      const entry = JSON.parse(JSON.stringify({ type, ...position, ...rest, ...position })) as Entry;
      // Only now is it plain: whatever a draft was made of, this is what would be written.
      return this.redact(entry);
    });
  }
}

function requireAppended(result: AppendResult): Extract<AppendResult, { type: "appended" }> {
  if (result.type === "appended") return result;
  const why =
    result.type === "refused" ? refusalNotes[result.why] : "another program has written to this session; open it again";
  throw new Error(`The message was not written: ${why}.`);
}
