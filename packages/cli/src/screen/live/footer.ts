/** The footer: who speaks, where, in which way and at what cost, and how full the context is. One line where there is room, else two. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { costTold } from "../../printing/amounts.ts";
import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import type { Theme } from "../drawing/theme.ts";
import type { Facts } from "../state/facts.ts";
import { barRoom, meterLine } from "./meter/meter-line.ts";
import { whoAndWhere } from "./who-and-where.ts";

type Look = Pick<Brush, "width" | "theme">;

export function footer(facts: Facts, look: Look): readonly string[] {
  return inOneLine(facts, look) ?? inTwoLines(facts, look);
}

/** Only where nothing must be left out, and what the signs of the bar mean stands beside it. */
function inOneLine(facts: Facts, { width, theme }: Look): readonly string[] | null {
  const full = facts.meter ? meterLine(facts.meter, { width: ENDLESS, theme }) : "";
  const right = [full, wayOf(facts, theme)].filter((text) => text !== "").join(GAP);
  const left = whoAndWhere(facts, { room: width - visibleWidth(right) - GAP.length, isWhole: true });
  return left === null ? null : [spread(theme.dim(left), right, width)];
}

/** How full it is stands beside the way, unless its bar would become too short. */
function inTwoLines(facts: Facts, { width, theme }: Look): readonly string[] {
  const way = wayOf(facts, theme);
  const room = width - visibleWidth(way) - GAP.length;
  const left = (most: number): string =>
    theme.dim(whoAndWhere(facts, { room: Math.max(0, most), isWhole: false }) ?? "");
  const { meter } = facts;
  if (!meter) return room < 0 ? [left(width), truncateToWidth(way, width, "…")] : [spread(left(room), way, width)];
  const fewest = meter.limit === null ? -GAP.length : NARROWEST;
  if (barRoom(meter, { width: room, theme }) >= fewest)
    return [left(width), spread(meterLine(meter, { width: room, theme }), way, width)];
  return [spread(left(room), way, width), truncateToWidth(meterLine(meter, { width, theme }), width, "…")];
}

const GAP = "  ";
const ENDLESS = 1_000;
/** Cells of a bar beside something else. */
const NARROWEST = 14;

/** What is permitted, whether commands are confined, and what all of it has cost; of what is not known yet, nothing. */
function wayOf({ mode, isSandboxed, cost }: Facts, theme: Theme): string {
  const named = mode === "all" ? theme.warning(theme.strong("ALL permitted")) : theme.dim(`${plain(mode ?? "")} mode`);
  const box = isSandboxed ? theme.dim("sandbox") : theme.warning("no sandbox");
  return [mode && named, isSandboxed === null ? null : box, cost === null ? null : theme.dim(costTold(cost))]
    .filter((part) => part !== null)
    .join(theme.dim(" · "));
}

function spread(left: string, right: string, width: number): string {
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap < 1 ? truncateToWidth(`${left} ${right}`, width) : `${left}${" ".repeat(gap)}${right}`;
}
