/** Lays out a tree as rows: the current branch runs straight down, and side branches are indented before it continues. */

import { type Outline, rootsOf, type Twig } from "../../../../sessions/tree-outline.ts";

export interface TreeRow {
  readonly twig: Twig;
  /** How far it is set in. */
  readonly depth: number;
  /** The entry that the branch begins with that it belongs to; null where that is the straight one. */
  readonly head: string | null;
  /** Rows that are folded away below it. */
  readonly hidden: number;
  /** Branches that leave it besides the one that goes straight on; by the entries they begin with. */
  readonly sides: readonly string[];
}

export interface Laying {
  readonly passes: (twig: Twig) => boolean;
  /** The beginnings of branches that are folded. */
  readonly folded: ReadonlySet<string>;
}

export interface Layout {
  readonly rows: readonly TreeRow[];
  /** How many branches are among them. */
  readonly branches: number;
  /** How far the deepest is set in. */
  readonly depth: number;
  /** The last row on the way, -1 where none is shown. */
  readonly end: number;
  /** Whether one stands there: nothing that people see lies behind it. */
  readonly isHere: boolean;
  /** The row of every twig by its number, one further on, so that 0 means none. */
  readonly places: Int32Array;
}

export const noRows: Layout = {
  ...{ rows: [], branches: 1, depth: 0, end: -1, isHere: false, places: new Int32Array() },
};

/** Asked again with every letter of a search: nothing in it looks anything up by name. Without recursion: a session may be as deep as it is long. */
export function treeRows(outline: Outline, laying: Laying): Layout {
  const rows: TreeRow[] = [];
  const places = new Int32Array(outline.nodes.size);
  const waiting: Waiting[] = [];
  let branches = 1;
  let deepest = 0;
  let end = -1;
  const spread = (twigs: readonly Twig[], depth: number, head: string | null): readonly string[] => {
    const { straight, sides } = parted(shownOf(twigs, laying));
    if (straight) waiting.push({ twig: straight, depth, head });
    for (const twig of sides.toReversed()) waiting.push({ twig, depth: depth + 1, head: twig.id });
    return sides.length === 0 ? NO_SIDES : sides.map(({ id }) => id);
  };
  spread(rootsOf(outline), 0, null);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { twig, depth, head } = next;
    const isFolded = head === twig.id && laying.folded.has(head);
    const hidden = isFolded ? countBelow(twig.children, laying) : 0;
    const sides = isFolded ? NO_SIDES : spread(twig.children, depth, head);
    places[twig.number] = rows.push({ twig, depth, head, hidden, sides });
    branches += sides.length;
    deepest = Math.max(deepest, depth);
    if (twig.isOnWay) end = rows.length - 1;
  }
  return { rows, branches, depth: deepest, end, isHere: isWhereOneStands(rows[end], outline), places };
}

function isWhereOneStands(row: TreeRow | undefined, { nodes, leaf }: Outline): boolean {
  let twig = nodes.get(leaf ?? "");
  while (twig && twig !== row?.twig && (twig.kind === "other" || twig.kind === "calls"))
    twig = nodes.get(twig.parentId ?? "");
  return twig !== undefined && twig === row?.twig;
}

/** Whether a branch begins with it that does not go straight on. */
export function isHead({ twig, head }: TreeRow): boolean {
  return head === twig.id;
}

interface Waiting {
  readonly twig: Twig;
  readonly depth: number;
  readonly head: string | null;
}

/** One for all, since most rows have none. */
const NONE: readonly Twig[] = [];
const NO_SIDES: readonly string[] = [];

/** The nearest that are shown, of these and below, in their order. */
function shownOf(twigs: readonly Twig[], { passes }: Laying): readonly Twig[] {
  let next = twigs;
  // Mostly one follows another.
  for (let [only] = next; only && next.length === 1; [only] = next) {
    if (passes(only)) return next;
    next = only.children;
  }
  if (next.length === 0) return next;
  const shown: Twig[] = [];
  const waiting = next.toReversed();
  for (let twig = waiting.pop(); twig; twig = waiting.pop()) {
    if (passes(twig)) shown.push(twig);
    else for (const child of twig.children.toReversed()) waiting.push(child);
  }
  return shown;
}

/** The way goes straight on; where it does not pass, the newest does. */
function parted(twigs: readonly Twig[]): { readonly straight: Twig | undefined; readonly sides: readonly Twig[] } {
  if (twigs.length < 2) return { straight: twigs[0], sides: NONE };
  const straight = twigs.find(({ isOnWay }) => isOnWay) ?? twigs.at(-1);
  return { straight, sides: twigs.filter((twig) => twig !== straight) };
}

function countBelow(twigs: readonly Twig[], { passes }: Laying): number {
  let count = 0;
  const waiting = [...twigs];
  for (let twig = waiting.pop(); twig; twig = waiting.pop()) {
    if (passes(twig)) count++;
    for (const child of twig.children) waiting.push(child);
  }
  return count;
}
