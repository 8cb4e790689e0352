/** Renders a unified diff as numbered rows, and single lines of a diff for pages. */

import { plain } from "../../../text/safe-text.ts";
import { cut, leftTold, wrapped } from "./text.ts";
import type { Brush, Theme } from "./theme.ts";

interface Row {
  /** Null between two places of a file. */
  readonly number: number | null;
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** Folded: so many of them. */
export function diffRows(diff: string, few: number, brush: Brush): readonly string[] {
  const rows = rowsIn(diff);
  const most = brush.isUnfolded ? Math.max(1, (brush.most ?? Number.POSITIVE_INFINITY) - 3) : few;
  const digits = Math.max(2, `${rows.reduce((most, { number }) => Math.max(most, number ?? 0), 0)}`.length);
  const drawn = rows.slice(0, most).flatMap((row) => drawRow(row, digits, brush));
  return [...drawn.slice(0, most), ...leftTold(rows.length - Math.min(most, rows.length), "more", brush)];
}

/** `+3 −1`. */
export function changeCount(diff: string): string {
  const rows = rowsIn(diff);
  const count = (sign: Row["sign"]): number => rows.filter((row) => row.sign === sign).length;
  return `+${count("+")} −${count("-")}`;
}

function drawRow({ number, sign, text }: Row, digits: number, { width, theme, isUnfolded }: Brush): readonly string[] {
  if (number === null) return [`    ${theme.dim(`${"⋮".padStart(digits)}`)}`];
  const ink = sign === "+" ? theme.added : sign === "-" ? theme.removed : theme.dim;
  const mark = `    ${theme.dim(`${number}`.padStart(digits))} ${ink(sign)} `;
  const indent = " ".repeat(4 + digits + 3);
  if (isUnfolded) return wrapped(text, { width, mark, indent, ink });
  const row = cut(text, { width: width - indent.length, indent: "", ink });
  return [`${mark}${row}`.trimEnd()];
}

function rowsIn(diff: string): readonly Row[] {
  const rows: Row[] = [];
  let [before, after] = [0, 0];
  for (const line of diff.trimEnd().split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      if (rows.length > 0) rows.push({ number: null, sign: " ", text: "" });
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
    } else if (before === 0 && after === 0) continue;
    else if (line.startsWith("-")) rows.push({ number: before++, sign: "-", text: line.slice(1) });
    else if (line.startsWith("+")) rows.push({ number: after++, sign: "+", text: line.slice(1) });
    else if (line.startsWith("\\")) continue;
    else {
      rows.push({ number: after++, sign: " ", text: line.slice(1) });
      before++;
    }
  }
  return rows;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function patchLine(line: string, theme: Theme): string {
  const sign = line[0] ?? "";
  // A line end of Windows is worth seeing only where it changed.
  const seen = sign === " " ? line.replace(/\r$/, "") : line;
  const text = ` ${plain(seen.slice(0, LONGEST).replaceAll("\t", "    "))}`;
  if (sign === "+") return theme.added(text);
  if (sign === "-") return theme.removed(text);
  return ASIDE.includes(sign) ? theme.dim(text) : text;
}

/** Places in the file, and notes. */
const ASIDE = ["@", "#", "\\"];

/** Letters of a line: no terminal is wider. */
const LONGEST = 2_000;
