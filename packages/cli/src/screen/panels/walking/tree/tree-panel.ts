/** The tree of a session as a page: one walks in it, looks for words, names entries, and goes to one of them. */

import type { Entry } from "@pith/context";
import type { Growth } from "../../../../commands/walking/outlining/outline.ts";
import { themeNamed } from "../../../drawing/theme.ts";
import { emptyLine, lineOf, typedInto } from "../../../widgets/line-input.ts";
import { answered, type GoesOn, goesOn, type Panel, type Pressed, type Sight } from "../../panel.ts";
import { mostScrolled } from "../drawing/draw-preview.ts";
import { drawTreePage, type TreeLook } from "../drawing/draw-tree-page.ts";
import { pageParts } from "../drawing/page-parts.ts";
import { type Seen, walkedWith } from "./tree-keys.ts";
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
} from "./tree-state.ts";

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
