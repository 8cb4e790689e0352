/** What keys do on a tree page while one walks: along the rows, from branch to branch, and what is folded or shown. Pure. */

import { laid, rowAt, type TreeState, walkedTo } from "./tree-state.ts";

/** Null where the key is no walking. */
export function walkedWith(state: TreeState, key: string): TreeState | null {
  return walking.get(key)?.(state) ?? null;
}

type Step = (state: TreeState) => TreeState;

const PAGE = 12;

const by =
  (rows: number): Step =>
  (state) =>
    walkedTo(state, state.at + rows);

const sieveBy =
  (step: number): Step =>
  (state) => {
    const { length } = state.sieves;
    return laid(state, { sieve: (state.sieve + step + length) % length });
  };

const scrolled =
  (lines: number): Step =>
  (state) => ({ ...state, shownFrom: Math.max(0, state.shownFrom + lines) });

const first: Step = (state) => walkedTo(state, 0);
const last: Step = (state) => walkedTo(state, state.rows.length - 1);
/** Where one stands, or what is shown before it. */
const here: Step = (state) => {
  const at = state.rows.findLastIndex(({ isOnWay }) => isOnWay);
  return walkedTo(state, at);
};

/** The newest of what was left: where one was before one came here. */
const lastLeft: Step = (state) => {
  const { nodes } = state.outline;
  const newest = state.rows.reduce((best, { id, isOnWay }, at) => {
    const time = nodes.get(id)?.time ?? 0;
    return !isOnWay && time >= best.time ? { at, time } : best;
  }, NOWHERE);
  return newest.at === NOWHERE.at ? state : walkedTo(state, newest.at);
};

const NOWHERE = { at: -1, time: 0 };

const walking: ReadonlyMap<string, Step> = new Map([
  ["up", by(-1)],
  ["k", by(-1)],
  ["down", by(1)],
  ["j", by(1)],
  ["pageUp", by(-PAGE)],
  ["pageDown", by(PAGE)],
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
  ["space", scrolled(PAGE)],
  [" ", scrolled(PAGE)],
]);

/** The branch one is in; on the way, what leaves it here; where nothing is left to fold, back to where it left. */
function foldedAt(state: TreeState): TreeState {
  const row = rowAt(state);
  if (!row) return state;
  const open = row.sides.filter((id) => !state.folded.has(id));
  if (open.length > 0) return folding(state, { fold: open });
  if (row.head === null) return atBranch(state, "before");
  if (row.hidden > 0 || state.folded.has(row.head)) return atBranch(state, "before");
  const head = state.rows.findIndex(({ id }) => id === row.head);
  return folding(walkedTo(state, head), { fold: [row.head] });
}

function unfoldedAt(state: TreeState): TreeState {
  const row = rowAt(state);
  if (!row) return state;
  if (row.hidden > 0) return folding(state, { unfold: [row.id] });
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
  const { rows, at } = state;
  const found =
    side === "before"
      ? rows.findLastIndex((row, index) => index < at && (row.isHead || row.sides.length > 0))
      : rows.findIndex((row, index) => index > at && (row.isHead || row.sides.length > 0));
  if (found !== -1) return walkedTo(state, found);
  return walkedTo(state, side === "before" ? 0 : rows.length - 1);
}
