/** What keys do on a tree page while one walks: along the rows, from branch to branch, and what is folded or shown. Pure. */

import { isHead, type TreeRow } from "../rows/tree-rows.ts";
import { laid, rowAt, type TreeState, walkedTo } from "./tree-state.ts";

/** How much of a page is seen at once. */
export interface Seen {
  readonly rows: number;
  /** Lines of the preview, and how many of them can be scrolled away. */
  readonly lines: number;
  readonly mostScrolled: () => number;
}

/** Null where the key is no walking. */
export function walkedWith(state: TreeState, key: string, seen: Seen): TreeState | null {
  return walking.get(key)?.(state, seen) ?? null;
}

type Step = (state: TreeState, seen: Seen) => TreeState;

const by =
  (rows: number): Step =>
  (state) =>
    walkedTo(state, state.at + rows);

/** One row of what was seen is seen again. */
const byPage =
  (side: -1 | 1): Step =>
  (state, { rows }) =>
    walkedTo(state, state.at + side * Math.max(1, rows - 1));

const sieveBy =
  (step: number): Step =>
  (state) => {
    const { length } = state.sieves;
    return laid(state, { sieve: (state.sieve + step + length) % length });
  };

const scrolledTo = (state: TreeState, line: number, { mostScrolled }: Seen): TreeState => ({
  ...state,
  shownFrom: Math.max(0, Math.min(line, mostScrolled())),
});

const scrolled =
  (lines: number): Step =>
  (state, seen) =>
    scrolledTo(state, state.shownFrom + lines, seen);

const readsOn: Step = (state, seen) => scrolledTo(state, state.shownFrom + Math.max(1, seen.lines - 3), seen);

const first: Step = (state) => walkedTo(state, 0);
const last: Step = (state) => walkedTo(state, state.layout.rows.length - 1);
/** Where one stands, or what is shown before it. */
const here: Step = (state) => walkedTo(state, state.layout.end);

/** The newest of what was left: where one was before one came here. */
const lastLeft: Step = (state) => {
  const { rows } = state.layout;
  let newest = -1;
  for (const [at, { twig }] of rows.entries())
    if (!twig.isOnWay && twig.time >= (rows[newest]?.twig.time ?? 0)) newest = at;
  return newest === -1 ? state : walkedTo(state, newest);
};

const walking: ReadonlyMap<string, Step> = new Map([
  ["up", by(-1)],
  ["k", by(-1)],
  ["down", by(1)],
  ["j", by(1)],
  ["pageUp", byPage(-1)],
  ["pageDown", byPage(1)],
  ["home", first],
  ["g", first],
  ["end", last],
  ["G", last],
  [".", here],
  ["b", lastLeft],
  ["left", (state) => foldedAt(state)],
  ["right", (state) => unfoldedAt(state)],
  ["[", (state) => atBranch(state, "before")],
  ["alt+up", (state) => atBranch(state, "before")],
  ["]", (state) => atBranch(state, "behind")],
  ["alt+down", (state) => atBranch(state, "behind")],
  ["tab", sieveBy(1)],
  ["shift+tab", sieveBy(-1)],
  ["shift+down", scrolled(1)],
  ["shift+up", scrolled(-1)],
  ["space", readsOn],
  [" ", readsOn],
]);

/** The branch one is in; on the way, what leaves it here; where nothing is left to fold, back to where it left. */
function foldedAt(state: TreeState): TreeState {
  const row = rowAt(state);
  if (!row) return state;
  const open = row.sides.filter((id) => !state.folded.has(id));
  if (open.length > 0) return folding(state, { fold: open });
  if (row.head === null) return atBranch(state, "before");
  if (row.hidden > 0 || state.folded.has(row.head)) return atBranch(state, "before");
  const head = (state.layout.places[state.outline.nodes.get(row.head)?.number ?? -1] ?? 0) - 1;
  return folding(walkedTo(state, head), { fold: [row.head] });
}

function unfoldedAt(state: TreeState): TreeState {
  const row = rowAt(state);
  if (!row) return state;
  if (row.hidden > 0) return folding(state, { unfold: [row.twig.id] });
  const closed = row.sides.filter((id) => state.folded.has(id));
  if (closed.length > 0) return folding(state, { unfold: closed });
  return atBranch(state, "behind");
}

interface Folding {
  readonly fold?: readonly string[];
  readonly unfold?: readonly string[];
}

function folding(state: TreeState, { fold = [], unfold = [] }: Folding): TreeState {
  const folded = new Set([...state.folded, ...fold]);
  for (const id of unfold) folded.delete(id);
  return laid(state, { folded });
}

/** To the nearest row where a branch leaves or begins. */
function atBranch(state: TreeState, side: "before" | "behind"): TreeState {
  const { at, layout } = state;
  const { rows } = layout;
  const found =
    side === "before"
      ? rows.findLastIndex((row, index) => index < at && isBranching(row))
      : rows.findIndex((row, index) => index > at && isBranching(row));
  if (found !== -1) return walkedTo(state, found);
  return walkedTo(state, side === "before" ? 0 : rows.length - 1);
}

function isBranching(row: TreeRow): boolean {
  return isHead(row) || row.sides.length > 0;
}
