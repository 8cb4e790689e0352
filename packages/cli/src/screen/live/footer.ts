/** The footer: who speaks, where, in which way and at what cost, and how full the context is. One line where there is room, else two. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import { costTold } from "../../subcommands/sessions/wording/amounts.ts";
import type { Brush } from "../drawing/brush.ts";
import type { Theme } from "../drawing/theme.ts";
import type { Facts } from "../state/facts.ts";
import { meterLine } from "./meter/meter-line.ts";
import { whoAndWhere } from "./who-and-where.ts";

type Look = Pick<Brush, "width" | "theme">;

export function footer(facts: Facts, look: Look): readonly string[] {
  return inOneLine(facts, look) ?? inTwoLines(facts, look);
}

function inOneLine(facts: Facts, { width, theme }: Look): readonly string[] | null {
  const way = wayOf(facts, theme);
  const left = whoAndWhere(facts, { room: width - visibleWidth(way) - GAP.length, isWhole: true });
  if (left === null) return null;
  const room = width - visibleWidth(left) - visibleWidth(way) - 2 * GAP.length;
  const full = fullOf(facts, { width: room, theme });
  return full === null ? null : [spread(theme.dim(left), full === "" ? way : `${full}${GAP}${way}`, width)];
}

/** How full it is stands beside the way, unless its bar would become too short. */
function inTwoLines(facts: Facts, { width, theme }: Look): readonly string[] {
  const way = wayOf(facts, theme);
  const room = width - visibleWidth(way) - GAP.length;
  const beside = fullOf(facts, { width: room, theme });
  const left = (most: number): string =>
    theme.dim(whoAndWhere(facts, { room: Math.max(0, most), isWhole: false }) ?? "");
  if (beside !== null) return [left(width), spread(beside, way, width)];
  const { meter } = facts;
  const full = meter ? [truncateToWidth(meterLine(meter, { width, theme, widest: WIDEST }), width, "…")] : [];
  return [spread(left(room), way, width), ...full];
}

/** Null where there is no room for a bar that tells anything; empty where nothing is known. */
function fullOf({ meter }: Facts, { width, theme }: Look): string | null {
  if (!meter) return width < 0 ? null : "";
  const line = meterLine(meter, { width, theme, widest: WIDEST });
  const isBarred = meter.limit !== null;
  const bar = visibleWidth(line) - visibleWidth(meterLine(meter, { width: 0, theme, widest: 0 })) - GAP.length;
  return visibleWidth(line) <= width && (!isBarred || bar >= NARROWEST) ? line : null;
}

const GAP = "  ";
/** Cells of the bar. */
const WIDEST = 44;
const NARROWEST = 14;

/** What is permitted, whether commands are confined, and what all of it has cost. */
function wayOf({ mode, isSandboxed, cost }: Facts, theme: Theme): string {
  const named = mode === "all" ? theme.warning(theme.strong("ALL permitted")) : theme.dim(`${plain(mode)} mode`);
  const box = isSandboxed ? theme.dim("sandbox") : theme.warning("no sandbox");
  return [named, box, theme.dim(costTold(cost))].join(theme.dim(" · "));
}

function spread(left: string, right: string, width: number): string {
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap < 1 ? truncateToWidth(`${left} ${right}`, width) : `${left}${" ".repeat(gap)}${right}`;
}
