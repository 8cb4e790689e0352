/** The tree of a session as a page: one walks in it, looks for words, names entries, and goes to one of them. */

import type { Entry } from "@pith/context";
import type { Growth } from "../../../../commands/walking/outlining/outline.ts";
import { emptyLine, lineOf, typedInto } from "../../../widgets/line-input.ts";
import { answered, type GoesOn, goesOn, type Panel, type Pressed } from "../../panel.ts";
import { drawTreePage, type TreeLook } from "../drawing/draw-tree-page.ts";
import { walkedWith } from "./tree-keys.ts";
import {
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
  /** What Enter does. */
  readonly enter: Picked["type"];
  readonly entry: (id: string) => Promise<Entry | undefined>;
  readonly growth: (signal: AbortSignal) => AsyncIterable<Growth>;
  /** Names an entry; an empty name takes it away. Why not, or null. */
  readonly name: (id: string, label: string) => Promise<string | null>;
}

/** An entry that was chosen, to go on there or to begin a session of its own with. */
export interface Picked {
  readonly type: "go" | "fork";
  readonly id: string;
}

export function treePanel(parts: TreeParts): Panel<TreeState, Picked> {
  return {
    start: treeStart(parts),
    press: (state, key) => {
      if (state.mode === "labelling") return labelling(state, key, parts);
      if (state.mode === "searching") return searching(state, key, parts);
      return walking(state, key, parts);
    },
    draw: (state, sight) => drawTreePage(state, sight, parts),
    learns: async (learn, signal) => {
      for await (const growth of parts.growth(signal)) {
        learn((state) => withGrowth(state, growth));
        await previewed(learn, parts);
      }
    },
  };
}

type Reaction = Pressed<TreeState, Picked> | null;

function walking(state: TreeState, key: string, parts: TreeParts): Reaction {
  const id = rowAt(state)?.id;
  if (key === "/") return goesOn<TreeState>({ ...state, mode: "searching" });
  if (key === "escape" && state.query.text !== "") return seen(laid(state, { query: emptyLine }), parts);
  if (id !== undefined && key === "enter") return answered({ type: parts.enter, id });
  if (id !== undefined && key === "f") return answered({ type: "fork", id });
  if (id !== undefined && key === "l")
    return goesOn<TreeState>({ ...state, mode: "labelling", label: lineOf(state.outline.labels.get(id) ?? "") });
  const next = walkedWith(state, key);
  return next && seen(next, parts);
}

/** Arrows walk through what is found, Enter takes it, Escape ends the search where one is. */
function searching(state: TreeState, key: string, parts: TreeParts): Reaction {
  const row = rowAt(state);
  if (key === "enter") return row ? answered({ type: parts.enter, id: row.id }) : goesOn(state);
  if (key === "escape") {
    const ended = laid({ ...state, wanted: row?.id ?? "", mode: "walking" }, { query: emptyLine });
    return seen(walkedTo(ended, ended.at), parts);
  }
  if (WALKING.includes(key)) {
    const next = walkedWith(state, key);
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
  const { id } = row;
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
  const id = rowAt(state)?.id;
  if (id === undefined || state.shown?.id === id) return goesOn(state);
  return { ...goesOn(state), later: async () => shownAs(await parts.entry(id)) };
}

async function previewed(
  learn: (change: (state: TreeState) => TreeState) => void,
  { entry }: TreeParts,
): Promise<void> {
  let wanted: string | null = null;
  learn((state) => {
    const id = rowAt(state)?.id ?? null;
    wanted = state.shown?.id === id ? null : id;
    return state;
  });
  if (wanted !== null) learn(shownAs(await entry(wanted)));
}

function shownAs(entry: Entry | undefined): (state: TreeState) => TreeState {
  return (state) => (entry && rowAt(state)?.id === entry.id ? { ...state, shown: entry } : state);
}
