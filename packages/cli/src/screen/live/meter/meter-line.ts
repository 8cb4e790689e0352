/** The context bar with its figures, as wide as there is room. Pure. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { Meter } from "../../state/facts.ts";
import { type BarSize, meterBar } from "./bar.ts";
import { automaticTold, meterFigures } from "./figures.ts";

export interface MeterSize extends BarSize {
  /** Cells of the bar at most. */
  readonly widest: number;
}

/** Never wider than `width`, unless the figures alone are. */
export function meterLine(meter: Meter, { width, theme, widest }: MeterSize): string {
  const told = [meterFigures(meter, theme), automaticTold(meter, theme)].filter((text) => text !== "");
  const figures = told.join(theme.dim(" · "));
  const room = Math.min(widest, width - visibleWidth(figures) - GAP.length);
  const bar = room < NARROWEST ? "" : meterBar(meter, { width: room, theme });
  return bar === "" ? figures : `${bar}${GAP}${figures}`;
}

const GAP = "  ";
/** A bar of fewer cells says nothing. */
const NARROWEST = 8;
