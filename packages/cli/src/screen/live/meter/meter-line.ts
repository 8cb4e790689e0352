/** How full the context is, in one line: a percentage, the bar, the figures, and where there is room what its signs mean. Pure. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { Theme } from "../../drawing/theme.ts";
import type { Meter } from "../../state/facts.ts";
import { type BarSize, marks, meterBar, signs } from "./bar.ts";
import { automaticTold, fullTold, meterFigures } from "./figures.ts";

/** Never wider than `width`, unless the figures alone are. */
export function meterLine(meter: Meter, { width, theme }: BarSize): string {
  const cells = barRoom(meter, { width, theme });
  const legend = legendOf(meter, theme);
  const isExplained = cells - visibleWidth(legend) - GAP.length >= ENOUGH;
  const room = isExplained ? cells - visibleWidth(legend) - GAP.length : cells;
  const bar = room < FEWEST ? "" : meterBar(meter, { width: Math.min(WIDEST, room), theme });
  return inOrder([fullTold(meter, theme), bar, figuresOf(meter, theme), isExplained && bar !== "" ? legend : ""]);
}

/** Cells that are left for a bar. */
export function barRoom(meter: Meter, { width, theme }: BarSize): number {
  return width - visibleWidth(inOrder([fullTold(meter, theme), figuresOf(meter, theme)])) - GAP.length;
}

const GAP = "  ";
/** Cells: of fewer a bar says nothing; with so many there may be something else beside it; more are never needed. */
const FEWEST = 8;
const ENOUGH = 24;
const WIDEST = 36;

function inOrder(parts: readonly string[]): string {
  return parts.filter((text) => text !== "").join(GAP);
}

function figuresOf(meter: Meter, theme: Theme): string {
  const told = [meterFigures(meter, theme), automaticTold(meter, theme)].filter((text) => text !== "");
  return told.join(theme.dim(" · "));
}

/** Of what is there. */
function legendOf({ parts, soft }: Meter, theme: Theme): string {
  const { system, pins, words, checkpoint, tail, fresh } = parts;
  return [
    ...(system + pins + words + checkpoint > 0 ? [theme.front(`${signs.front} front`)] : []),
    ...(tail > 0 ? [theme.tail(`${signs.tail} kept`)] : []),
    ...(fresh > 0 ? [theme.fresh(`${signs.fresh} new`)] : []),
    ...(soft === null ? [] : [theme.dim(`${marks.soft} warns`)]),
    theme.dim(`${marks.hard} compacts`),
  ].join(" ");
}
