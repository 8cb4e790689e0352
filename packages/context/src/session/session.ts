/** Implements the session: appends redacted entries, moves the leaf, forks and notifies watchers. It builds no context. */

import { type Draft, type Entry, MOVE } from "../entry.ts";
import { isEntryNumber } from "../format/entry-number.ts";
import type { Ports } from "../runtime.ts";
import { type ForkPlan, forked } from "./fork.ts";
import { extended, leafOf, reachesBefore, type Window } from "./loaded-branch.ts";
import { carrying } from "./state.ts";
import type { Appended, Fence, Store } from "./store.ts";

/** Finds what must not be written. Everything passes it on its way into the log; nothing that is in the log already does. */
export interface Redaction {
  /**
   * The same value where it holds no secret, else a copy in which a placeholder stands for each. A text, or anything made of
   * texts, lists and objects. What was redacted is not changed by being redacted again.
   */
  redacted<Value>(value: Value): Value;
}

/** Everything as it is. */
export const asItIs: Redaction = { redacted: (value) => value };

/** A draft may bring an id of its own, where another entry of its batch names it; its place it never brings. */
export type Drafted = Draft & {
  readonly id?: string;
  readonly parentId?: never;
  readonly timestamp?: never;
  readonly number?: never;
};

export interface Moving {
  /** What the move has to say of itself. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Only from here. */
  readonly expectedLeaf?: string | null;
  /** Entries for the place moved to: written there, they are the move, and no other is needed. */
  readonly drafts?: readonly Drafted[];
}

/** What is done at the leaf for long. */
export type Occupation = "streaming" | "compacting" | "moving";

export interface SessionParts {
  /** What is written passes it; without it, all is written as it is. */
  readonly redaction?: Redaction | undefined;
}

interface PlaceBefore {
  readonly parent: string | null;
  /** Null where it is not known. */
  readonly lastNumber: number | null;
}

interface SessionState {
  readonly ports: Ports;
  readonly redaction: Redaction;
  readonly window: Window;
}

/** A session as its writer holds it: it adds behind the leaf, moves the leaf, and knows the window at it. */
export class Session {
  readonly store: Store;
  readonly #ports: Ports;
  readonly #redaction: Redaction;
  #window: Window;
  /** The acts under way; the next one waits for them. */
  #acts: Promise<unknown> = Promise.resolve();
  readonly #occupations = new Set<{ readonly by: Occupation }>();
  readonly #watchers = new Set<(written: readonly Entry[]) => void>();

  static async open(store: Store, ports: Ports, { redaction = asItIs }: SessionParts = {}): Promise<Session> {
    return new Session(store, { ports, redaction, window: await store.window(await store.leaf()) });
  }

  private constructor(store: Store, { ports, redaction, window }: SessionState) {
    this.store = store;
    this.#ports = ports;
    this.#redaction = redaction;
    this.#window = window;
  }

  /** All that the context at the leaf needs. */
  get window(): Window {
    return this.#window;
  }

  /** Where we stand; null before the first entry. */
  get leaf(): string | null {
    return leafOf(this.#window);
  }

  /** As it would be written: without secrets. */
  redacted<Value>(value: Value): Value {
    return this.#redaction.redacted(value);
  }

  /** What goes on at the leaf, each as often as it does. Nothing is refused here because of it: acts look at it before they begin. */
  get occupied(): readonly Occupation[] {
    return Array.from(this.#occupations, ({ by }) => by);
  }

  /** Says that work at the leaf begins; whoever says so calls what comes back when it has ended. */
  occupy(by: Occupation): () => void {
    const occupation = { by };
    this.#occupations.add(occupation);
    return () => void this.#occupations.delete(occupation);
  }

  /** Told all that is written here, batch by batch, as soon as it is; whoever has heard enough calls what comes back. */
  watch(watcher: (written: readonly Entry[]) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Adds entries behind the leaf, all of them or none; the last becomes the leaf. */
  append(...drafts: readonly Drafted[]): Promise<Appended> {
    return this.#inTurn(() => this.#append(drafts));
  }

  /** The same for what could be had again, such as a reply: after a power cut the last second of it may be missing. */
  appendReplaceable(...drafts: readonly Drafted[]): Promise<Appended> {
    return this.#inTurn(() => this.#append(drafts, { isReplaceable: true }));
  }

  /** Adds entries that were made for this leaf, only behind it, and only while they are wanted. */
  appendBehind(
    leaf: string | null,
    drafts: readonly Drafted[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Appended | { readonly type: "aborted" }> {
    return this.#inTurn(async () => {
      if (signal?.aborted) return { type: "aborted" };
      return this.leaf === leaf ? this.#append(drafts) : { type: "leaf-moved", leaf: this.leaf };
    });
  }

  /** Goes to another place in the tree; null goes before the first entry. What is appended next makes a new branch there. */
  move(target: string | null, { data, expectedLeaf, drafts = [] }: Moving = {}): Promise<Appended> {
    return this.#inTurn(async () => {
      if (expectedLeaf !== undefined && expectedLeaf !== this.leaf) return { type: "leaf-moved", leaf: this.leaf };
      if (target !== null && !(await this.store.entry(target)))
        throw new Error(`cannot move to ${target}: it is not in this session`);
      // MOVE3: what is a child of the place moved to, and the last line, says by itself where we stand.
      const said: readonly Drafted[] =
        drafts.length > 0 ? drafts : [{ type: "custom", customType: MOVE, ...(data && { data }) }];
      const batch = await this.#batch(said, target);
      const outcome = await this.store.append(batch, { expectedLeaf: this.leaf });
      if (outcome.type !== "appended") return outcome;
      this.#window = await this.store.window(outcome.leaf);
      for (const watcher of this.#watchers) watcher(batch);
      return outcome;
    });
  }

  /** All entries from the root to this leaf, or to where we stand. */
  branch(leaf?: string | null): Promise<readonly Entry[]> {
    return this.#inTurn(() => this.store.branch(leaf === undefined ? this.leaf : leaf));
  }

  /** The bytes of a new session that holds one branch of this one: to where we stand, or to the leaf that is named. */
  fork(plan: ForkPlan = {}): Promise<Uint8Array> {
    return this.#inTurn(() => forked(this.store, { leaf: this.leaf, ...plan }, this.#ports));
  }

  /** Waits until all is known that holds at the leaf: a file without our marks is opened before it is. */
  settle(): Promise<void> {
    return this.#inTurn(() => this.#settle());
  }

  /** Stands where the store stands now: after another writer has moved the leaf. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      this.#window = await this.store.window(await this.store.leaf());
    });
  }

  // SES1: results of parallel tools come when they come; each is appended behind what was appended before it.
  #inTurn<Outcome>(act: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = this.#acts.then(act);
    // Whoever asked for an act hears of its failure; the next one only waits for its end.
    this.#acts = outcome.catch(() => undefined);
    return outcome;
  }

  async #append(drafts: readonly Drafted[], manner: Pick<Fence, "isReplaceable"> = {}): Promise<Appended> {
    const batch = await this.#batch(drafts, this.leaf);
    const outcome = await this.store.append(batch, { expectedLeaf: this.leaf, ...manner });
    if (outcome.type !== "appended") return outcome;
    const isNext = outcome.leaf === batch.at(-1)?.id && this.#window.settled && !reachesBefore(this.#window, batch);
    this.#window = isNext ? extended(this.#window, batch) : await this.store.window(outcome.leaf);
    for (const watcher of this.#watchers) watcher(batch);
    return outcome;
  }

  /** Behind this place; a compaction among them carries what holds there. */
  async #batch(drafts: readonly Drafted[], parent: string | null): Promise<readonly Entry[]> {
    // Why a disk cannot be read is for the append to say. A line without a number gets the next one when it is read.
    const lastNumber = await this.store.lastNumber().catch(() => null);
    const placed = this.#placed(drafts, { parent, lastNumber });
    if (!placed.some((entry) => entry.type === "compaction")) return placed;
    if (parent === this.leaf) await this.#settle();
    const { state } = parent === this.leaf ? this.#window : await this.store.window(parent);
    // What is carried may come from before redaction.
    return this.redacted(carrying(placed, state));
  }

  async #settle(): Promise<void> {
    const hasNumbers = this.#window.entries.every(({ type, number }) => number !== undefined || type === "gap");
    if ((this.#window.settled && hasNumbers) || this.leaf === null) return;
    // Whatever lies further back can only be answered when the whole file is known.
    await this.store.entry(this.leaf);
    this.#window = await this.store.window(this.leaf);
  }

  #placed(drafts: readonly Drafted[], { parent, lastNumber }: PlaceBefore): readonly Entry[] {
    const timestamp = new Date(this.#ports.now()).toISOString();
    let parentId = parent;
    return drafts.map((draft, at) => {
      const { type, id = this.#ports.entryId(), ...rest } = draft;
      const number = lastNumber === null ? null : lastNumber + at + 1;
      const place = { id, parentId, timestamp, ...(isEntryNumber(number) && { number }) };
      parentId = id;
      // A copy, as a file would give it back: nobody can change it any more.
      const entry = JSON.parse(JSON.stringify({ type, ...place, ...rest, ...place })) as Entry;
      // Only now is it plain: whatever a draft was made of, this is what would be written.
      return this.redacted(entry);
    });
  }
}
