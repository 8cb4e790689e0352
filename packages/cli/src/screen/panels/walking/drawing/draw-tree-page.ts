/** A tree over the whole terminal: what is shown at the top, the rows with the chosen one's words beside or below, the keys at the foot. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../../printing/plain.ts";
import { drawLine } from "../../../widgets/line-input.ts";
import type { Sight } from "../../panel.ts";
import { rowAt, type TreeState } from "../tree/tree-state.ts";
import { drawPreview } from "./draw-preview.ts";
import { drawRow } from "./draw-row.ts";

export interface TreeLook {
  readonly title: string;
  /** What each key does, the most wanted first. */
  readonly keys: readonly string[];
  /** In milliseconds. */
  readonly now: () => number;
}

export function drawTreePage(state: TreeState, sight: Sight, look: TreeLook): readonly string[] {
  const { width, height, theme } = sight;
  const head = [titleLine(state, sight, look), sieveLine(state, sight), theme.border("─".repeat(width))];
  const foot = [footLine(state, sight, look)];
  const room = Math.max(1, height - head.length - foot.length);
  const body =
    width >= WIDE
      ? besideEachOther(state, { ...sight, height: room }, look)
      : below(state, { ...sight, height: room }, look);
  return [...head, ...body, ...foot].map((line) => truncateToWidth(line, width));
}

/** Columns that are enough for two things beside each other. */
const WIDE = 110;

function titleLine({ outline, branches }: TreeState, { width, theme }: Sight, { title }: TreeLook): string {
  const count = outline.nodes.size.toLocaleString("en-US");
  const told = {
    whole: `${count} entries${branches > 1 ? ` · ${branches} branches` : ""}`,
    growing: `${count} entries so far, reading on …`,
    cut: `${count} entries read; what is left out: /tree and its id`,
  }[outline.reach];
  const name = truncateToWidth(` ${plain(title)}`, Math.max(0, width - told.length - 2), "…");
  const gap = " ".repeat(Math.max(1, width - visibleWidth(name) - told.length - 1));
  return `${theme.strong(name)}${gap}${theme.dim(told)}`;
}

function sieveLine({ sieves, sieve, mode, query, rows }: TreeState, { theme }: Sight): string {
  if (mode === "searching" || query.text !== "") {
    const typed = mode === "searching" ? drawLine(query, theme) : plain(query.text);
    const found = `${rows.length.toLocaleString("en-US")} found in: ${sieves[sieve]?.name ?? ""}`;
    return ` / ${typed}  ${theme.dim(found)}`;
  }
  const names = sieves.map(({ name }, at) => (at === sieve ? theme.accent(`[${name}]`) : theme.dim(` ${name} `)));
  return ` ${names.join(" ")}`;
}

function footLine({ mode, label, trouble }: TreeState, { width, theme }: Sight, { keys }: TreeLook): string {
  if (trouble !== null) return theme.bad(` ${plain(trouble)}`);
  if (mode === "labelling")
    return ` Label: ${drawLine(label, theme)}${theme.dim("   Enter keeps it, empty takes it away, Esc leaves it")}`;
  if (mode === "searching") return theme.dim(" ↑↓ walk  Enter takes it  Tab looks elsewhere  Esc ends the search");
  return theme.dim(` ${fitting(keys, width - 1)}`);
}

/** As many as stand in one line whole; the others are in the manual. */
function fitting(keys: readonly string[], width: number): string {
  return keys.reduce((line, key) => {
    const longer = line === "" ? key : `${line}  ${key}`;
    return visibleWidth(longer) <= width ? longer : line;
  }, "");
}

function besideEachOther(state: TreeState, sight: Sight, look: TreeLook): readonly string[] {
  const { width, height, theme } = sight;
  const listWidth = Math.floor(width * 0.6);
  const list = rowsSeen(state, { ...sight, width: listWidth }, look);
  const side = { width: width - listWidth - 3, height, theme, now: look.now() };
  const preview = drawPreview(rowAt(state), state, side);
  return preview.map((line, at) => {
    const left = list[at] ?? "";
    return `${left}${" ".repeat(Math.max(0, listWidth - visibleWidth(left)))}${theme.border("│")} ${line}`;
  });
}

function below(state: TreeState, sight: Sight, look: TreeLook): readonly string[] {
  const { width, height, theme } = sight;
  const room = height >= 14 ? Math.floor(height / 3) : 0;
  const list = rowsSeen(state, { ...sight, height: height - room - (room > 0 ? 1 : 0) }, look);
  if (room === 0) return list;
  const preview = drawPreview(rowAt(state), state, { width: width - 2, height: room, theme, now: look.now() });
  return [...list, theme.border("─".repeat(width)), ...preview.map((line) => ` ${line}`)];
}

/** As many lines as there is room, the chosen row in the middle where that can be. */
function rowsSeen(
  { rows, at, outline, query, depth }: TreeState,
  { width, height, theme }: Sight,
  { now }: TreeLook,
): readonly string[] {
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
  const seen = rows.slice(top, top + height);
  const look = { outline, depth, width, theme, now: now() };
  const lines = seen.map((row, index) => drawRow(row, { ...look, isChosen: top + index === at }));
  const nothing = nothingTold(outline.nodes.size, query.text);
  const filled = rows.length === 0 && outline.reach !== "growing" ? [theme.dim(`   ${nothing}`)] : lines;
  return Array.from({ length: height }, (_, index) => filled[index] ?? "");
}

function nothingTold(count: number, query: string): string {
  if (count === 0) return "nothing was said yet";
  return query === "" ? "nothing to show here; Tab shows something else" : "nothing like that was found";
}
