/** Reads a session's tree in pieces, nearest to the current entry first, and lets other work run in between. */

import type { Entry } from "@pith/context";
import type { Store } from "@pith/context/store";
import { wayTo } from "./tree-lines.ts";
import { type Family, type Growth, type Sketch, sketchOf } from "./tree-outline.ts";

export interface Growing {
  readonly store: Store;
  readonly leaf: string | null;
  readonly signal?: AbortSignal;
  /** Entries that are read at most. */
  readonly most?: number;
  /** The end of the way, as far as it is known already: then the first piece needs no reading. */
  readonly near?: readonly Entry[];
  /** An entry may come from before redaction, or from another program. */
  readonly redacted?: <Value>(value: Value) => Value;
}

/** The first piece is the end of the way; then all that leaves it, upwards to the roots and what hangs on them. */
export async function* growOutline(growing: Growing): AsyncGenerator<Growth> {
  const { store, leaf, signal, near = [], redacted = asIs, most = MOST } = growing;
  const reading = new Reading(growing);
  let way = connected(near, leaf) ?? (await wayTo(leaf, store, AT_ONCE));
  let top = way[0] ?? null;
  reading.addWay(way);
  yield reading.taken(top, "growing");
  const labels = new Map([...(await store.labels())].map(([id, label]) => [id, redacted(label)]));
  yield { ...reading.taken(top, "growing"), labels };
  while (way.length > 0) {
    for await (const _ of reading.below(way.toReversed())) {
      if (signal?.aborted) return;
      if (reading.count > most) return yield reading.taken(top, "cut");
      if (reading.isWorthTelling) yield reading.taken(top, "growing");
    }
    way = top === null ? [] : await wayTo(top.parentId, store, A_PIECE);
    reading.addWay(way);
    top = way[0] ?? top;
  }
  yield* rest(reading, top, most);
}

/** The last of them, as far as each follows the one before it; null where they do not lead to the leaf. */
function connected(near: readonly Entry[], leaf: string | null): readonly Entry[] | null {
  const last = near.slice(-AT_ONCE);
  if (leaf === null || last.at(-1)?.id !== leaf) return null;
  const gap = last.findLastIndex((entry, at) => at > 0 && entry.parentId !== last[at - 1]?.id);
  return last.slice(Math.max(0, gap));
}

function asIs<Value>(value: Value): Value {
  return value;
}

/** Roots, and what hangs on those that the way does not begin with. */
async function* rest(reading: Reading, top: Entry | null, most: number): AsyncGenerator<Growth> {
  const roots = await reading.children(null);
  const others = roots.filter(({ id }) => id !== top?.id);
  for await (const _ of reading.below(others)) {
    if (reading.signal?.aborted) return;
    if (reading.count > most) return yield reading.taken(top, "cut");
    if (reading.isWorthTelling) yield reading.taken(top, "growing");
  }
  yield reading.taken(top, "whole");
}

/** Enough for a first look, and read in a moment. */
const AT_ONCE = 300;
/** Of the way: whoever reads it does nothing else meanwhile. */
const A_PIECE = 200;
/** Entries that are told at once. */
const A_TELLING = 1_500;
const MOST = 250_000;
/** In milliseconds: nobody notices that nothing else was done for so long. */
const SLICE = 8;

/** What was read and not told yet. */
class Reading {
  readonly signal: AbortSignal | undefined;
  readonly #store: Store;
  readonly #redacted: <Value>(value: Value) => Value;
  /** What is on it is met twice: from below, and among the children of its parent. */
  readonly #way = new Map<string, Sketch>();
  #families: Family[] = [];
  #known = 0;
  /** Others had their turn then; what is read in between counts, too. */
  #since = performance.now();
  #fresh = 0;

  constructor({ store, signal, redacted = asIs }: Growing) {
    this.#store = store;
    this.#redacted = redacted;
    this.signal = signal;
  }

  get count(): number {
    return this.#known + this.#fresh;
  }

  get isWorthTelling(): boolean {
    return this.#fresh > A_TELLING;
  }

  taken(top: Entry | null, reach: Growth["reach"]): Growth {
    const families = this.#families;
    this.#families = [];
    this.#known += this.#fresh;
    this.#fresh = 0;
    return { families, top: top?.id ?? null, reach };
  }

  /** Each with the one that follows on the way; what else follows is found later. */
  addWay(way: readonly Entry[]): void {
    for (const entry of way) {
      this.#way.set(entry.id, this.#sketched(entry));
      this.#add(entry.parentId, [entry]);
    }
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    const children = await this.#store.children(id);
    this.#fresh += children.length;
    if (children.length > 0) this.#add(id, children);
    return children;
  }

  /** All below these but what follows on the way; comes back every few milliseconds, and at the end. */
  async *below(tops: readonly Entry[]): AsyncGenerator<undefined> {
    const waiting = tops.toReversed();
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      const children = await this.children(entry.id);
      for (const child of children.toReversed()) if (!this.#way.has(child.id)) waiting.push(child);
      if (performance.now() - this.#since < SLICE && !this.isWorthTelling) continue;
      await new Promise((resolve) => setImmediate(resolve));
      this.#since = performance.now();
      yield undefined;
    }
    yield undefined;
  }

  #add(parentId: string | null, children: readonly Entry[]): void {
    const sketches = children.map((entry) => this.#way.get(entry.id) ?? this.#sketched(entry));
    this.#families.push({ parentId, children: sketches });
  }

  #sketched(entry: Entry): Sketch {
    return sketchOf(entry, this.#redacted);
  }
}
