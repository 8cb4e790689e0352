/** A text as lines of a width: plain, and none wider. Pure. */

import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../../../printing/plain.ts";
import type { PageLine } from "./pager-state.ts";

export function pageLines(text: string, width: number): readonly PageLine[] {
  const lines = plain(text).replaceAll("\t", "    ").split("\n");
  return lines.flatMap((line) => wrapped(line, width)).map((line) => ({ text: line }));
}

/** Most lines are short and simple, and there may be a hundred thousand. */
function wrapped(line: string, width: number): readonly string[] {
  if (line.length <= width && (SIMPLE.test(line) || visibleWidth(line) <= width)) return [line];
  return wrapTextWithAnsi(line, width);
}

const SIMPLE = /^[\x20-\x7e]*$/;
