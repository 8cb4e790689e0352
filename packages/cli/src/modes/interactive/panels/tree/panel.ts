/** Implements the tree page's keys: selection, folding, filters, search, labels, and choosing an entry. */

import type { Entry } from "@pith/context";
import type { Growth } from "../../../../sessions/tree-outline.ts";
import { themeNamed } from "../../render/theme.ts";
import { answered, type GoesOn, goesOn, type Panel, type Pressed, type Sight } from "../panel.ts";
import { emptyLine, lineOf, typedInto } from "../widgets.ts";
import { drawTreePage, pageParts, type TreeLook } from "./draw.ts";
import { mostScrolled } from "./preview.ts";
import { isHead, type TreeRow } from "./rows.ts";
import {
  isStill,
  laid,
  rowAt,
  type TreeStart,
  type TreeState,
  treeStart,
  walkedTo,
  withGrowth,
  withLabel,
} from "./state.ts";

/** How much of a page is seen at once. */
export interface Seen {
  readonly rows: number;
  /** Lines of the preview, and how many of them can be scrolled away. */
  readonly lines: number;
  readonly mostScrolled: () => number;
}

/** Null where the key is no walking. */
export function walkedWith(state: TreeState, key: string, seen: Seen): TreeState | null {
  return moveKeys.get(key)?.(state, seen) ?? null;
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

const moveKeys: ReadonlyMap<string, Step> = new Map([
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

export interface TreeParts extends TreeStart, TreeLook {
  readonly entry: (id: string) => Promise<Entry | undefined>;
  readonly growth: (signal: AbortSignal) => AsyncIterable<Growth>;
  /** Names an entry; an empty name takes it away. Why not, or null. */
  readonly name: (id: string, label: string) => Promise<string | null>;
}

/** An entry that was chosen, to go on there or to begin a session of its own with. */
export interface Picked {
  readonly type: "go" | "fork";
  readonly id: string;
  /** The page it was chosen on, for who comes back to it. */
  readonly page: TreeState;
}

export function treePanel(parts: TreeParts): Panel<TreeState, Picked> {
  return {
    start: treeStart(parts),
    press: (state, key, sight = UNSEEN) => {
      if (state.mode === "labelling") return labelling(state, key, parts);
      const seen = seenAs(state, sight, parts);
      return state.mode === "searching"
        ? searching(state, key, { ...parts, seen })
        : walking(state, key, { ...parts, seen });
    },
    draw: (state, sight) => drawTreePage(state, sight, parts),
    learns: async (learn, signal) => {
      if (parts.before && isStill(parts.before, parts.leaf)) return await previewed(learn, parts);
      for await (const growth of parts.growth(signal)) {
        learn((state) => withGrowth(state, growth));
        await previewed(learn, parts);
      }
    },
  };
}

type Reaction = Pressed<TreeState, Picked> | null;

interface Walking extends TreeParts {
  readonly seen: Seen;
}

/** Before it was drawn for the first time. */
const UNSEEN: Sight = { width: 80, height: 24, theme: themeNamed("none") };

function seenAs(state: TreeState, sight: Sight, { enter }: TreeParts): Seen {
  const { list, preview } = pageParts(sight);
  const look = { ...preview, theme: sight.theme, enter };
  return { rows: list.height, lines: preview.height, mostScrolled: () => mostScrolled(state, look) };
}

function walking(state: TreeState, key: string, parts: Walking): Reaction {
  const id = rowAt(state)?.twig.id;
  if (key === "/") return goesOn<TreeState>({ ...state, mode: "searching" });
  if (key === "escape" && state.query.text !== "") return seen(laid(state, { query: emptyLine }), parts);
  if (id !== undefined && key === "enter") return answered({ type: parts.enter, id, page: state });
  if (id !== undefined && key === "f") return answered({ type: "fork", id, page: state });
  if (id !== undefined && key === "l")
    return goesOn<TreeState>({ ...state, mode: "labelling", label: lineOf(state.outline.labels.get(id) ?? "") });
  const next = walkedWith(state, key, parts.seen);
  return next && seen(next, parts);
}

/** Arrows walk through what is found, Enter takes it, Escape ends the search where one is. */
function searching(state: TreeState, key: string, parts: Walking): Reaction {
  const twig = rowAt(state)?.twig;
  if (key === "enter") return twig ? answered({ type: parts.enter, id: twig.id, page: state }) : goesOn(state);
  if (key === "escape") {
    const ended = laid({ ...state, wanted: twig?.id ?? "", mode: "walking" }, { query: emptyLine });
    return seen(walkedTo(ended, ended.at), parts);
  }
  if (WALKING.includes(key)) {
    const next = walkedWith(state, key, parts.seen);
    return next && seen(next, parts);
  }
  const query = typedInto(state.query, key);
  if (!query) return null;
  // The newest that is found, unless one was somewhere already that still is.
  return seen(laid(state, { query }), parts);
}

const WALKING = ["up", "down", "pageUp", "pageDown", "tab", "shift+tab"];

function labelling(state: TreeState, key: string, { name }: TreeParts): Reaction {
  const row = rowAt(state);
  const walkingAgain: TreeState = { ...state, mode: "walking" };
  if (key === "escape" || !row) return goesOn(walkingAgain);
  if (key !== "enter") {
    const label = typedInto(state.label, key);
    return label && goesOn({ ...state, label });
  }
  const { id } = row.twig;
  const label = state.label.text.trim();
  return {
    ...goesOn(walkingAgain),
    later: async () => {
      const trouble = await name(id, label);
      return (known) => (trouble === null ? withLabel(known, id, label) : { ...known, trouble });
    },
  };
}

/** With the entry one is at, once it was read. */
function seen(state: TreeState, parts: TreeParts): GoesOn<TreeState> {
  const id = rowAt(state)?.twig.id;
  if (id === undefined || state.shown?.id === id) return goesOn(state);
  return { ...goesOn(state), later: async () => shownAs(await parts.entry(id)) };
}

async function previewed(
  learn: (change: (state: TreeState) => TreeState) => void,
  { entry }: TreeParts,
): Promise<void> {
  let wanted: string | null = null;
  learn((state) => {
    const id = rowAt(state)?.twig.id ?? null;
    wanted = state.shown?.id === id ? null : id;
    return state;
  });
  if (wanted !== null) learn(shownAs(await entry(wanted)));
}

function shownAs(entry: Entry | undefined): (state: TreeState) => TreeState {
  return (state) => (entry && rowAt(state)?.twig.id === entry.id ? { ...state, shown: entry } : state);
}
