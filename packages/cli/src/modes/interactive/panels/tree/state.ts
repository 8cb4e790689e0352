/** Defines the tree page's state and filters, and how the state changes as entries are read. */

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
  /** For people. */
  readonly name: string;
  readonly matches: (twig: OutlineNode, outline: Outline) => boolean;
}

export const treeFilters: readonly TreeFilter[] = [
  { name: "talk and tools", matches: ({ kind }) => kind !== "other" && kind !== "calls" },
  { name: "no tools", matches: ({ kind }) => kind !== "other" && kind !== "calls" && kind !== "tool" },
  { name: "yours", matches: ({ kind }) => kind === "you" },
  { name: "labelled", matches: ({ id }, { labels }) => labels.has(id) },
  { name: "all", matches: () => true },
];

/** Messages that somebody could say anew. */
export const forkFilters: readonly TreeFilter[] = [
  { name: "this branch", matches: ({ kind, isOnWay }) => kind === "you" && isOnWay },
  { name: "every branch", matches: ({ kind }) => kind === "you" },
];

/** What is named by somebody is never hidden by its kind alone. */
export function createNodeFilter(filter: TreeFilter, query: string, outline: Outline): (node: OutlineNode) => boolean {
  const { labels } = outline;
  const keepsLabelled = filter.name === "talk and tools";
  const matchesQuery = createQueryMatcher(query, outline);
  return (node) => (filter.matches(node, outline) || (keepsLabelled && labels.has(node.id))) && matchesQuery(node);
}

/** Every word of the query, in what is shown or in the label; in whatever case. */
function createQueryMatcher(query: string, { labels }: Outline): (twig: OutlineNode) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const isInLabel = (id: string, word: string) => labels.get(id)?.toLowerCase().includes(word) ?? false;
  return ({ id, searchText }) => {
    for (const word of words) if (!searchText.includes(word) && !isInLabel(id, word)) return false;
    return true;
  };
}

/** The names that a row may bear, as wide as the widest. */
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
  other: "noted",
};

export interface TreeState {
  readonly outline: Outline;
  readonly filters: readonly TreeFilter[];
  /** Which of them is used. */
  readonly filterIndex: number;
  readonly folded: ReadonlySet<string>;
  readonly query: LineInput;
  readonly label: LineInput;
  /** What keys are for. */
  readonly mode: "walking" | "searching" | "labelling";
  /** All that is shown, as it follows from the above. */
  readonly layout: Layout;
  /** How many there are, whatever part of them is shown. */
  readonly branchCount: number;
  /** The row one is at. */
  readonly selectedIndex: number;
  /** The entry one is at, whole, once it was read. */
  readonly previewEntry: Entry | null;
  /** Lines of it that were scrolled away. */
  readonly previewOffset: number;
  /** The entry to be at once it is shown: where one stands, until somebody walks. */
  readonly targetId: string | null;
  /** What went wrong, for people. */
  readonly error: string | null;
}

export interface TreeStateOptions extends Pick<Outline, "leaf"> {
  readonly filters: readonly TreeFilter[];
  /** The page as it was left a moment ago: one comes back to it. */
  readonly previousState?: TreeState;
}

/** What was read is not read again, unless something was written since. */
export function createTreeState({ filters, previousState, leaf }: TreeStateOptions): TreeState {
  const { filterIndex = 0, folded = new Set<string>(), query = emptyInput } = previousState ?? {};
  const inputState = { query, label: emptyInput, mode: "walking" as const };
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

/** Whether nothing more is to be read of it. */
export function isUpToDate({ outline }: TreeState, leaf: string | null): boolean {
  return outline.reach !== "growing" && outline.leaf === leaf;
}

export function getSelectedRow({
  layout,
  selectedIndex,
}: Pick<TreeState, "layout" | "selectedIndex">): TreeRow | undefined {
  return layout.rows[selectedIndex];
}

/** More of the session was read. Rows are laid anew when there is half as much again: each time all of them are. */
export function applyOutlineUpdate(state: TreeState, update: OutlineUpdate): TreeState {
  const outline = extendOutline(state.outline, update);
  const hasGrown = outline.nodes.size > state.layout.rowNumbers.length * 1.5;
  if (!hasGrown && update.reach === "growing" && !update.labels) return { ...state, outline };
  return updateLayout(state, { outline });
}

export function applyLabel(state: TreeState, id: string, label: string): TreeState {
  return updateLayout(state, { outline: setLabel(state.outline, id, label) });
}

/** Whatever changes what is shown: one stays at the same entry, or at the nearest before it that is still shown. */
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
    // What is wanted may still come; until then one is where one stands.
    if (state.targetId !== null) return fallbackIndex;
  }
  return fallbackIndex;
}

/** At another row, as near as there is one. */
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
  /** How far it is set in. */
  readonly depth: number;
  /** The entry that the branch begins with that it belongs to; null where that is the straight one. */
  readonly branchStart: string | null;
  /** Rows that are folded away below it. */
  readonly hiddenCount: number;
  /** Branches that leave it besides the one that goes straight on; by the entries they begin with. */
  readonly sideBranches: readonly string[];
}

export interface LayoutOptions {
  readonly matches: (twig: OutlineNode) => boolean;
  /** The beginnings of branches that are folded. */
  readonly folded: ReadonlySet<string>;
}

export interface Layout {
  readonly rows: readonly TreeRow[];
  /** How many branches are among them. */
  readonly branchCount: number;
  /** How far the deepest is set in. */
  readonly maxDepth: number;
  /** The last row on the way, -1 where none is shown. */
  readonly currentIndex: number;
  /** Whether one stands there: nothing that people see lies behind it. */
  readonly isCurrentShown: boolean;
  /** The row of every twig by its number, one further on, so that 0 means none. */
  readonly rowNumbers: Int32Array;
}

export const emptyLayout: Layout = {
  rows: [],
  branchCount: 1,
  maxDepth: 0,
  currentIndex: -1,
  isCurrentShown: false,
  rowNumbers: new Int32Array(),
};

/** Asked again with every letter of a search: nothing in it looks anything up by name. Without recursion: a session may be as deep as it is long. */
export function layoutRows(outline: Outline, options: LayoutOptions): Layout {
  const rows: TreeRow[] = [];
  const rowNumbers = new Int32Array(outline.nodes.size);
  const stack: PendingNode[] = [];
  let branchCount = 1;
  let maxDepth = 0;
  let currentIndex = -1;
  const pushNodes = (nodes: readonly OutlineNode[], depth: number, branchStart: string | null): readonly string[] => {
    const { mainNode, sideBranches } = splitBranches(findVisibleNodes(nodes, options));
    if (mainNode) stack.push({ node: mainNode, depth, branchStart });
    for (const node of sideBranches.toReversed()) stack.push({ node, depth: depth + 1, branchStart: node.id });
    return sideBranches.length === 0 ? NO_BRANCHES : sideBranches.map(({ id }) => id);
  };
  pushNodes(findRoots(outline), 0, null);
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth, branchStart } = next;
    const isFolded = branchStart === node.id && options.folded.has(branchStart);
    const hiddenCount = isFolded ? countDescendants(node.children, options) : 0;
    const sideBranches = isFolded ? NO_BRANCHES : pushNodes(node.children, depth, branchStart);
    rowNumbers[node.number] = rows.push({ node, depth, branchStart, hiddenCount, sideBranches });
    branchCount += sideBranches.length;
    maxDepth = Math.max(maxDepth, depth);
    if (node.isOnWay) currentIndex = rows.length - 1;
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

/** Whether a branch begins with it that does not go straight on. */
export function startsBranch({ node, branchStart }: TreeRow): boolean {
  return branchStart === node.id;
}

interface PendingNode {
  readonly node: OutlineNode;
  readonly depth: number;
  readonly branchStart: string | null;
}

/** One for all, since most rows have none. */
const NO_NODES: readonly OutlineNode[] = [];

const NO_BRANCHES: readonly string[] = [];

/** The nearest that are shown, of these and below, in their order. */
function findVisibleNodes(nodes: readonly OutlineNode[], { matches }: LayoutOptions): readonly OutlineNode[] {
  let next = nodes;
  // Mostly one follows another.
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

/** The way goes straight on; where it does not pass, the newest does. */
function splitBranches(nodes: readonly OutlineNode[]): {
  readonly mainNode: OutlineNode | undefined;
  readonly sideBranches: readonly OutlineNode[];
} {
  if (nodes.length < 2) return { mainNode: nodes[0], sideBranches: NO_NODES };
  const mainNode = nodes.find(({ isOnWay }) => isOnWay) ?? nodes.at(-1);
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
