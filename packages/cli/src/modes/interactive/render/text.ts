/** Wraps, cuts, aligns and folds text into lines. Text from any source is made safe, so that it cannot control the terminal. */

import { keyTold } from "../../../settings/keymap-text.ts";
import { counted } from "../../../text/format.ts";
import { plain } from "../../../text/safe-text.ts";
import { CURSOR_MARKER, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { type Brush, isLive } from "./theme.ts";

export interface Margins {
  readonly width: number;
  /** Before the first row; as wide as `indent`. */
  readonly mark?: string;
  /** Before every other. */
  readonly indent?: string;
  readonly ink?: (text: string) => string;
}

/** A text from anywhere. */
export function wrapped(text: string, { width, mark, indent = "  ", ink = (row) => row }: Margins): readonly string[] {
  const room = Math.max(1, width - indent.length);
  const rows = shownText(text)
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(bounded(line.trimEnd()), room));
  return rows.map((row, at) => `${at === 0 ? (mark ?? indent) : indent}${row === "" ? "" : ink(row)}`.trimEnd());
}

/** One row of a text from anywhere; what does not fit is cut off. */
export function cut(line: string, { width, indent = "  ", ink = (row) => row }: Omit<Margins, "mark">): string {
  const room = Math.max(1, width - indent.length);
  const row = truncateToWidth(shownLine(line.slice(0, 8 * room)).trimEnd(), room, "…");
  return row === "" ? "" : `${indent}${ink(row)}`;
}

/** A line that is drawn already, cut where it is too long. Most are not, and cutting looks at every sign of it. */
export function fitted(line: string, width: number): string {
  if (visibleWidth(line) <= width) return line;
  return typedInSight(line, width) ?? truncateToWidth(line, width, "…");
}

/** Where one types, what stands far before makes room; null where nobody does, or it is seen anyway. */
function typedInSight(line: string, width: number): string | null {
  if (!line.includes(CURSOR_MARKER)) return null;
  const column = visibleWidth(line.split(CURSOR_MARKER)[0] ?? "");
  // The sign below the cursor may take two columns, and one shows that more comes.
  return column < width - 2 ? null : `…${sliceByColumn(line, column - width + 3, width - 1, true)}\x1b[0m`;
}

/** Nobody reads on in a line of a hundred rows, and breaking it takes time. */
function bounded(line: string): string {
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)} … ${line.length - LONGEST} more letters`;
}

const LONGEST = 8_000;

/** It steers nothing, tabs are blanks, and no letter bears a tower of marks. */
export function shownText(text: string): string {
  return plain(text).replaceAll("\t", "    ").replace(TOWER, "$1");
}

/** The same in one line. */
export function shownLine(text: string): string {
  return shownText(text.replaceAll(/\s*\n\s*/g, " ⏎ "));
}

/** A few marks on a letter are a language; hundreds are a way to fill a screen. */
const TOWER = /(\p{M}{8})\p{M}+/gu;

/** Just as wide: cut off, or filled up. */
export function cell(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), "…", true);
}

/** No wider: of a path the end says most. */
export function pathEnd(path: string, width: number): string {
  let shown = path;
  const signs = [...segmenter.segment(path)].map(({ segment }) => segment).slice(-2 * width);
  while (visibleWidth(shown) > width && signs.shift() !== undefined) shown = `…${signs.join("")}`;
  return shown;
}

const segmenter = new Intl.Segmenter();

/** What stands at the right is told whole, and has a column beside it; the left is cut off where there is no room for both. */
export function atBothEnds(left: string, right: string, width: number): string {
  const name = truncateToWidth(left, Math.max(0, width - visibleWidth(right) - 2), "…");
  return `${name}${" ".repeat(Math.max(1, width - visibleWidth(name) - visibleWidth(right) - 1))}${right}`;
}

/** Lines may have two columns, a name and a description: a description that does not fit continues in its own column. */
export function inColumns(text: string, margins: Pick<Margins, "width" | "ink">): readonly string[] {
  return text.split("\n").flatMap((line) => rowsOf(shownText(line), margins));
}

function rowsOf(line: string, margins: Pick<Margins, "width" | "ink">): readonly string[] {
  const { width, ink = (row) => row } = margins;
  const [, name, gap, said] = COLUMNS.exec(line.slice(0, MAX_COLUMN_LINE)) ?? [];
  if (!name || !gap || !said || visibleWidth(line) <= width - 2) return wrapped(line, margins);
  const column = 2 + visibleWidth(name + gap);
  if (column <= width / 2)
    return wrapped(said, { ...margins, mark: ink(`  ${name}${gap}`), indent: " ".repeat(column) });
  return [...wrapped(name, margins), ...wrapped(said, { ...margins, indent: " ".repeat(6) })];
}

/** A line that is set in, since all else may be a text of many gaps. */
const COLUMNS = /^( {2}\S+(?: \S+)*)( {2,})(\S.*)$/;
/** What is longer has no columns. */
const MAX_COLUMN_LINE = 1_000;

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
