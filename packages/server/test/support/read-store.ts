/** Reads everything that a store can return. */

import type { Store } from "@pith/context/store";

/** What every method of a store returns, at every entry. */
export async function readStore(store: Store): Promise<Readonly<Record<string, unknown>>> {
  const entries = await store.entriesFrom(0, 1_000_000);
  const leaf = await store.leaf();
  const atEntries = [];
  for (const { id, number = 0 } of entries)
    atEntries.push({
      id,
      branch: await store.loadBranch(id),
      entries: await store.branchEntries(id),
      children: await store.children(id),
      entry: await store.entry(id),
      byNumber: await store.entryByNumber(number),
      line: await store.line(id),
      ancestor: await store.commonAncestor(id, leaf),
    });
  return {
    ...{ leaf, entries, atEntries, header: store.header },
    lastNumber: await store.lastNumber(),
    roots: await store.children(null),
    labels: await store.labels(),
    name: await store.name(),
    summaries: await store.branchSummaries(new Set(["root", ...entries.map(({ id }) => id)])),
  };
}
