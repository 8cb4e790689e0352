/** Reads the part of a session's tree around one branch and renders it as lines. The amount of work is limited, even for very long sessions. */

import type { Entry, Session } from "@pith/context";
import { isMoveEntry, sanitizeLine } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import { type EntryLine, shortId, toEntryLine } from "./entries.ts";

export interface TreeNode {
  readonly entry: Entry;
  readonly children: readonly TreeNode[];
  /** Whether entries below it were not read. */
  readonly isCut: boolean;
}

export interface TreePart {
  /** The first nodes of this part. */
  readonly roots: readonly TreeNode[];
  /** The entry before the roots. Null if the part starts at the beginning of the session. */
  readonly entryBefore: string | null;
  /** The ids of the branch to the requested entry. */
  readonly branchIds: ReadonlySet<string>;
  /** Whether the session has further entries. */
  readonly isCut: boolean;
}

export interface TreePartOptions {
  /** The last entry of the branch. Null for the position before the first entry. */
  readonly leafId: string | null;
  /** Whether entries below that entry are omitted. */
  readonly omitsDescendants?: boolean;
}

/** Reads the end of the branch to an entry, and the side branches of that part. */
export async function readTreePart(
  { leafId, omitsDescendants = false }: TreePartOptions,
  store: Store,
): Promise<TreePart> {
  const branch = await readBranch(leafId, store);
  const branchIds = new Set(branch.map(({ id }) => id));
  const [first] = branch;
  const budget = { left: MAX_SIDE_ENTRIES };
  const startsAtRoot = !first || first.parentId === null;
  const roots = startsAtRoot ? await store.children(null) : [first];
  const nodes: TreeNode[] = [];
  for (const entry of roots)
    nodes.push(await buildTree(entry, { store, budget, branchIds, stopId: omitsDescendants ? leafId : null }));
  return {
    roots: nodes,
    entryBefore: startsAtRoot ? null : first.parentId,
    branchIds,
    isCut: !startsAtRoot || budget.left < 0,
  };
}

const MAX_SIDE_ENTRIES = 2_000;
const MAX_BRANCH_ENTRIES = 1_000;

/** Returns the newest part of a branch, oldest entry first. */
export async function readBranch(
  leafId: string | null,
  store: Store,
  maxEntries: number = MAX_BRANCH_ENTRIES,
): Promise<readonly Entry[]> {
  const newestFirst: Entry[] = [];
  for (let id = leafId; id !== null && newestFirst.length < maxEntries; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    newestFirst.push(entry);
    id = entry.parentId;
  }
  return newestFirst.reverse();
}

interface BuildTreeOptions {
  readonly store: Store;
  readonly branchIds: ReadonlySet<string>;
  /** How many more entries outside the branch may be read. */
  readonly budget: { left: number };
  /** Entries below this one are not read. */
  readonly stopId: string | null;
}

interface MutableTreeNode {
  readonly entry: Entry;
  readonly children: MutableTreeNode[];
  isCut: boolean;
}

/** Uses no recursion, because a long branch would overflow the call stack. */
async function buildTree(root: Entry, { store, branchIds, budget, stopId }: BuildTreeOptions): Promise<TreeNode> {
  const top: MutableTreeNode = { entry: root, children: [], isCut: false };
  const stack = [top];
  for (let node = stack.pop(); node; node = stack.pop()) {
    // Entries of the branch are always read. Only other entries use up the budget.
    if (node.entry.id === stopId || (!branchIds.has(node.entry.id) && budget.left-- <= 0)) {
      node.isCut = true;
      continue;
    }
    const children = await store.children(node.entry.id);
    node.children.push(...children.map((entry) => ({ entry, children: [], isCut: false })));
    stack.push(...node.children);
  }
  return top;
}

export function isUserMessage(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

export interface TreeLine {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
  readonly excerpt: string;
  readonly label?: string;
  /** Whether the entry is on the current branch. */
  readonly isOnBranch: boolean;
  readonly isLeaf: boolean;
  /** Whether the line starts a side branch. */
  readonly isSide: boolean;
}

export interface TreeLineOptions {
  readonly labels: ReadonlyMap<string, string>;
  /** The current position. Null before the first entry. */
  readonly leaf: string | null;
  /** Default: `shortId`. */
  readonly formatId?: (id: string) => string;
}

export function renderTree({ roots, branchIds }: TreePart, options: TreeLineOptions): readonly TreeLine[] {
  const state: RenderState = { ...options, branchIds, leafIds: findLeafIds(roots, options), lines: [] };
  renderBranch(findVisibleNodes(roots, state), "", state);
  return state.lines;
}

interface RenderState extends TreeLineOptions {
  readonly branchIds: ReadonlySet<string>;
  /** The visible entry that is marked as the current position. The leaf itself may be hidden. */
  readonly leafIds: ReadonlySet<string>;
  readonly lines: TreeLine[];
}

interface VisibleNode {
  readonly node: TreeNode;
  readonly line: EntryLine;
}

/** Finds the nearest visible nodes at or below these, in order. Uses no recursion, because many nodes in a row may be hidden. */
function findVisibleNodes(nodes: readonly TreeNode[], { labels }: RenderState): readonly VisibleNode[] {
  const visibleNodes: VisibleNode[] = [];
  const stack = nodes.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    const line = toEntryLine(node.entry);
    const isShown = line.kind !== null || labels.has(node.entry.id) || node.isCut;
    if (isShown) visibleNodes.push({ node, line });
    else for (const child of node.children.toReversed()) stack.push(child);
  }
  return visibleNodes;
}

/** Indents all nodes except the one that continues this line: the node on the current branch, else the newest. */
function renderBranch(nodes: readonly VisibleNode[], indent: string, state: RenderState): void {
  let rest = nodes;
  while (rest.length > 0) {
    const main = rest.find(({ node }) => state.branchIds.has(node.entry.id)) ?? rest.at(-1);
    for (const visibleNode of rest) if (visibleNode !== main) renderSideBranch(visibleNode, indent, state);
    if (!main) return;
    state.lines.push({ ...formatNode(main, indent, state), isSide: false });
    rest = findVisibleNodes(main.node.children, state);
  }
}

function renderSideBranch(side: VisibleNode, indent: string, state: RenderState): void {
  state.lines.push({ ...formatNode(side, `${indent}├─ `, state), isSide: true });
  renderBranch(findVisibleNodes(side.node.children, state), `${indent}│  `, state);
}

function formatNode(
  { node, line }: VisibleNode,
  indent: string,
  { labels, branchIds, leafIds, formatId = shortId }: RenderState,
): Omit<TreeLine, "isSide"> {
  const { id } = node.entry;
  const rawLabel = labels.get(id);
  const label = rawLabel === undefined ? undefined : sanitizeLine(rawLabel, 40);
  const isLeaf = leafIds.has(id);
  const kind = line.kind ?? node.entry.type.replaceAll("_", " ");
  const marks = [
    ...(label === undefined ? [] : [`[${label}]`]),
    ...(node.isCut ? ["… more below"] : []),
    ...(isLeaf ? ["← here"] : []),
  ];
  return {
    id,
    text: `${indent}${formatId(id)} ${[`${kind}:`, line.text, ...marks].filter((part) => part !== "").join(" ")}`,
    kind,
    excerpt: line.text,
    ...(label !== undefined && { label }),
    isOnBranch: branchIds.has(id),
    isLeaf,
  };
}

/** Finds the last visible entry on the branch to the current position. */
function findLeafIds(roots: readonly TreeNode[], { leaf, labels }: TreeLineOptions): ReadonlySet<string> {
  const visibleAncestors = new Map<string, TreeNode | null>();
  const stack = roots.map((node): readonly [TreeNode, TreeNode | null] => [node, null]);
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [node, parent] = next;
    const isShown = toEntryLine(node.entry).kind !== null || labels.has(node.entry.id);
    const nearest = isShown && !isMoveEntry(node.entry) ? node : parent;
    visibleAncestors.set(node.entry.id, nearest);
    for (const child of node.children) stack.push([child, nearest]);
  }
  const current = leaf === null ? undefined : visibleAncestors.get(leaf);
  return new Set(current ? [current.entry.id] : []);
}

/** Null if the session is too long to be read completely. */
export async function countBranches({ store, leaf }: Pick<Session, "store" | "leaf">): Promise<number | null> {
  const part = await readTreePart({ leafId: leaf }, store);
  if (part.isCut) return null;
  const lines = renderTree(part, { labels: await store.labels(), leaf });
  return lines.length === 0 ? 0 : 1 + lines.filter(({ isSide }) => isSide).length;
}
