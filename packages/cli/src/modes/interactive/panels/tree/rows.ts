/** Lays out a tree as rows: the current branch runs straight down, and side branches are indented before it continues. */

import { findRoots, type Outline, type OutlineNode } from "../../../../sessions/tree-outline.ts";

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
