/** Reads the part of a session's tree around the branch to one entry and draws it as lines. Bounded, however long the session is. */

import type { Entry, Session } from "@pith/context";
import { MOVE_TYPE, sanitizeLine } from "@pith/context/host";
import type { Store } from "@pith/context/store";
import { type EntryLine, entryLine, shortId } from "./entries.ts";

export interface TreeNode {
  readonly entry: Entry;
  readonly children: readonly TreeNode[];
  /** Entries below it that were not looked at. */
  readonly isCut: boolean;
}

export interface TreePart {
  /** Those that the shown part begins with. */
  readonly roots: readonly TreeNode[];
  /** The entry before them, where the part does not begin with the session. */
  readonly before: string | null;
  /** The ids on the way to the entry it was asked for. */
  readonly way: ReadonlySet<string>;
  /** Whether there is more of the session than this. */
  readonly isCut: boolean;
}

export interface PartWish {
  /** The entry the way leads to; null for before the first. */
  readonly end: string | null;
  /** Whether what lies behind that entry is left out. */
  readonly stopsThere?: boolean;
}

/** The way to an entry, as far back as there is room, and all that leaves it there. */
export async function treePart({ end, stopsThere = false }: PartWish, store: Store): Promise<TreePart> {
  const way = await wayTo(end, store);
  const ids = new Set(way.map(({ id }) => id));
  const [first] = way;
  const budget = { left: MOST };
  const isWhole = !first || first.parentId === null;
  const roots = isWhole ? await store.children(null) : [first];
  const nodes: TreeNode[] = [];
  for (const entry of roots)
    nodes.push(await nodeOf(entry, { store, budget, way: ids, last: stopsThere ? end : null }));
  return { roots: nodes, before: isWhole ? null : first.parentId, way: ids, isCut: !isWhole || budget.left < 0 };
}

/** Entries that are looked at, on the way and beside it. */
const MOST = 2_000;
const MOST_ON_THE_WAY = 1_000;

/** The newest part of a branch, oldest first. */
export async function wayTo(
  end: string | null,
  store: Store,
  most: number = MOST_ON_THE_WAY,
): Promise<readonly Entry[]> {
  const upwards: Entry[] = [];
  for (let id = end; id !== null && upwards.length < most; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    upwards.push(entry);
    id = entry.parentId;
  }
  return upwards.reverse();
}

interface Growing {
  readonly store: Store;
  readonly way: ReadonlySet<string>;
  /** What may still be looked at beside the way. */
  readonly budget: { left: number };
  /** Behind it nothing is looked at. */
  readonly last: string | null;
}

interface Draft {
  readonly entry: Entry;
  readonly children: Draft[];
  isCut: boolean;
}

/** Without recursion: a branch may be as deep as it is long. */
async function nodeOf(root: Entry, { store, way, budget, last }: Growing): Promise<TreeNode> {
  const top: Draft = { entry: root, children: [], isCut: false };
  const waiting = [top];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    // What lies on the way is there whatever else there is no room for.
    if (node.entry.id === last || (!way.has(node.entry.id) && budget.left-- <= 0)) {
      node.isCut = true;
      continue;
    }
    const children = await store.children(node.entry.id);
    node.children.push(...children.map((entry) => ({ entry, children: [], isCut: false })));
    waiting.push(...node.children);
  }
  return top;
}

export function isMove(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE;
}

export interface TreeLine {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
  readonly words: string;
  readonly label?: string;
  /** Whether it is on the branch one stands on. */
  readonly isOnBranch: boolean;
  readonly isLeaf: boolean;
  /** Whether a branch begins with it that does not go straight on. */
  readonly isSide: boolean;
}

export interface TreeMarks {
  readonly labels: ReadonlyMap<string, string>;
  /** Where one stands; null before the first entry. */
  readonly leaf: string | null;
  /** How an id is written; short, unless said. */
  readonly idShown?: (id: string) => string;
}

export function drawTree({ roots, way }: TreePart, marks: TreeMarks): readonly TreeLine[] {
  const drawing: Drawing = { ...marks, way, leaves: leavesOf(roots, marks), lines: [] };
  drawAll(visible(roots, drawing), "", drawing);
  return drawing.lines;
}

interface Drawing extends TreeMarks {
  readonly way: ReadonlySet<string>;
  /** What is shown for the place where one stands: the leaf may be nothing to people. */
  readonly leaves: ReadonlySet<string>;
  readonly lines: TreeLine[];
}

interface Shown {
  readonly node: TreeNode;
  readonly line: EntryLine;
}

/** The nearest that are shown, of these and below, in their order. A stretch that is not may be long. */
function visible(nodes: readonly TreeNode[], { labels }: Drawing): readonly Shown[] {
  const shown: Shown[] = [];
  const waiting = nodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const line = entryLine(node.entry);
    const isShown = line.kind !== null || labels.has(node.entry.id) || node.isCut;
    if (isShown) shown.push({ node, line });
    else for (const child of node.children.toReversed()) waiting.push(child);
  }
  return shown;
}

/** All but the one that goes on are set in; the way goes on, and where it does not pass, the newest. */
function drawAll(shown: readonly Shown[], indent: string, drawing: Drawing): void {
  let rest = shown;
  while (rest.length > 0) {
    const straight = rest.find(({ node }) => drawing.way.has(node.entry.id)) ?? rest.at(-1);
    for (const each of rest) if (each !== straight) drawSide(each, indent, drawing);
    if (!straight) return;
    drawing.lines.push({ ...lineOf(straight, indent, drawing), isSide: false });
    rest = visible(straight.node.children, drawing);
  }
}

function drawSide(side: Shown, indent: string, drawing: Drawing): void {
  drawing.lines.push({ ...lineOf(side, `${indent}├─ `, drawing), isSide: true });
  drawAll(visible(side.node.children, drawing), `${indent}│  `, drawing);
}

function lineOf(
  { node, line }: Shown,
  indent: string,
  { labels, way, leaves, idShown = shortId }: Drawing,
): Omit<TreeLine, "isSide"> {
  const { id } = node.entry;
  const given = labels.get(id);
  const label = given === undefined ? undefined : sanitizeLine(given, 40);
  const isLeaf = leaves.has(id);
  const kind = line.kind ?? node.entry.type.replaceAll("_", " ");
  const marks = [
    ...(label === undefined ? [] : [`[${label}]`]),
    ...(node.isCut ? ["… more below"] : []),
    ...(isLeaf ? ["← here"] : []),
  ];
  return {
    id,
    text: `${indent}${idShown(id)} ${[`${kind}:`, line.words, ...marks].filter((part) => part !== "").join(" ")}`,
    kind,
    words: line.words,
    ...(label !== undefined && { label }),
    isOnBranch: way.has(id),
    isLeaf,
  };
}

/** The last that is shown on the way to where one stands. */
function leavesOf(roots: readonly TreeNode[], { leaf, labels }: TreeMarks): ReadonlySet<string> {
  const parents = new Map<string, TreeNode | null>();
  const waiting = roots.map((node): readonly [TreeNode, TreeNode | null] => [node, null]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, parent] = next;
    const isShown = entryLine(node.entry).kind !== null || labels.has(node.entry.id);
    const nearest = isShown && !isMove(node.entry) ? node : parent;
    parents.set(node.entry.id, nearest);
    for (const child of node.children) waiting.push([child, nearest]);
  }
  const at = leaf === null ? undefined : parents.get(leaf);
  return new Set(at ? [at.entry.id] : []);
}

/** Null where the session is too long to be looked at whole. */
export async function branchesOf({ store, leaf }: Pick<Session, "store" | "leaf">): Promise<number | null> {
  const part = await treePart({ end: leaf }, store);
  if (part.isCut) return null;
  const lines = drawTree(part, { labels: await store.labels(), leaf });
  return lines.length === 0 ? 0 : 1 + lines.filter(({ isSide }) => isSide).length;
}
