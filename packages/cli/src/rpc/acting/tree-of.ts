/** All entries of a session, in the order they were written, and as a tree. */

import type { Entry, Store } from "@pith/context";
import type { RpcTreeNode } from "../line/rpc-data.ts";

/** By time, and a parent always before its children, whatever the clock said. */
export async function entriesOf(store: Store): Promise<readonly Entry[]> {
  const all: { readonly entry: Entry; readonly time: string }[] = [];
  const waiting = (await store.children(null)).toReversed().map((entry) => ({ entry, before: "" }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, before } = next;
    const time = [entry.timestamp, before].toSorted().at(-1) ?? "";
    all.push({ entry, time });
    const children = await store.children(entry.id);
    waiting.push(...children.toReversed().map((child) => ({ entry: child, before: time })));
    // A long session must not hold up whoever else works here.
    if (all.length % BREATH === 0) await new Promise(setImmediate);
  }
  return all
    .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
    .map(({ entry }) => entry);
}

const BREATH = 1_000;

/** Null where it is so deep that nobody could read it as one value. */
export async function treeOf(store: Store): Promise<readonly RpcTreeNode[] | null> {
  const labels = await store.labels();
  const roots: Draft[] = [];
  const known = new Map<string, Draft>();
  for (const entry of await entriesOf(store)) {
    const parent = entry.parentId === null ? undefined : known.get(entry.parentId);
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > DEEPEST) return null;
    const node: Draft = { entry, children: [], depth, label: labels.get(entry.id) };
    known.set(entry.id, node);
    (parent?.children ?? roots).push(node);
  }
  return roots.map(nodeOf);
}

const DEEPEST = 1_000;

interface Draft {
  readonly entry: Entry;
  readonly children: Draft[];
  readonly depth: number;
  readonly label: string | undefined;
}

function nodeOf({ entry, children, label }: Draft): RpcTreeNode {
  return { entry, children: children.map(nodeOf), ...(label !== undefined && { label }) };
}
