/** Text from anywhere as lines that fit and steer nothing: broken where they are too long, and set in behind a mark. */

import { CURSOR_MARKER, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";

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
