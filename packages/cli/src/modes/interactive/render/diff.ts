/** Renders a unified diff as numbered rows, and single lines of a diff for panels. */

import { escapeControls } from "../../../text/safe-text.ts";
import { truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { tryHighlight } from "./markdown.ts";
import { renderHiddenCount, toDisplayText, truncateLine, wrapText } from "./text.ts";
import type { RenderContext, Theme } from "./theme.ts";

interface DiffRow {
  /** Null for the row between two hunks. */
  readonly number: number | null;
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

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
  const shownRows = highlightRows(rows.slice(0, max), language, context.theme);
  const lines = shownRows.flatMap((row) => renderRow(row, digits, context));
  return [...lines.slice(0, max), ...renderHiddenCount(rows.length - Math.min(max, rows.length), "more", context)];
}

/** Returns e.g. `+3 −1`. */
export function formatChangeCount(diff: string): string {
  const rows = parseDiff(diff);
  const count = (sign: DiffRow["sign"]): number => rows.filter((row) => row.sign === sign).length;
  return `+${count("+")} −${count("-")}`;
}

interface StyledRow extends DiffRow {
  /** The text with syntax colors. Absent if it has none. */
  readonly styled?: string;
}

/** Colors each side of the diff as one text, because the color of a line depends on earlier lines. */
function highlightRows(rows: readonly DiffRow[], language: string, theme: Theme): readonly StyledRow[] {
  const highlightSide = (skipped: DiffRow["sign"]): ReadonlyMap<DiffRow, string> => {
    const sideRows = rows.filter(({ sign }) => sign !== skipped);
    const code = sideRows.map(({ text }) => toDisplayText(text)).join("\n");
    const lines = tryHighlight(code, language, theme);
    return new Map(lines ? sideRows.map((row, index) => [row, lines[index] ?? ""]) : []);
  };
  const [newSide, oldSide] = [highlightSide("-"), highlightSide("+")];
  return rows.map((row) => {
    const styled = (row.sign === "-" ? oldSide : newSide).get(row);
    return styled === undefined ? row : { ...row, styled };
  });
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

function parseDiff(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldLine, newLine] = [0, 0];
  for (const line of diff.trimEnd().split("\n")) {
    const hunk = HUNK_HEADER.exec(line);
    if (hunk) {
      if (rows.length > 0) rows.push({ number: null, sign: " ", text: "" });
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
    } else if (oldLine === 0 && newLine === 0) continue;
    else if (line.startsWith("-")) rows.push({ number: oldLine++, sign: "-", text: line.slice(1) });
    else if (line.startsWith("+")) rows.push({ number: newLine++, sign: "+", text: line.slice(1) });
    else if (line.startsWith("\\")) continue;
    else {
      rows.push({ number: newLine++, sign: " ", text: line.slice(1) });
      oldLine++;
    }
  }
  return rows;
}

const HUNK_HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

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
