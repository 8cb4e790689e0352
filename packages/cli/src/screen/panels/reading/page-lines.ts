/** A text as lines of a width: plain, and none wider. Pure. */

import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import type { PageLine } from "./pager-state.ts";

export function pageLines(text: string, width: number): readonly PageLine[] {
  const lines = plain(text).replaceAll("\t", "    ").split("\n");
  return lines.flatMap((line) => wrapped(line, Math.max(1, width))).map((line) => ({ text: line }));
}

/** Most lines are short and simple, and there may be a hundred thousand; or there is one, and it is a megabyte long. */
function wrapped(line: string, width: number): readonly string[] {
  if (SIMPLE.test(line)) return line.length <= width ? [line] : simplyWrapped(line, width);
  if (line.length <= width && visibleWidth(line) <= width) return [line];
  return (line.match(PIECES) ?? []).flatMap((piece) => wrapTextWithAnsi(piece, width));
}

const SIMPLE = /^[\x20-\x7e]*$/;
/** Wrapping takes longer than the line is long. */
const PIECES = /.{1,2000}/gsu;

/** At the last space there is, else in the middle of a word; each letter has one cell. */
function simplyWrapped(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let at = 0;
  while (line.length - at > width) {
    const space = line.slice(at, at + width + 1).lastIndexOf(" ");
    const end = at + (space > 0 ? space : width);
    rows.push(line.slice(at, end));
    at = line[end] === " " ? end + 1 : end;
  }
  return [...rows, line.slice(at)];
}
