/** A long text on a page of its own: walked through, and searched. */

import { plainLine } from "../../../printing/plain-line.ts";
import { atBothEnds } from "../../drawing/lines/columns.ts";
import { fitted } from "../../drawing/lines/wrapped.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine } from "../../widgets/line-input.ts";
import type { Panel, Sight } from "../panel.ts";
import { type Paged, pagerPress } from "./pager-press.ts";
import { type PageLine, type PagerState, pagerStart } from "./pager-state.ts";

export interface PagerParts {
  readonly title: string;
  /** Made for a width; asked for again only when that changes. */
  readonly lines: (width: number) => readonly PageLine[];
}

export function pager({ title, lines }: PagerParts): Panel<PagerState, null> {
  let made: { readonly width: number; readonly lines: readonly PageLine[] } | null = null;
  const linesFor = (width: number): readonly PageLine[] => {
    if (made?.width !== width) made = { width, lines: lines(width) };
    return made.lines;
  };
  return {
    start: pagerStart,
    press: (state, key, sight) => pagerPress(state, key, pagedOn(linesFor(sight?.width ?? WIDTH), sight)),
    draw: (state, sight) => drawPage(state, { title, lines: linesFor(sight.width), sight }),
  };
}

const WIDTH = 80;
const HEIGHT = 24;
/** Title above, keys below. */
const FRAME = 2;

function pagedOn(lines: readonly PageLine[], sight: Sight | undefined): Paged {
  return { lines, rows: rowsOf(sight?.height ?? HEIGHT) };
}

function rowsOf(height: number): number {
  return Math.max(1, height - FRAME);
}

interface Drawn {
  readonly title: string;
  readonly lines: readonly PageLine[];
  readonly sight: Sight;
}

function drawPage({ top, typing, query }: PagerState, { title, lines, sight }: Drawn): readonly string[] {
  const { width, height, theme } = sight;
  const rows = rowsOf(height);
  const seen = lines.slice(top, top + rows);
  const place = `${Math.min(top + 1, lines.length)}–${Math.min(top + rows, lines.length)} of ${lines.length} lines`;
  const body = seen.map((line) => drawn(line, query, sight));
  const blank = Array.from({ length: Math.max(0, rows - body.length) }, () => "");
  const foot = typing ? ` search: ${drawLine(typing, theme)}` : hintLine(HINTS, sight);
  const head = atBothEnds(theme.strong(` ${plainLine(title)}`), theme.dim(place), width);
  return [head, ...body, ...blank, foot].map((line) => fitted(line, width));
}

const HINTS = ["↑↓ PgUp PgDn Home End", "/ search", "n next", "N previous", "Esc closes"];

function drawn({ text, isHeading }: PageLine, query: string, { theme }: Sight): string {
  const isFound = query !== "" && text.toLowerCase().includes(query.toLowerCase());
  if (isFound) return theme.selected(text);
  return isHeading ? theme.heading(text) : text;
}
