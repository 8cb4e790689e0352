/** Wraps, cuts, aligns and folds text into lines. Untrusted text must never control the terminal. */

import { formatCount } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import { formatKeyHint } from "../../../settings/keymap.ts";
import { CURSOR_MARKER, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { isLive, type RenderContext } from "./theme.ts";

export interface WrapOptions {
  readonly width: number;
  /** Text before the first row, as wide as `indent`. Default: `indent`. */
  readonly prefix?: string;
  /** Text before every other row. Default: two spaces. */
  readonly indent?: string;
  readonly style?: (text: string) => string;
}

/** Wraps untrusted text. */
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

/** Renders untrusted text as one row and cuts what does not fit. */
export function truncateLine(
  line: string,
  { width, indent = "  ", style = (row) => row }: Omit<WrapOptions, "prefix">,
): string {
  const contentWidth = Math.max(1, width - indent.length);
  const row = truncateToWidth(toDisplayLine(line.slice(0, 8 * contentWidth)).trimEnd(), contentWidth, "…");
  return row === "" ? "" : `${indent}${style(row)}`;
}

/** Cuts a rendered line that is too wide. Most lines fit, and cutting is slow, so the width is checked first. */
export function fitLine(line: string, width: number): string {
  if (visibleWidth(line) <= width) return line;
  return keepCursorVisible(line, width) ?? truncateToWidth(line, width, "…");
}

/** Cuts the start of a line so that the cursor stays visible. Null if the line has no cursor or the cursor is visible anyway. */
function keepCursorVisible(line: string, width: number): string | null {
  if (!line.includes(CURSOR_MARKER)) return null;
  const column = visibleWidth(line.split(CURSOR_MARKER)[0] ?? "");
  // The character below the cursor may be two columns wide, and one column is for the ellipsis.
  return column < width - 2 ? null : `…${sliceByColumn(line, column - width + 3, width - 1, true)}\x1b[0m`;
}

/** Wrapping a very long line is slow, and a user does not read a line of a hundred rows. */
function limitLength(line: string): string {
  return line.length <= MAX_LINE_CHARS
    ? line
    : `${line.slice(0, MAX_LINE_CHARS)} … ${line.length - MAX_LINE_CHARS} more characters`;
}

const MAX_LINE_CHARS = 8_000;

/** Escapes control characters, replaces tabs with spaces and limits stacked combining marks. */
export function toDisplayText(text: string): string {
  return escapeControls(text).replaceAll("\t", "    ").replace(STACKED_MARKS, "$1");
}

/** Like `toDisplayText`, in one line. */
export function toDisplayLine(text: string): string {
  return toDisplayText(text.replaceAll(/\s*\n\s*/g, " ⏎ "));
}

/** Some languages use a few combining marks per letter. Hundreds of them would cover other rows of the screen. */
const STACKED_MARKS = /(\p{M}{8})\p{M}+/gu;

/** Cuts or pads text to exactly `width` columns. */
export function fitCell(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), "…", true);
}

/** Cuts the start of a path, since its end says most. */
export function truncatePath(path: string, width: number): string {
  let result = path;
  const characters = [...segmenter.segment(path)].map(({ segment }) => segment).slice(-2 * width);
  while (visibleWidth(result) > width && characters.shift() !== undefined) result = `…${characters.join("")}`;
  return result;
}

const segmenter = new Intl.Segmenter();

/** The right text is shown in full, with one free column after it. The left text is cut if there is no room for both. */
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

/** Matches only indented lines, since other lines may contain wide gaps by chance. */
const TWO_COLUMNS = /^( {2}\S+(?: \S+)*)( {2,})(\S.*)$/;
/** A longer line is not treated as columns. */
const MAX_COLUMN_LINE_CHARS = 1_000;

export interface FoldableText {
  readonly text: string;
  /** The maximum number of lines while it is folded. */
  readonly foldedLines: number;
  /** Which lines stay visible if not all fit. */
  readonly end: "first" | "last";
  readonly style?: (text: string) => string;
  /** Adds syntax colors to safe text; one result for each line. Null if there are none. */
  readonly highlight?: (text: string) => readonly string[] | null;
  /** Whether long lines are wrapped instead of cut while it is folded. */
  readonly isWrapped?: boolean;
}

export function renderFoldable(foldable: FoldableText, context: RenderContext): readonly string[] {
  return context.isUnfolded ? renderUnfolded(foldable, context) : renderFolded(foldable, context);
}

/** Renders one line with the number of hidden lines and, in the live region, the key that shows them. */
export function renderHiddenCount(
  count: number,
  position: "above" | "more",
  context: RenderContext,
): readonly string[] {
  if (count === 0) return [];
  const lines = position === "above" ? `${formatCount(count, "line")} above` : formatCount(count, "more line");
  const hint = context.isUnfolded
    ? formatKeyHint("transcript", "show all", context.keymap)
    : formatKeyHint("fold", "expand", context.keymap);
  return [
    truncateLine(`… ${lines}${isLive(context) && hint ? ` · ${hint}` : ""}`, {
      ...indentOptions(context),
      style: context.theme.dim,
    }),
  ];
}

function renderFolded(
  { text, foldedLines, end, style, highlight, isWrapped }: FoldableText,
  context: RenderContext,
): readonly string[] {
  const { lines, hiddenCount } = end === "first" ? takeFirstLines(text, foldedLines) : takeLastLines(text, foldedLines);
  const coloredLines = highlight?.(toDisplayText(lines.map(limitLength).join("\n")));
  const options = indentOptions(context);
  const rows = coloredLines
    ? coloredLines.map(
        (line) => `${options.indent}${truncateToWidth(line, options.width - options.indent.length, "…")}`,
      )
    : isWrapped
      ? wrapText(lines.join("\n"), { ...indentOptions(context), ...(style && { style }) }).slice(0, 2 * foldedLines)
      : lines.map((line) => truncateLine(line, { ...indentOptions(context), ...(style && { style }) }));
  return end === "first"
    ? [...rows, ...renderHiddenCount(hiddenCount, "more", context)]
    : [...renderHiddenCount(hiddenCount, "above", context), ...rows];
}

function renderUnfolded({ text, end, style, highlight }: FoldableText, context: RenderContext): readonly string[] {
  // One row is for the heading, one for a blank line, one for the hidden count.
  const maxRows = context.maxRows === undefined ? Number.POSITIVE_INFINITY : Math.max(1, context.maxRows - 3);
  const { lines, hiddenCount } = end === "first" ? takeFirstLines(text, maxRows) : takeLastLines(text, maxRows);
  if (lines.length === 0) return [];
  const options = indentOptions(context);
  const coloredLines = highlight?.(toDisplayText(lines.map(limitLength).join("\n")));
  const rows = coloredLines
    ? coloredLines.flatMap((line) => wrapColored(line, options))
    : wrapText(lines.join("\n"), { ...options, ...(style && { style }) });
  if (end === "first") return [...rows.slice(0, maxRows), ...renderHiddenCount(hiddenCount, "more", context)];
  return [...renderHiddenCount(hiddenCount, "above", context), ...rows.slice(-maxRows)];
}

function wrapColored(line: string, { width, indent }: ReturnType<typeof indentOptions>): readonly string[] {
  const rows = wrapTextWithAnsi(line.trimEnd(), Math.max(1, width - indent.length));
  return rows.map((row) => `${indent}${row}`.trimEnd());
}

function indentOptions({ width }: RenderContext): { readonly width: number; readonly indent: string } {
  return { width, indent: "    " };
}

export interface Excerpt {
  readonly lines: readonly string[];
  /** The number of lines left out. */
  readonly hiddenCount: number;
}

export function takeFirstLines(text: string, count: number): Excerpt {
  const lines = splitLines(text);
  return { lines: lines.slice(0, count), hiddenCount: Math.max(0, lines.length - count) };
}

function takeLastLines(text: string, count: number): Excerpt {
  const lines = splitLines(text);
  return { lines: count === 0 ? [] : lines.slice(-count), hiddenCount: Math.max(0, lines.length - count) };
}

/** Removes blank lines at the start and the end. */
export function splitLines(text: string): readonly string[] {
  const trimmed = text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n");
}
