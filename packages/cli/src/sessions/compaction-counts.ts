/** Counts the compactions on one branch and the entries they summarise. An undone compaction is on another branch, so it does not count. */

import { setImmediate as nextTick } from "node:timers/promises";
import { type CompactionEntry, type Entry, readReceipt } from "@pith/context";
import type { Store } from "@pith/context/store";
import { readBranch } from "./tree-lines.ts";

export interface CompactionCounts {
  readonly compactions: number;
  /** Entries that the summaries stand for; null if another program wrote one of the compactions. */
  readonly entries: number | null;
}

const noCompactions: CompactionCounts = { compactions: 0, entries: 0 };

/** Remembers each count, so that every part of a session is read once. It reads in pieces, so that typing is not blocked. */
export class CompactionCounter {
  readonly #counts = new Map<string, CompactionCounts>();

  /** Of this compaction and all before it on its branch. */
  async countTo(last: CompactionEntry, store: Store): Promise<CompactionCounts> {
    const uncounted: CompactionEntry[] = [];
    let next: CompactionEntry | undefined = last;
    while (next && !this.#counts.has(next.id)) {
      uncounted.unshift(next);
      next = await findPreviousCompaction(next, store);
    }
    let counts = (next && this.#counts.get(next.id)) ?? noCompactions;
    for (const compaction of uncounted) {
      counts = addCompaction(counts, compaction);
      this.#counts.set(compaction.id, counts);
    }
    return counts;
  }
}

async function findPreviousCompaction({ parentId }: Entry, store: Store): Promise<CompactionEntry | undefined> {
  for (let id = parentId; id !== null; ) {
    const chunk = await readBranch(id, store, CHUNK_ENTRIES);
    const found = chunk.findLast((entry) => entry.type === "compaction");
    if (found) return found;
    id = chunk[0]?.parentId ?? null;
    await nextTick();
  }
  return undefined;
}

/** Entries that are read at once. */
const CHUNK_ENTRIES = 200;

function addCompaction({ compactions, entries }: CompactionCounts, compaction: CompactionEntry): CompactionCounts {
  const count: unknown = Object(readReceipt(compaction)?.covered).count;
  const isCount = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
  return { compactions: compactions + 1, entries: entries === null || !isCount ? null : entries + count };
}
