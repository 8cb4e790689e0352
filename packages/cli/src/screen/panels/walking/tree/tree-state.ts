/** What a tree page knows: what was read, which part of it is shown, and what is being typed. Pure. */

import type { Entry } from "@pith/context";
import {
  emptyOutline,
  type Growth,
  grown,
  type Outline,
  relabelled,
} from "../../../../commands/walking/outlining/outline.ts";
import { emptyLine, type LineInput } from "../../../widgets/line-input.ts";
import { passing, type Sieve } from "../rows/sieve.ts";
import { type TreeRow, treeRows } from "../rows/tree-rows.ts";

export interface TreeState {
  readonly outline: Outline;
  readonly sieves: readonly Sieve[];
  /** Which of them is used. */
  readonly sieve: number;
  readonly folded: ReadonlySet<string>;
  readonly query: LineInput;
  readonly label: LineInput;
  /** What keys are for. */
  readonly mode: "walking" | "searching" | "labelling";
  /** All that is shown, as it follows from the above. */
  readonly rows: readonly TreeRow[];
  /** How many branches are among them. */
  readonly branches: number;
  /** How far the deepest is set in. */
  readonly depth: number;
  /** The row one is at. */
  readonly at: number;
  /** The entry one is at, whole, once it was read. */
  readonly shown: Entry | null;
  /** Lines of it that were scrolled away. */
  readonly shownFrom: number;
  /** The entry to be at once it is shown: where one stands, until somebody walks. */
  readonly wanted: string | null;
  /** What went wrong, for people. */
  readonly trouble: string | null;
}

export interface TreeStart extends Pick<Outline, "leaf"> {
  readonly sieves: readonly Sieve[];
  /** Where the walk begins; where one stands, unless said. */
  readonly at?: string;
}

export function treeStart({ sieves, at = "", leaf }: TreeStart): TreeState {
  const typing = { query: emptyLine, label: emptyLine, mode: "walking" as const };
  const shown = { rows: [], branches: 1, depth: 0, at: 0, shown: null, shownFrom: 0, trouble: null };
  return { outline: emptyOutline(leaf), sieves, sieve: 0, folded: new Set(), ...typing, ...shown, wanted: at };
}

export function rowAt({ rows, at }: TreeState): TreeRow | undefined {
  return rows[at];
}

/** More of the session was read. */
export function withGrowth(state: TreeState, growth: Growth): TreeState {
  return laid(state, { outline: grown(state.outline, growth) });
}

export function withLabel(state: TreeState, id: string, label: string): TreeState {
  return laid(state, { outline: relabelled(state.outline, id, label) });
}

/** Whatever changes what is shown: one stays at the same entry, or at the nearest before it that is still shown. */
export function laid(
  state: TreeState,
  change: Partial<Pick<TreeState, "outline" | "sieve" | "folded" | "query">>,
): TreeState {
  const next = { ...state, ...change };
  const { outline, sieves, sieve, folded, query } = next;
  const [first] = sieves;
  const used = sieves[sieve] ?? first;
  if (!used) return next;
  const rows = treeRows(outline, { passes: passing(used, query.text, outline), folded });
  const branches = 1 + rows.reduce((sum, { isHead }) => sum + (isHead ? 1 : 0), 0);
  const depth = rows.reduce((most, row) => Math.max(most, row.depth), 0);
  return { ...next, rows, branches, depth, at: placeIn(rows, state, next.outline) };
}

function placeIn(rows: readonly TreeRow[], state: TreeState, { nodes }: Outline): number {
  const same = rows.findIndex(({ id }) => id === (state.wanted ?? rowAt(state)?.id));
  if (same !== -1) return same;
  const here = rows.findLastIndex(({ isOnWay }) => isOnWay);
  const beginning = here === -1 ? Math.max(0, rows.length - 1) : here;
  if (state.wanted !== null) return beginning;
  const places = new Map(rows.map(({ id }, at) => [id, at]));
  for (let id = rowAt(state)?.id ?? null; id !== null; id = nodes.get(id)?.parentId ?? null) {
    const at = places.get(id);
    if (at !== undefined) return at;
  }
  return beginning;
}

/** At another row, as near as there is one. */
export function walkedTo(state: TreeState, wanted: number): TreeState {
  const at = Math.max(0, Math.min(wanted, state.rows.length - 1));
  return { ...state, at, wanted: null, shownFrom: at === state.at ? state.shownFrom : 0, trouble: null };
}
