/** Wraps, cuts, aligns and folds text into lines. Text from any source is made safe, so that it cannot control the terminal. */

import { formatKeyHint } from "../../../settings/keymap.ts";
import { formatCount } from "../../../text/format.ts";
import { escapeControls } from "../../../text/safe-text.ts";
import { CURSOR_MARKER, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { isLive, type RenderContext } from "./theme.ts";

export interface WrapOptions {
  readonly width: number;
  /** Before the first row; as wide as `indent`. */
  readonly prefix?: string;
  /** Before every other. */
  readonly indent?: string;
  readonly style?: (text: string) => string;
}

/** A text from anywhere. */
export function wrapText(
  text: string,
  { width, prefix, indent = "  ", style = (row) => row }: WrapOptions,
): readonly string[] {
  const contentWidth = Math.max(1, width - indent.length);
  const rows = toDisplayText(text)
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(limitLength(line.trimEnd()), contentWidth));
  return rows.map((row, index) =>
    `${index === 0 ? (prefix ?? indent) : indent}${row === "" ? "" : style(row)}`.trimEnd(),
  );
}

/** One row of a text from anywhere; what does not fit is cut off. */
export function truncateLine(
  line: string,
  { width, indent = "  ", style = (row) => row }: Omit<WrapOptions, "prefix">,
): string {
  const contentWidth = Math.max(1, width - indent.length);
  const row = truncateToWidth(toDisplayLine(line.slice(0, 8 * contentWidth)).trimEnd(), contentWidth, "…");
  return row === "" ? "" : `${indent}${style(row)}`;
}

/** A line that is drawn already, cut where it is too long. Most are not, and cutting looks at every sign of it. */
export function fitLine(line: string, width: number): string {
  if (visibleWidth(line) <= width) return line;
  return keepCursorVisible(line, width) ?? truncateToWidth(line, width, "…");
}

/** Where one types, what stands far before makes room; null where nobody does, or it is seen anyway. */
function keepCursorVisible(line: string, width: number): string | null {
  if (!line.includes(CURSOR_MARKER)) return null;
  const column = visibleWidth(line.split(CURSOR_MARKER)[0] ?? "");
  // The sign below the cursor may take two columns, and one shows that more comes.
  return column < width - 2 ? null : `…${sliceByColumn(line, column - width + 3, width - 1, true)}\x1b[0m`;
}

/** Nobody reads on in a line of a hundred rows, and breaking it takes time. */
function limitLength(line: string): string {
  return line.length <= MAX_LINE_CHARS
    ? line
    : `${line.slice(0, MAX_LINE_CHARS)} … ${line.length - MAX_LINE_CHARS} more letters`;
}

const MAX_LINE_CHARS = 8_000;

/** It steers nothing, tabs are blanks, and no letter bears a tower of marks. */
export function toDisplayText(text: string): string {
  return escapeControls(text).replaceAll("\t", "    ").replace(STACKED_MARKS, "$1");
}

/** The same in one line. */
export function toDisplayLine(text: string): string {
  return toDisplayText(text.replaceAll(/\s*\n\s*/g, " ⏎ "));
}

/** A few marks on a letter are a language; hundreds are a way to fill a screen. */
const STACKED_MARKS = /(\p{M}{8})\p{M}+/gu;

/** Just as wide: cut off, or filled up. */
export function fitCell(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), "…", true);
}

/** No wider: of a path the end says most. */
export function truncatePath(path: string, width: number): string {
  let result = path;
  const characters = [...segmenter.segment(path)].map(({ segment }) => segment).slice(-2 * width);
  while (visibleWidth(result) > width && characters.shift() !== undefined) result = `…${characters.join("")}`;
  return result;
}

const segmenter = new Intl.Segmenter();

/** What stands at the right is told whole, and has a column beside it; the left is cut off where there is no room for both. */
export function alignEnds(left: string, right: string, width: number): string {
  const shortLeft = truncateToWidth(left, Math.max(0, width - visibleWidth(right) - 2), "…");
  return `${shortLeft}${" ".repeat(Math.max(1, width - visibleWidth(shortLeft) - visibleWidth(right) - 1))}${right}`;
}

/** Lines may have two columns, a name and a description: a description that does not fit continues in its own column. */
export function wrapColumns(text: string, options: Pick<WrapOptions, "width" | "style">): readonly string[] {
  return text.split("\n").flatMap((line) => wrapColumnLine(toDisplayText(line), options));
}

function wrapColumnLine(line: string, options: Pick<WrapOptions, "width" | "style">): readonly string[] {
  const { width, style = (row) => row } = options;
  const [, name, gap, description] = TWO_COLUMNS.exec(line.slice(0, MAX_COLUMN_LINE_CHARS)) ?? [];
  if (!name || !gap || !description || visibleWidth(line) <= width - 2) return wrapText(line, options);
  const column = 2 + visibleWidth(name + gap);
  if (column <= width / 2)
    return wrapText(description, { ...options, prefix: style(`  ${name}${gap}`), indent: " ".repeat(column) });
  return [...wrapText(name, options), ...wrapText(description, { ...options, indent: " ".repeat(6) })];
}

/** A line that is set in, since all else may be a text of many gaps. */
const TWO_COLUMNS = /^( {2}\S+(?: \S+)*)( {2,})(\S.*)$/;
/** What is longer has no columns. */
const MAX_COLUMN_LINE_CHARS = 1_000;

export interface FoldableText {
  readonly text: string;
  /** Lines while it is folded. */
  readonly foldedLines: number;
  readonly end: "first" | "last";
  readonly style?: (text: string) => string;
  /** Long lines are broken while it is folded, too: every word counts. */
  readonly isWrapped?: boolean;
}

export function renderFoldable(foldable: FoldableText, context: RenderContext): readonly string[] {
  return context.isUnfolded ? renderUnfolded(foldable, context) : renderFolded(foldable, context);
}

/** One line that says how much is not shown; where it can be opened, how. */
export function renderHiddenCount(
  count: number,
  position: "above" | "more",
  context: RenderContext,
): readonly string[] {
  if (count === 0) return [];
  const lines = position === "above" ? `${formatCount(count, "line")} above` : formatCount(count, "more line");
  const hint = context.isUnfolded
    ? formatKeyHint("transcript", "shows all", context.keymap)
    : formatKeyHint("fold", "opens", context.keymap);
  return [
    truncateLine(`… ${lines}${isLive(context) && hint ? ` · ${hint}` : ""}`, {
      ...indentOptions(context),
      style: context.theme.dim,
    }),
  ];
}

function renderFolded(
  { text, foldedLines, end, style, isWrapped }: FoldableText,
  context: RenderContext,
): readonly string[] {
  const { lines, hiddenCount } = end === "first" ? takeFirstLines(text, foldedLines) : takeLastLines(text, foldedLines);
  const rows = isWrapped
    ? wrapText(lines.join("\n"), { ...indentOptions(context), ...(style && { style }) }).slice(0, 2 * foldedLines)
    : lines.map((line) => truncateLine(line, { ...indentOptions(context), ...(style && { style }) }));
  return end === "first"
    ? [...rows, ...renderHiddenCount(hiddenCount, "more", context)]
    : [...renderHiddenCount(hiddenCount, "above", context), ...rows];
}

function renderUnfolded({ text, end, style }: FoldableText, context: RenderContext): readonly string[] {
  // A row for the heading, one for an empty line, one for what is left out.
  const maxRows = context.maxRows === undefined ? Number.POSITIVE_INFINITY : Math.max(1, context.maxRows - 3);
  const { lines, hiddenCount } = end === "first" ? takeFirstLines(text, maxRows) : takeLastLines(text, maxRows);
  const rows = wrapText(lines.join("\n"), { ...indentOptions(context), ...(style && { style }) });
  if (lines.length === 0) return [];
  if (end === "first") return [...rows.slice(0, maxRows), ...renderHiddenCount(hiddenCount, "more", context)];
  return [...renderHiddenCount(hiddenCount, "above", context), ...rows.slice(-maxRows)];
}

function indentOptions({ width }: RenderContext): { readonly width: number; readonly indent: string } {
  return { width, indent: "    " };
}

/** A few lines of many. */
export interface Excerpt {
  readonly lines: readonly string[];
  /** How many are left out. */
  readonly hiddenCount: number;
}

export function takeFirstLines(text: string, count: number): Excerpt {
  const lines = splitLines(text);
  return { lines: lines.slice(0, count), hiddenCount: Math.max(0, lines.length - count) };
}

export function takeLastLines(text: string, count: number): Excerpt {
  const lines = splitLines(text);
  return { lines: count === 0 ? [] : lines.slice(-count), hiddenCount: Math.max(0, lines.length - count) };
}

/** Without blank ones at its ends. */
export function splitLines(text: string): readonly string[] {
  const trimmed = text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n");
}
