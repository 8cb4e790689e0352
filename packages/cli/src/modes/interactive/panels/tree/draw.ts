/** Draws the tree page: title, filters, rows, the preview beside or below them, and the key hints. */

import type { Outline, Twig } from "../../../../sessions/tree-outline.ts";
import { ageTold } from "../../../../text/format.ts";
import { plain } from "../../../../text/safe-text.ts";
import { atBothEnds } from "../../render/text.ts";
import type { Theme } from "../../render/theme.ts";
import { truncateToWidth, visibleWidth } from "../../terminal/pi-tui.ts";
import { sideBySide } from "../choice.ts";
import type { Sight } from "../panel.ts";
import { drawLine, hintLine } from "../widgets.ts";
import { drawPreview } from "./preview.ts";
import { isHead, type TreeRow } from "./rows.ts";
import { kindNames, type TreeState } from "./state.ts";

export interface RowLook {
  readonly outline: Outline;
  /** How far the deepest is set in, so that words stand below each other. */
  readonly depth: number;
  readonly isChosen: boolean;
  /** One stands there. */
  readonly isHere: boolean;
  readonly width: number;
  readonly theme: Theme;
  readonly now: number;
}

export function drawRow(row: TreeRow, look: RowLook): string {
  const { depth, isChosen, width, theme, now } = look;
  const { twig } = row;
  const { label, rest } = marksOf(row, look);
  // Nobody knows of some.
  const time = (twig.time > 0 ? ageTold(now - twig.time) : "").padStart(6);
  const lines = linesBefore(row, look).padEnd(Math.min(depth, DEEP) * 2 + 1);
  const kind = kindNames[twig.kind].padEnd(KIND);
  const room = width - visibleWidth(`${lines}${label}${rest}${time}`) - KIND - 6;
  const words = saidIn(twig, Math.max(0, room));
  if (isChosen) return theme.selected(`❯ ${lines} ${kind} ${words}${label}${rest} ${time} `);
  const stem = twig.isOnWay ? theme.accent(lines) : theme.dim(lines);
  const marks = `${theme.warning(label)}${theme.accent(rest)}`;
  return `  ${stem} ${theme.dim(kind)} ${inked(words, twig, theme)}${marks} ${theme.dim(`${time} `)}`;
}

/** As wide as the longest of their names. */
const KIND = Math.max(...Object.values(kindNames).map((name) => name.length));

/** What is set in further stands by itself. */
const DEEP = 4;

/** The way is `●` up to `◉`, where one stands; what was left is `○`, and what is folded `▸`. Of a tree that is set in too far the nearest lines are shown. */
function linesBefore(row: TreeRow, { isHere, width }: RowLook): string {
  const { twig, depth, hidden } = row;
  const most = Math.floor(width / 3);
  const mark = hidden > 0 ? "▸" : isHere ? "◉" : twig.isOnWay ? "●" : "○";
  const beams = isHead(row) ? `${"│ ".repeat(depth - 1)}├─` : "│ ".repeat(depth);
  return beams.length <= most ? `${beams}${mark}` : `… ${beams.slice(-(most - (most % 2)))}${mark}`;
}

/** A compaction is a line across: what lies above it the model has as a summary. */
function saidIn(twig: Twig, room: number): string {
  const words = plain(twig.words);
  if (twig.kind !== "compaction") return truncateToWidth(twig.isFailed ? `✗ ${words}` : words, room, "…", true);
  const line = `── ${words} `;
  return truncateToWidth(`${line}${"─".repeat(Math.max(0, room - visibleWidth(line)))}`, room, "…", true);
}

interface Marks {
  readonly label: string;
  readonly rest: string;
}

function marksOf({ twig, hidden }: TreeRow, { outline, isHere }: RowLook): Marks {
  const label = outline.labels.get(twig.id);
  return {
    label: label === undefined ? "" : ` [${truncateToWidth(plain(label).replaceAll(/\s+/g, " "), LABEL, "…")}]`,
    rest: `${hidden > 0 ? ` +${hidden.toLocaleString("en-US")}` : ""}${isHere ? " ← here" : ""}`,
  };
}

const LABEL = 24;

/** Your own words are seen first, also without colour. */
function inked(words: string, { kind, isFailed }: Twig, theme: Theme): string {
  if (isFailed) return theme.bad(words);
  if (kind === "you") return theme.strong(theme.user(words));
  if (kind === "compaction" || kind === "left" || kind === "pin" || kind === "draft") return theme.heading(words);
  return kind === "tool" || kind === "calls" || kind === "other" ? theme.dim(words) : words;
}

export interface PageParts {
  readonly list: Size;
  /** Without rows where there is no room for it. */
  readonly preview: Size;
  readonly isBeside: boolean;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function pageParts({ width, height }: Pick<Sight, "width" | "height">): PageParts {
  const room = Math.max(1, height - AROUND);
  const wide = sideBySide(width);
  if (wide) {
    const preview = { width: wide.beside, height: room };
    return { list: { width: wide.list, height: room }, preview, isBeside: true };
  }
  const below = room >= HIGH ? Math.floor(room / 3) : 0;
  const border = below > 0 ? 1 : 0;
  const preview = { width: width - 2, height: below };
  return { list: { width, height: room - below - border }, preview, isBeside: false };
}

/** Title, what is shown, a line, and the keys at the foot. */
const AROUND = 4;
/** Rows that are enough for two things below each other. */
const HIGH = 14;

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
