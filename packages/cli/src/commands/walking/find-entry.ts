/** An entry by its id, the beginning of one, or its label. */

import type { Entry, Session, Store } from "@pith/context";
import { type Mistake, mistake } from "../../asking/mistake.ts";
import { mayMean } from "./short-id.ts";

export type FoundEntry = { readonly type: "found"; readonly entry: Entry } | Mistake;

/** A whole id is found wherever it is, the beginning of one as far as there is time to look. */
export async function findEntry(name: string, { store, leaf }: Session): Promise<FoundEntry> {
  const wanted = name.replace(/^entry:/, "");
  const [labelled, another] = [...(await store.labels())].filter(([, label]) => label === wanted).map(([id]) => id);
  const exact = (await store.entry(wanted)) ?? (labelled === undefined ? undefined : await store.entry(labelled));
  if (exact?.id === labelled && another !== undefined)
    return mistake(`several entries are labelled "${wanted}"; name one by its id`);
  if (exact) return { type: "found", entry: exact };
  const none = mistake(`there is no entry "${wanted.slice(0, 40)}" in this session; /tree shows their ids`);
  if (wanted.length < SHORTEST) return none;
  const found = new Map<string, Entry>();
  for await (const entry of inReach(store, leaf)) if (mayMean(wanted, entry.id)) found.set(entry.id, entry);
  const [first, second] = found.values();
  if (!first) return none;
  return second
    ? mistake(`several entries begin with "${wanted}"; say more of the id`)
    : { type: "found", entry: first };
}

/** Letters of an id by which it can be named. */
const SHORTEST = 4;

/** The branch one stands on, newest first, and then all others; of a very long session what can be seen in a moment. */
async function* inReach(store: Store, leaf: string | null): AsyncGenerator<Entry> {
  for (let id = leaf, seen = 0; id !== null && seen < MOST_SEEN; seen++) {
    const entry = await store.entry(id);
    if (!entry) break;
    yield entry;
    id = entry.parentId;
  }
  const until = performance.now() + PATIENCE_MS;
  const waiting = [...(await store.children(null))];
  for (let seen = 0; seen < MOST_SEEN && performance.now() < until; seen++) {
    const entry = waiting.pop();
    if (!entry) return;
    yield entry;
    for (const child of await store.children(entry.id)) waiting.push(child);
  }
}

const MOST_SEEN = 20_000;
const PATIENCE_MS = 2_000;
