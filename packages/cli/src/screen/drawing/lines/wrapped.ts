/** Lines that fit: broken where they are too long, and set in behind a mark. */

import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { shownLine, shownText } from "./shown-text.ts";

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

/** Nobody reads on in a line of a hundred rows, and breaking it takes time. */
function bounded(line: string): string {
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)} … ${line.length - LONGEST} more letters`;
}

const LONGEST = 8_000;
