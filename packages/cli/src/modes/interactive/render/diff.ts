/** Renders a unified diff as numbered rows, and single lines of a diff for panels. */

import { type DiffRow, highlightRows, parseDiff } from "../../../text/diff-rows.ts";
import { escapeControls } from "../../../text/safe-text.ts";
import { truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { tryHighlight } from "./markdown.ts";
import { renderHiddenCount, toDisplayText, truncateLine, wrapText } from "./text.ts";
import type { RenderContext, Theme } from "./theme.ts";

export interface DiffOptions {
  /** The maximum number of rows while the block is folded. */
  readonly foldedRows: number;
  /** The language of the changed file, for syntax colors. */
  readonly language: string;
}

export function renderDiff(
  diff: string,
  { foldedRows, language }: DiffOptions,
  context: RenderContext,
): readonly string[] {
  const rows = parseDiff(diff);
  const max = context.isUnfolded ? Math.max(1, (context.maxRows ?? Number.POSITIVE_INFINITY) - 3) : foldedRows;
  const digits = Math.max(2, `${rows.reduce((max, { number }) => Math.max(max, number ?? 0), 0)}`.length);
  const visibleRows = rows.slice(0, max);
  const styledTexts = highlightRows(visibleRows, (code) =>
    tryHighlight(code.split("\n").map(toDisplayText).join("\n"), language, context.theme),
  );
  const lines = visibleRows.flatMap((row) => renderRow({ ...row, styled: styledTexts.get(row) }, digits, context));
  return [...lines.slice(0, max), ...renderHiddenCount(rows.length - Math.min(max, rows.length), "more", context)];
}

interface StyledRow extends DiffRow {
  /** The text with syntax colors. Absent if it has none. */
  readonly styled: string | undefined;
}

function renderRow(
  { number, sign, text, styled }: StyledRow,
  digits: number,
  { width, theme, isUnfolded }: RenderContext,
): readonly string[] {
  if (number === null) return [`    ${theme.dim(`${"⋮".padStart(digits)}`)}`];
  const style = sign === "+" ? theme.added : sign === "-" ? theme.removed : theme.dim;
  const numberStyle = styled === undefined ? theme.dim : style;
  const prefix = `    ${numberStyle(`${number}`.padStart(digits))} ${style(sign)} `;
  const indent = " ".repeat(4 + digits + 3);
  if (styled !== undefined) {
    const maxWidth = Math.max(1, width - indent.length);
    if (!isUnfolded) return [`${prefix}${truncateToWidth(styled, maxWidth, "…")}`.trimEnd()];
    return wrapTextWithAnsi(styled, maxWidth).map((row, index) => `${index === 0 ? prefix : indent}${row}`.trimEnd());
  }
  if (isUnfolded) return wrapText(text, { width, prefix, indent, style });
  const row = truncateLine(text, { width: width - indent.length, indent: "", style });
  return [`${prefix}${row}`.trimEnd()];
}

export function renderPatchLine(line: string, theme: Theme): string {
  const sign = line[0] ?? "";
  // A carriage return at the end of an unchanged line is not worth showing.
  const visible = sign === " " ? line.replace(/\r$/, "") : line;
  const text = ` ${escapeControls(visible.slice(0, MAX_LINE_CHARS).replaceAll("\t", "    "))}`;
  if (sign === "+") return theme.added(text);
  if (sign === "-") return theme.removed(text);
  return DIMMED_SIGNS.includes(sign) ? theme.dim(text) : text;
}

/** Hunk headers, notes and `\ No newline at end of file`. */
const DIMMED_SIGNS = ["@", "#", "\\"];

/** No terminal is wider. */
const MAX_LINE_CHARS = 2_000;
