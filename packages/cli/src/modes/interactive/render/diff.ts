/** Renders a unified diff as numbered rows, and single lines of a diff for panels. */

import { escapeControls } from "@pith/host/text/safe-text";
import { type DiffRow, highlightRows, parseDiff } from "../../../text/diff-rows.ts";
import { visibleWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { tryHighlight } from "./markdown.ts";
import { renderHiddenCount, toDisplayText, wrapText } from "./text.ts";
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
  const max = findMaxLines(rows.length, foldedRows, context);
  const digits = Math.max(2, `${rows.reduce((max, { number }) => Math.max(max, number ?? 0), 0)}`.length);
  const visibleRows = rows.slice(0, max);
  const styledTexts = highlightRows(visibleRows, (code) =>
    tryHighlight(code.split("\n").map(toDisplayText).join("\n"), language, context.theme),
  );
  const lines: DiffLine[] = [];
  let shownCount = 0;
  for (const row of visibleRows) {
    const rowLines = renderRow({ ...row, styled: styledTexts.get(row) }, digits, context);
    if (shownCount > 0 && lines.length + rowLines.length > max) break;
    lines.push(...rowLines);
    shownCount += 1;
  }
  return [
    ...paintLines(lines.slice(0, max), context.theme),
    ...renderHiddenCount(rows.length - shownCount, "more", context),
  ];
}

/** A folded diff with hardly more rows than the limit is shown in full, even if some of them are wrapped. */
function findMaxLines(rowCount: number, foldedRows: number, { isUnfolded, maxRows }: RenderContext): number {
  if (isUnfolded) return Math.max(1, (maxRows ?? Number.POSITIVE_INFINITY) - 3);
  return rowCount <= foldedRows + EXTRA_ROWS ? 2 * foldedRows : foldedRows;
}

const EXTRA_ROWS = 3;

interface DiffLine {
  readonly text: string;
  readonly sign: DiffRow["sign"];
}

/** The background of the changed lines is as wide as the widest line, so that a narrower terminal does not wrap it. */
function paintLines(lines: readonly DiffLine[], theme: Theme): readonly string[] {
  const width = lines.reduce((max, { text }) => Math.max(max, visibleWidth(text)), 0);
  return lines.map(({ text, sign }) => {
    if (sign === " ") return `${INDENT}${text}`.trimEnd();
    const padded = text + " ".repeat(width - visibleWidth(text));
    return `${INDENT}${theme[sign === "+" ? "addedLine" : "removedLine"](padded)}`.trimEnd();
  });
}

const INDENT = "    ";

interface StyledRow extends DiffRow {
  /** The text with syntax colors. Absent if it has none. */
  readonly styled: string | undefined;
}

function renderRow(
  { number, sign, text, styled }: StyledRow,
  digits: number,
  { width, theme }: RenderContext,
): readonly DiffLine[] {
  if (number === null) return [{ text: theme.dim("⋮".padStart(digits)), sign: " " }];
  const style = sign === "+" ? theme.added : sign === "-" ? theme.removed : theme.dim;
  const numberStyle = styled === undefined ? theme.dim : style;
  const prefix = `${numberStyle(`${number}`.padStart(digits))} ${style(sign)} `;
  const indent = " ".repeat(digits + 3);
  const lines =
    styled === undefined
      ? wrapText(text, { width: width - INDENT.length, prefix, indent, style })
      : wrapTextWithAnsi(styled, Math.max(1, width - INDENT.length - indent.length)).map(
          (row, index) => `${index === 0 ? prefix : indent}${row}`,
        );
  return lines.map((line) => ({ text: line, sign }));
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
