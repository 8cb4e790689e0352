/** A tree over the whole terminal: what is shown at the top, the rows with the chosen one's words beside or below, the keys at the foot. Pure. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../../printing/plain.ts";
import { atBothEnds } from "../../../drawing/lines/columns.ts";
import { hintLine } from "../../../widgets/hint-line.ts";
import { drawLine } from "../../../widgets/line-input.ts";
import type { Sight } from "../../panel.ts";
import type { TreeState } from "../tree/tree-state.ts";
import { drawPreview } from "./draw-preview.ts";
import { drawRow } from "./draw-row.ts";
import { pageParts } from "./page-parts.ts";

export interface TreeLook {
  readonly title: string;
  /** What each key does, the most wanted first and the way out last. */
  readonly hints: readonly string[];
  /** What Enter does. */
  readonly enter: "go" | "fork";
  /** In milliseconds. */
  readonly now: () => number;
}

export function drawTreePage(state: TreeState, sight: Sight, look: TreeLook): readonly string[] {
  const { width, height, theme } = sight;
  const head = [titleLine(state, sight, look), sieveLine(state, sight), theme.border("─".repeat(width))];
  const foot = [footLine(state, sight, look)];
  const parts = pageParts(sight);
  const list = rowsSeen(state, { ...sight, ...parts.list }, look);
  const preview = drawPreview(state, { ...parts.preview, theme, enter: look.enter });
  const body = parts.isBeside
    ? besideEachOther(list, preview, { ...sight, ...parts.list })
    : below(list, preview, sight);
  return [...head, ...body, ...foot].slice(-height);
}

function titleLine({ outline, branches }: TreeState, { width, theme }: Sight, { title }: TreeLook): string {
  const count = outline.nodes.size.toLocaleString("en-US");
  const told = {
    whole: `${count} entries${branches > 1 ? ` · ${branches} branches` : ""}`,
    growing: `${count} entries so far, reading on …`,
    cut: `${count} entries read; what is left out: /tree and its id`,
  }[outline.reach];
  return atBothEnds(theme.strong(` ${plain(title)}`), theme.dim(told), width);
}

function sieveLine(state: TreeState, { width, theme }: Sight): string {
  const { sieves, sieve, mode, query, layout, at } = state;
  const count = layout.rows.length.toLocaleString("en-US");
  if (mode === "searching" || query.text !== "") {
    const typed = mode === "searching" ? drawLine(query, theme) : plain(query.text);
    return ` / ${typed}  ${theme.dim(`${count} found in: ${sieves[sieve]?.name ?? ""}`)}`;
  }
  const place = theme.dim(layout.rows.length === 0 ? "" : `${(at + 1).toLocaleString("en-US")} of ${count}`);
  const names = sieves.map(({ name }, index) => (index === sieve ? theme.accent(`[${name}]`) : theme.dim(` ${name} `)));
  const all = ` ${names.join(" ")}`;
  // Where they do not all stand in the line, the one that is used does.
  const line = visibleWidth(all) + visibleWidth(place) + 2 <= width ? all : ` ${names[sieve] ?? ""}`;
  return atBothEnds(line, place, width);
}

function footLine({ mode, label, trouble }: TreeState, { width, theme }: Sight, { hints }: TreeLook): string {
  if (trouble !== null) return theme.bad(` ${plain(trouble)}`);
  if (mode === "labelling") {
    const typed = ` Label: ${drawLine(label, theme)}  `;
    return `${typed}${hintLine(LABELLING, { width: width - visibleWidth(typed), theme })}`;
  }
  return hintLine(mode === "searching" ? SEARCHING : hints, { width, theme });
}

const LABELLING = ["Enter keeps it", "empty takes it away", "Esc leaves it"];
const SEARCHING = ["↑↓ walk", "Enter takes it", "Tab looks elsewhere", "Esc ends the search"];

function besideEachOther(
  list: readonly string[],
  preview: readonly string[],
  { width, theme }: Sight,
): readonly string[] {
  return list.map((left, at) => {
    const gap = " ".repeat(Math.max(0, width - visibleWidth(left)));
    return `${left}${gap}${theme.border("│")} ${preview[at] ?? ""}`;
  });
}

function below(list: readonly string[], preview: readonly string[], { width, theme }: Sight): readonly string[] {
  if (preview.length === 0) return list;
  return [...list, theme.border("─".repeat(width)), ...preview.map((line) => ` ${line}`)];
}

/** As many lines as there is room, the chosen row in the middle where that can be. */
function rowsSeen(
  { layout, at, outline, query }: TreeState,
  { width, height, theme }: Sight,
  { now }: TreeLook,
): readonly string[] {
  const { rows, depth, end } = layout;
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
  const look = { outline, depth, width, theme, now: now() };
  const lines = rows.slice(top, top + height).map((row, index) => {
    const place = top + index;
    return drawRow(row, { ...look, isChosen: place === at, isHere: layout.isHere && place === end });
  });
  const nothing = nothingTold(outline.nodes.size, query.text);
  const filled = rows.length === 0 && outline.reach !== "growing" ? [theme.dim(`   ${nothing}`)] : lines;
  return Array.from({ length: height }, (_, index) => filled[index] ?? "");
}

function nothingTold(count: number, query: string): string {
  if (count === 0) return "nothing was said yet";
  return query === "" ? "nothing to show here; Tab shows something else" : "nothing like that was found";
}
