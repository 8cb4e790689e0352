/** One row of a tree: its lines, who speaks and how it begins; at the right its name, whether one stands there, and its age. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { type Outline, wordsIn } from "../../../../commands/walking/outlining/outline.ts";
import type { Sketch } from "../../../../commands/walking/outlining/sketch.ts";
import { plain } from "../../../../printing/plain.ts";
import type { Ink, Theme } from "../../../drawing/theme.ts";
import { kindNames } from "../rows/sieve.ts";
import type { TreeRow } from "../rows/tree-rows.ts";
import { age } from "./age.ts";

export interface RowLook {
  readonly outline: Outline;
  /** How far the deepest is set in, so that words stand below each other. */
  readonly depth: number;
  readonly isChosen: boolean;
  readonly width: number;
  readonly theme: Theme;
  readonly now: number;
}

export function drawRow(row: TreeRow, look: RowLook): string {
  const { outline, depth, isChosen, width, theme, now } = look;
  const sketch = outline.nodes.get(row.id);
  if (!sketch) return "";
  const marks = marksOf(row, outline);
  const time = age(sketch.time, now).padStart(5);
  const lines = linesBefore(row, Math.floor(width / 3)).padEnd(Math.min(depth, DEEP) * 2 + 1);
  const kind = kindNames[sketch.kind].padEnd(KIND);
  const behind = visibleWidth(marks) + (marks === "" ? 0 : 1) + visibleWidth(time) + 2;
  const room = Math.max(0, width - visibleWidth(lines) - KIND - behind - 4);
  const words = truncateToWidth(wordsOf(sketch, outline), room, "…", true);
  const named = marks === "" ? "" : ` ${marks}`;
  if (isChosen) return theme.selected(`❯ ${lines} ${kind} ${words}${named} ${time} `);
  const ink = inkOf(sketch);
  const stem = row.isOnWay ? theme.accent(lines) : theme.dim(lines);
  const said = ink === null ? words : theme[ink](words);
  return `  ${stem} ${theme.dim(kind)} ${said}${theme.accent(named)} ${theme.dim(`${time} `)}`;
}

/** As wide as the longest of their names. */
const KIND = Math.max(...Object.values(kindNames).map((name) => name.length));

/** What is set in further stands by itself. */
const DEEP = 4;

/** The way is `●`, what was left `○`, and what is folded `▸`. Of a tree that is set in too far the nearest lines are shown. */
function linesBefore({ depth, isHead, isOnWay, hidden }: TreeRow, most: number): string {
  const mark = hidden > 0 ? "▸" : isOnWay ? "●" : "○";
  const beams = isHead ? `${"│ ".repeat(depth - 1)}├─` : "│ ".repeat(depth);
  return beams.length <= most ? `${beams}${mark}` : `… ${beams.slice(-(most - (most % 2)))}${mark}`;
}

function wordsOf(sketch: Sketch, outline: Outline): string {
  const words = plain(wordsIn(outline, sketch));
  return sketch.isFailed ? `✗ ${words}` : words;
}

function marksOf({ id, hidden, isHere }: TreeRow, { labels }: Outline): string {
  const label = labels.get(id);
  return [
    ...(label === undefined ? [] : [`[${truncateToWidth(plain(label).replaceAll(/\s+/g, " "), LABEL, "…")}]`]),
    ...(hidden > 0 ? [`+${hidden.toLocaleString("en-US")}`] : []),
    ...(isHere ? ["← here"] : []),
  ].join(" ");
}

const LABEL = 24;

function inkOf({ kind, isFailed }: Sketch): Ink | null {
  if (isFailed) return "bad";
  if (kind === "you") return "user";
  if (kind === "compaction" || kind === "left" || kind === "pin" || kind === "draft") return "heading";
  if (kind === "tool" || kind === "calls" || kind === "other") return "dim";
  return null;
}
