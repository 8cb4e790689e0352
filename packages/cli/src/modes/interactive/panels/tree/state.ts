/** Defines the tree page's state, its filters and the layout of its rows, and updates the state as entries are read. */

import type { Entry } from "@pith/context";
import {
  createOutline,
  extendOutline,
  findRoots,
  type Outline,
  type OutlineKind,
  type OutlineNode,
  type OutlineUpdate,
  setLabel,
} from "../../../../sessions/tree-outline.ts";
import { emptyInput, type LineInput } from "../widgets.ts";

export interface TreeFilter {
  readonly name: string;
  readonly matches: (node: OutlineNode, outline: Outline) => boolean;
}

export const treeFilters: readonly TreeFilter[] = [
  { name: "messages and tools", matches: ({ kind }) => kind !== "other" && kind !== "calls" },
  { name: "no tools", matches: ({ kind }) => kind !== "other" && kind !== "calls" && kind !== "tool" },
  { name: "your messages", matches: ({ kind }) => kind === "you" },
  { name: "labeled", matches: ({ id }, { labels }) => labels.has(id) },
  { name: "all", matches: () => true },
];

/** User messages, since a fork starts before one of them. */
export const forkFilters: readonly TreeFilter[] = [
  { name: "this branch", matches: ({ kind, isOnBranch }) => kind === "you" && isOnBranch },
  { name: "all branches", matches: ({ kind }) => kind === "you" },
];

/** With the first filter, a labelled entry is visible whatever its kind is. */
export function createNodeFilter(filter: TreeFilter, query: string, outline: Outline): (node: OutlineNode) => boolean {
  const { labels } = outline;
  const keepsLabelled = filter.name === "messages and tools";
  const matchesQuery = createQueryMatcher(query, outline);
  return (node) => (filter.matches(node, outline) || (keepsLabelled && labels.has(node.id))) && matchesQuery(node);
}

/** Matches if every word of the query is in the text or in the label, ignoring case. */
function createQueryMatcher(query: string, { labels }: Outline): (node: OutlineNode) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const isInLabel = (id: string, word: string) => labels.get(id)?.toLowerCase().includes(word) ?? false;
  return ({ id, searchText }) => {
    for (const word of words) if (!searchText.includes(word) && !isInLabel(id, word)) return false;
    return true;
  };
}

export const kindLabels: Readonly<Record<OutlineKind, string>> = {
  you: "you",
  program: "program",
  reply: "reply",
  calls: "calls",
  tool: "tool",
  shell: "shell",
  compaction: "compaction",
  left: "summary",
  pin: "pin",
  draft: "draft",
  note: "note",
  lost: "lost",
  other: "other",
};

export interface TreeState {
  readonly outline: Outline;
  readonly filters: readonly TreeFilter[];
  /** The index of the active filter. */
  readonly filterIndex: number;
  /** The ids of the first entries of folded branches. */
  readonly folded: ReadonlySet<string>;
  readonly query: LineInput;
  readonly label: LineInput;
  /** Decides what keys do. */
  readonly mode: "browsing" | "searching" | "labelling";
  /** The visible rows, computed from the fields above. */
  readonly layout: Layout;
  /** The number of branches without filter, query and folds. */
  readonly branchCount: number;
  readonly selectedIndex: number;
  /** The selected entry. Null until it is read. */
  readonly previewEntry: Entry | null;
  /** The first visible line of the preview. */
  readonly previewOffset: number;
  /** The entry to select when it becomes visible. Empty for the current position. Null after the user has moved the selection. */
  readonly targetId: string | null;
  /** An error message for the user. */
  readonly error: string | null;
}

export interface TreeStateOptions extends Pick<Outline, "leaf"> {
  readonly filters: readonly TreeFilter[];
  /** The state of the page that the user comes back to. */
  readonly previousState?: TreeState;
}

/** Reuses the outline of the previous state, unless the session has changed since. */
export function createTreeState({ filters, previousState, leaf }: TreeStateOptions): TreeState {
  const { filterIndex = 0, folded = new Set<string>(), query = emptyInput } = previousState ?? {};
  const inputState = { query, label: emptyInput, mode: "browsing" as const };
  const viewState = {
    layout: emptyLayout,
    branchCount: previousState?.branchCount ?? 1,
    selectedIndex: 0,
    previewEntry: null,
    previewOffset: 0,
    error: null,
  };
  const selectedId = previousState && getSelectedRow(previousState)?.node.id;
  const state = {
    outline: createOutline(leaf),
    filters,
    filterIndex,
    folded,
    ...inputState,
    ...viewState,
    targetId: selectedId ?? "",
  };
  return previousState && isUpToDate(previousState, leaf)
    ? updateLayout(state, { outline: previousState.outline })
    : state;
}

/** Whether the outline is read completely and still ends at the leaf. */
export function isUpToDate({ outline }: TreeState, leaf: string | null): boolean {
  return outline.status !== "loading" && outline.leaf === leaf;
}

export function getSelectedRow({
  layout,
  selectedIndex,
}: Pick<TreeState, "layout" | "selectedIndex">): TreeRow | undefined {
  return layout.rows[selectedIndex];
}

/** A layout covers all rows, so it is only updated after the outline has grown by half, at the end, and for new labels. */
export function applyOutlineUpdate(state: TreeState, update: OutlineUpdate): TreeState {
  const outline = extendOutline(state.outline, update);
  const hasGrown = outline.nodes.size > state.layout.rowNumbers.length * 1.5;
  if (!hasGrown && update.status === "loading" && !update.labels) return { ...state, outline };
  return updateLayout(state, { outline });
}

export function applyLabel(state: TreeState, id: string, label: string): TreeState {
  return updateLayout(state, { outline: setLabel(state.outline, id, label) });
}

/** The same entry stays selected, or its nearest visible ancestor. */
export function updateLayout(
  state: TreeState,
  change: Partial<Pick<TreeState, "outline" | "filterIndex" | "folded" | "query">>,
): TreeState {
  const next = { ...state, ...change };
  const { outline, filters, filterIndex, folded, query } = next;
  const [first] = filters;
  const filter = filters[filterIndex] ?? first;
  if (!filter) return next;
  const layout = layoutRows(outline, { matches: createNodeFilter(filter, query.text, outline), folded });
  const isUnfiltered = filterIndex === 0 && query.text === "" && folded.size === 0;
  const branchCount = isUnfiltered ? layout.branchCount : state.branchCount;
  return { ...next, layout, branchCount, selectedIndex: findSelectedIndex(layout, state, outline) };
}

function findSelectedIndex({ rows, currentIndex, rowNumbers }: Layout, state: TreeState, { nodes }: Outline): number {
  const fallbackIndex = currentIndex === -1 ? Math.max(0, rows.length - 1) : currentIndex;
  const startId = state.targetId ?? getSelectedRow(state)?.node.id;
  for (let node = nodes.get(startId ?? ""); node; node = nodes.get(node.parentId ?? "")) {
    const rowNumber = rowNumbers[node.number] ?? 0;
    if (rowNumber > 0) return rowNumber - 1;
    // The target may still be read; until then, the current position is selected.
    if (state.targetId !== null) return fallbackIndex;
  }
  return fallbackIndex;
}

/** Clamps the index to the existing rows. */
export function selectRow(state: TreeState, index: number): TreeState {
  const selectedIndex = Math.max(0, Math.min(index, state.layout.rows.length - 1));
  return {
    ...state,
    selectedIndex,
    targetId: null,
    previewOffset: selectedIndex === state.selectedIndex ? state.previewOffset : 0,
    error: null,
  };
}

export interface TreeRow {
  readonly node: OutlineNode;
  /** The indentation level. */
  readonly depth: number;
  /** The id of the first entry of the row's branch. Null for the main branch. */
  readonly branchStart: string | null;
  /** The number of folded rows below it. */
  readonly hiddenCount: number;
  /** The ids of the first entries of the branches that start below this row, without the one that continues it. */
  readonly sideBranches: readonly string[];
}

export interface LayoutOptions {
  readonly matches: (node: OutlineNode) => boolean;
  /** The ids of the first entries of folded branches. */
  readonly folded: ReadonlySet<string>;
}

export interface Layout {
  readonly rows: readonly TreeRow[];
  readonly branchCount: number;
  /** The depth of the deepest row. */
  readonly maxDepth: number;
  /** The last visible row of the current branch. -1 if there is none. */
  readonly currentIndex: number;
  /** Whether the row at `currentIndex` is the current position: no entry that users see comes after it. */
  readonly isCurrentShown: boolean;
  /** The row index plus 1 by the number of the node. 0 if the node has no row. */
  readonly rowNumbers: Int32Array;
}

const emptyLayout: Layout = {
  rows: [],
  branchCount: 1,
  maxDepth: 0,
  currentIndex: -1,
  isCurrentShown: false,
  rowNumbers: new Int32Array(),
};

/** Runs for every key of a search, so it uses no lookups by id. It uses no recursion, since a tree may be as deep as the session is long. */
export function layoutRows(outline: Outline, options: LayoutOptions): Layout {
  const rows: TreeRow[] = [];
  const rowNumbers = new Int32Array(outline.nodes.size);
  const stack: { readonly node: OutlineNode; readonly depth: number; readonly branchStart: string | null }[] = [];
  let branchCount = 1;
  let maxDepth = 0;
  let currentIndex = -1;
  const pushNodes = (nodes: readonly OutlineNode[], depth: number, branchStart: string | null): readonly string[] => {
    const { mainNode, sideBranches } = splitBranches(findVisibleNodes(nodes, options));
    if (mainNode) stack.push({ node: mainNode, depth, branchStart });
    for (const node of sideBranches.toReversed()) stack.push({ node, depth: depth + 1, branchStart: node.id });
    return sideBranches.length === 0 ? NO_BRANCHES : sideBranches.map(({ id }) => id);
  };
  branchCount += pushNodes(findRoots(outline), 0, null).length;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth, branchStart } = next;
    const isFolded = branchStart === node.id && options.folded.has(branchStart);
    const hiddenCount = isFolded ? countDescendants(node.children, options) : 0;
    const sideBranches = isFolded ? NO_BRANCHES : pushNodes(node.children, depth, branchStart);
    rowNumbers[node.number] = rows.push({ node, depth, branchStart, hiddenCount, sideBranches });
    branchCount += sideBranches.length;
    maxDepth = Math.max(maxDepth, depth);
    if (node.isOnBranch) currentIndex = rows.length - 1;
  }
  return {
    rows,
    branchCount,
    maxDepth,
    currentIndex,
    isCurrentShown: isCurrentRow(rows[currentIndex], outline),
    rowNumbers,
  };
}

function isCurrentRow(row: TreeRow | undefined, { nodes, leaf }: Outline): boolean {
  let node = nodes.get(leaf ?? "");
  while (node && node !== row?.node && (node.kind === "other" || node.kind === "calls"))
    node = nodes.get(node.parentId ?? "");
  return node !== undefined && node === row?.node;
}

/** Whether the row is the first of a side branch. */
export function startsBranch({ node, branchStart }: TreeRow): boolean {
  return branchStart === node.id;
}

/** Shared, since most rows have no side branches. */
const NO_NODES: readonly OutlineNode[] = [];

const NO_BRANCHES: readonly string[] = [];

/** Returns the nearest visible nodes among these and their descendants, in order. */
function findVisibleNodes(nodes: readonly OutlineNode[], { matches }: LayoutOptions): readonly OutlineNode[] {
  let next = nodes;
  // Fast path: most nodes have one child.
  for (let [single] = next; single && next.length === 1; [single] = next) {
    if (matches(single)) return next;
    next = single.children;
  }
  if (next.length === 0) return next;
  const visible: OutlineNode[] = [];
  const stack = next.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (matches(node)) visible.push(node);
    else for (const child of node.children.toReversed()) stack.push(child);
  }
  return visible;
}

/** The current branch continues the main line, otherwise the newest branch does. */
function splitBranches(nodes: readonly OutlineNode[]): {
  readonly mainNode: OutlineNode | undefined;
  readonly sideBranches: readonly OutlineNode[];
} {
  if (nodes.length < 2) return { mainNode: nodes[0], sideBranches: NO_NODES };
  const mainNode = nodes.find(({ isOnBranch }) => isOnBranch) ?? nodes.at(-1);
  return { mainNode, sideBranches: nodes.filter((node) => node !== mainNode) };
}

function countDescendants(nodes: readonly OutlineNode[], { matches }: LayoutOptions): number {
  let count = 0;
  const stack = [...nodes];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (matches(node)) count++;
    for (const child of node.children) stack.push(child);
  }
  return count;
}
