/** What a session changed in files: the files, and below them the changes of the one that is chosen. Pure. */

import type { ChangedFile } from "../../../commands/looking/changed-file.ts";
import { atTop, walked } from "../../widgets/list.ts";
import { answered, goesOn, type Panel, type Pressed } from "../panel.ts";
import { type DiffState, LIST_ROWS, patchRows } from "./diff-state.ts";
import { drawDiffPage } from "./draw-diff-page.ts";

export function diffPanel(files: readonly ChangedFile[]): Panel<DiffState, null> {
  return { start: { files, walk: atTop, from: 0 }, press, draw: drawDiffPage };
}

function press(state: DiffState, key: string): Pressed<DiffState, null> | null {
  const { files, walk } = state;
  if (key === "q") return answered(null);
  const moved = key === "up" || key === "down" ? walked(walk, key, { count: files.length, rows: LIST_ROWS }) : null;
  if (moved) return goesOn({ ...state, walk: moved, from: moved.at === walk.at ? state.from : 0 });
  const by = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (by === undefined) return null;
  const last = Math.max(0, patchRows(files[walk.at]).length - 1);
  return goesOn({ ...state, from: Math.max(0, Math.min(last, state.from + by)) });
}

const steps: Readonly<Record<string, number>> = {
  pageDown: 12,
  space: 12,
  " ": 12,
  pageUp: -12,
  b: -12,
  j: 1,
  k: -1,
  home: Number.NEGATIVE_INFINITY,
  g: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};
