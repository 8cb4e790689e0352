/** One row of a tree: its lines, who speaks and how it begins; at the right its name, whether one stands there, and its age. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Outline, Twig } from "../../../../commands/walking/outlining/outline.ts";
import { ageTold } from "../../../../printing/amounts.ts";
import { plain } from "../../../../printing/plain.ts";
import type { Theme } from "../../../drawing/theme.ts";
import { kindNames } from "../rows/sieve.ts";
import { isHead, type TreeRow } from "../rows/tree-rows.ts";

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
