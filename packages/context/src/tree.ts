/** Builds and queries the tree of a session: children, branches, common ancestors, branch summaries and labels. */

import type { BranchSummaryEntry, Entry } from "./entry.ts";

/** The tree of a session, indexed by entry. */
export interface Tree {
  /** In file order. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly children: ReadonlyMap<string | null, readonly Entry[]>;
}

/** A tree that can still grow; whoever owns it is its only writer. */
export interface MutableTree extends Tree {
  readonly entries: Map<string, Entry>;
  readonly children: Map<string | null, Entry[]>;
}

/** The tree of these entries, given in file order. */
export function buildTree(entries: Iterable<Entry>): MutableTree {
  const tree: MutableTree = { entries: new Map(), children: new Map() };
  for (const entry of entries) addToTree(tree, entry);
  return tree;
}

export function addToTree(tree: MutableTree, entry: Entry): void {
  tree.entries.set(entry.id, entry);
  const siblings = tree.children.get(entry.parentId);
  if (siblings) siblings.push(entry);
  else tree.children.set(entry.parentId, [entry]);
}

/** From the leaf up to its root. */
export function* ancestors(tree: Tree, leaf: string | null): Generator<Entry> {
  let entry = leaf === null ? undefined : tree.entries.get(leaf);
  while (entry) {
    yield entry;
    entry = entry.parentId === null ? undefined : tree.entries.get(entry.parentId);
  }
}

/** From the root down to the leaf. */
export function branchEntries(tree: Tree, leaf: string | null): readonly Entry[] {
  return [...ancestors(tree, leaf)].reverse();
}

/** The deepest entry that both branches share, or null. Walks no further than the longer of the two. */
export function commonAncestor(tree: Tree, one: string | null, other: string | null): string | null {
  const visitedIds = new Set<string>();
  for (const entry of interleave(ancestors(tree, one), ancestors(tree, other))) {
    if (visitedIds.has(entry.id)) return entry.id;
    visitedIds.add(entry.id);
  }
  return null;
}

/** What was written of branches that were left at one of these. */
export function findBranchSummaries(
  entries: Iterable<Entry>,
  fromIds: ReadonlySet<string>,
): readonly BranchSummaryEntry[] {
  const summaries: BranchSummaryEntry[] = [];
  for (const entry of entries) if (entry.type === "branch_summary" && fromIds.has(entry.fromId)) summaries.push(entry);
  return summaries;
}

/** Names given to entries; the latest in the file counts. */
export function collectLabels(entries: Iterable<Entry>): ReadonlyMap<string, string> {
  const labelsById = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label) labelsById.set(entry.targetId, entry.label);
    else labelsById.delete(entry.targetId);
  }
  return labelsById;
}

// Step by step from both ends: the first entry met twice is the deepest shared one.
function* interleave(one: Iterator<Entry>, other: Iterator<Entry>): Generator<Entry> {
  let first = one.next();
  let second = other.next();
  while (!first.done || !second.done) {
    if (!first.done) yield first.value;
    if (!second.done) yield second.value;
    first = one.next();
    second = other.next();
  }
}
