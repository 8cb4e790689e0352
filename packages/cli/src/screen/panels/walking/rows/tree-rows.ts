/** A tree as rows: the way to where one stands goes straight down, what was left is set in before it goes on. Pure. */

import { type Outline, rootsOf } from "../../../../commands/walking/outlining/outline.ts";
import type { Sketch } from "../../../../commands/walking/outlining/sketch.ts";

export interface TreeRow {
  readonly id: string;
  /** How far it is set in. */
  readonly depth: number;
  /** The entry that the branch begins with that it belongs to; null where that is the straight one. */
  readonly head: string | null;
  readonly isHead: boolean;
  readonly isOnWay: boolean;
  /** One stands there. */
  readonly isHere: boolean;
  /** Rows that are folded away below it. */
  readonly hidden: number;
  /** Branches that leave it besides the one that goes straight on; by the entries they begin with. */
  readonly sides: readonly string[];
}

export interface Laying {
  readonly passes: (sketch: Sketch) => boolean;
  /** The beginnings of branches that are folded. */
  readonly folded: ReadonlySet<string>;
}

/** Without recursion: a session may be as deep as it is long. */
export function treeRows(outline: Outline, laying: Laying): readonly TreeRow[] {
  const rows: Draft[] = [];
  const waiting: Waiting[] = [];
  const spread = (ids: readonly string[], { depth, head }: Pick<TreeRow, "depth" | "head">): readonly string[] => {
    const { straight, sides } = parted(shownOf(ids, outline, laying), outline);
    if (straight !== null) waiting.push({ id: straight, depth, head, isHead: false });
    for (const id of sides.toReversed()) waiting.push({ id, depth: depth + 1, head: id, isHead: true });
    return sides;
  };
  spread(rootsOf(outline), { depth: 0, head: null });
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { id } = next;
    const children = outline.children.get(id) ?? [];
    const isFolded = next.isHead && laying.folded.has(id);
    const { depth, head, isHead } = next;
    const row: Draft = { id, depth, head, isHead, isOnWay: outline.way.has(id), isHere: false, hidden: 0, sides: NONE };
    rows.push(row);
    if (isFolded) row.hidden = countBelow(children, outline, laying);
    else row.sides = spread(children, next);
  }
  const last = rows.findLast(({ isOnWay }) => isOnWay);
  if (last) last.isHere = isWhereOneStands(last.id, outline);
  return rows;
}

/** Nothing that people see stands between it and the leaf. */
function isWhereOneStands(id: string, { nodes, leaf }: Outline): boolean {
  let node = leaf === null ? undefined : nodes.get(leaf);
  while (node && node.id !== id && (node.kind === "other" || node.kind === "calls"))
    node = node.parentId === null ? undefined : nodes.get(node.parentId);
  return node?.id === id;
}

type Draft = { -readonly [Field in keyof TreeRow]: TreeRow[Field] };

type Waiting = Pick<TreeRow, "id" | "depth" | "head" | "isHead">;

/** One for all, since most rows have none. */
const NONE: readonly string[] = [];

/** The nearest that are shown, of these and below, in their order. */
function shownOf(ids: readonly string[], outline: Outline, { passes }: Laying): readonly string[] {
  const { nodes, children } = outline;
  let next = ids;
  // Mostly one follows another.
  for (let [only] = next; only !== undefined && next.length === 1; [only] = next) {
    const node = nodes.get(only);
    if (node && passes(node)) return next;
    next = children.get(only) ?? NONE;
  }
  if (next.length === 0) return next;
  const shown: string[] = [];
  const waiting = next.toReversed();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = nodes.get(id);
    if (!node) continue;
    if (passes(node)) shown.push(id);
    else for (const child of (children.get(id) ?? []).toReversed()) waiting.push(child);
  }
  return shown;
}

/** The way goes straight on; where it does not pass, the newest does. */
function parted(
  ids: readonly string[],
  { way }: Outline,
): { readonly straight: string | null; readonly sides: readonly string[] } {
  const [only = null] = ids;
  if (ids.length < 2) return { straight: only, sides: NONE };
  const straight = ids.find((id) => way.has(id)) ?? ids.at(-1) ?? null;
  return { straight, sides: ids.filter((id) => id !== straight) };
}

function countBelow(ids: readonly string[], { nodes, children }: Outline, { passes }: Laying): number {
  let count = 0;
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = nodes.get(id);
    if (node && passes(node)) count++;
    for (const child of children.get(id) ?? []) waiting.push(child);
  }
  return count;
}
