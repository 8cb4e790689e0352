/** A part of something long, below its heading: folded to a few lines, or opened as far as there is room. */

import { counted } from "../../../printing/amounts.ts";
import { keyTold } from "../../keys/key-hint.ts";
import { type Brush, isLive } from "../brush.ts";
import { cut, wrapped } from "./wrapped.ts";

export interface Part {
  readonly text: string;
  /** Lines while it is folded. */
  readonly few: number;
  readonly end: "first" | "last";
  readonly ink?: (text: string) => string;
  /** Long lines are broken while it is folded, too: every word counts. */
  readonly isWrapped?: boolean;
}

export function partShown(part: Part, brush: Brush): readonly string[] {
  return brush.isUnfolded ? opened(part, brush) : folded(part, brush);
}

/** One line that says how much is not shown; where it can be opened, how. */
export function leftTold(count: number, where: "above" | "more", brush: Brush): readonly string[] {
  if (count === 0) return [];
  const lines = where === "above" ? `${counted(count, "line")} above` : counted(count, "more line");
  const key = brush.isUnfolded
    ? keyTold("transcript", "shows all", brush.keymap)
    : keyTold("fold", "opens", brush.keymap);
  return [cut(`… ${lines}${isLive(brush) && key ? ` · ${key}` : ""}`, { ...margins(brush), ink: brush.theme.dim })];
}

function folded({ text, few, end, ink, isWrapped }: Part, brush: Brush): readonly string[] {
  const { lines, left } = end === "first" ? firstLines(text, few) : lastLines(text, few);
  const rows = isWrapped
    ? wrapped(lines.join("\n"), { ...margins(brush), ...(ink && { ink }) }).slice(0, 2 * few)
    : lines.map((line) => cut(line, { ...margins(brush), ...(ink && { ink }) }));
  return end === "first" ? [...rows, ...leftTold(left, "more", brush)] : [...leftTold(left, "above", brush), ...rows];
}

function opened({ text, end, ink }: Part, brush: Brush): readonly string[] {
  // A row for the heading, one for an empty line, one for what is left out.
  const most = brush.most === undefined ? Number.POSITIVE_INFINITY : Math.max(1, brush.most - 3);
  const { lines, left } = end === "first" ? firstLines(text, most) : lastLines(text, most);
  const rows = wrapped(lines.join("\n"), { ...margins(brush), ...(ink && { ink }) });
  if (lines.length === 0) return [];
  if (end === "first") return [...rows.slice(0, most), ...leftTold(left, "more", brush)];
  return [...leftTold(left, "above", brush), ...rows.slice(-most)];
}

function margins({ width }: Brush): { readonly width: number; readonly indent: string } {
  return { width, indent: "    " };
}

/** A few lines of many. */
export interface Excerpt {
  readonly lines: readonly string[];
  /** How many are left out. */
  readonly left: number;
}

export function firstLines(text: string, count: number): Excerpt {
  const lines = linesIn(text);
  return { lines: lines.slice(0, count), left: Math.max(0, lines.length - count) };
}

export function lastLines(text: string, count: number): Excerpt {
  const lines = linesIn(text);
  return { lines: count === 0 ? [] : lines.slice(-count), left: Math.max(0, lines.length - count) };
}

/** Without blank ones at its ends. */
export function linesIn(text: string): readonly string[] {
  const whole = text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return whole === "" ? [] : whole.split("\n");
}
