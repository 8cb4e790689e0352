/** The part of a session's tree that can be shown: the way to one entry, and what branches off on it. Bounded, however long the session is. */

import { type Entry, MOVE, type Store } from "@pith/context";

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
  return entry.type === "custom" && entry.customType === MOVE;
}
