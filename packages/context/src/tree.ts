/** Builds and queries the tree of a session: children, branches, common ancestors, branch summaries and labels. */

import type { BranchSummaryEntry, Entry } from "./entry.ts";

/** The tree of a session, indexed by entry. */
export interface Tree {
  /** Entries by id, in file order. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Children by parent id; null for the roots. */
  readonly children: ReadonlyMap<string | null, readonly Entry[]>;
}

/** A tree that can grow. Only its owner changes it. */
export interface MutableTree extends Tree {
  readonly entries: Map<string, Entry>;
  readonly children: Map<string | null, Entry[]>;
}

/** Builds the tree from entries in file order. */
export function buildTree(entries: Iterable<Entry>): MutableTree {
  const tree: MutableTree = { entries: new Map(), children: new Map() };
  for (const entry of entries) addToTree(tree, entry);
  return tree;
}

/** Adds one entry to a tree. */
export function addToTree(tree: MutableTree, entry: Entry): void {
  tree.entries.set(entry.id, entry);
  const siblings = tree.children.get(entry.parentId);
  if (siblings) siblings.push(entry);
  else tree.children.set(entry.parentId, [entry]);
}

/** Yields the entries from a leaf up to its root. */
export function* ancestors(tree: Tree, leaf: string | null): Generator<Entry> {
  let entry = leaf === null ? undefined : tree.entries.get(leaf);
  while (entry) {
    yield entry;
    entry = entry.parentId === null ? undefined : tree.entries.get(entry.parentId);
  }
}

/** Returns the entries from the root down to a leaf. */
export function branchEntries(tree: Tree, leaf: string | null): readonly Entry[] {
  return [...ancestors(tree, leaf)].reverse();
}

/** Returns the id of the deepest entry that two branches share, or null. */
export function commonAncestor(tree: Tree, one: string | null, other: string | null): string | null {
  const visitedIds = new Set<string>();
  for (const entry of interleave(ancestors(tree, one), ancestors(tree, other))) {
    if (visitedIds.has(entry.id)) return entry.id;
    visitedIds.add(entry.id);
  }
  return null;
}

// Walking both branches in parallel, the first entry that occurs twice is the deepest shared one.
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

/** Finds the summaries of branches that were abandoned at one of these leaves. */
export function findBranchSummaries(
  entries: Iterable<Entry>,
  fromIds: ReadonlySet<string>,
): readonly BranchSummaryEntry[] {
  const summaries: BranchSummaryEntry[] = [];
  for (const entry of entries) if (entry.type === "branch_summary" && fromIds.has(entry.fromId)) summaries.push(entry);
  return summaries;
}

/** Collects the names of entries. The last name in the file counts. */
export function collectLabels(entries: Iterable<Entry>): ReadonlyMap<string, string> {
  const labelsById = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label) labelsById.set(entry.targetId, entry.label);
    else labelsById.delete(entry.targetId);
  }
  return labelsById;
}
