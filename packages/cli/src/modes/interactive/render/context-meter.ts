/** Renders how full the context is: a bar with marks for the limits, a percentage, token figures and a legend. */

import { amount } from "../../../text/format.ts";
import type { Meter } from "../state/footer.ts";
import { visibleWidth } from "../terminal/pi-tui.ts";
import type { Ink, Theme } from "./theme.ts";

/** Each part has a sign of its own, so that it can be read without colours. */
export const signs = { front: "█", tail: "▓", fresh: "▒", free: "·" } as const;

/** Where one is told that it fills up, and where it is compacted. */
export const marks = { soft: "╎", hard: "┃" } as const;

export interface BarSize {
  readonly width: number;
  readonly theme: Theme;
}

/** It ends where it is compacted, so that it is as full as the percentage says; what is more stands behind that mark. Empty where nobody knows. */
export function meterBar(meter: Meter, { width, theme }: BarSize): string {
  const { tokens, limit, soft } = meter;
  if (limit === null || !(limit > 0) || width < 1) return "";
  const whole = Math.max(limit, tokens);
  const cells = partsIn(meter, { whole, width });
  const at = (place: number): number => Math.min(width - 1, Math.floor((place / whole) * width));
  const row: Cell[] = cells.map((ink) => ({ sign: signs[ink], ink }));
  if (soft !== null && soft < limit) row[at(soft)] = { sign: marks.soft, ink: "dim" };
  row[at(limit)] = { sign: marks.hard, ink: tokens > limit ? "bad" : "dim" };
  return painted(row, theme);
}

type Part = keyof typeof signs;

interface Cell {
  readonly sign: string;
  readonly ink: Ink;
}

function partsIn(
  { parts: { system, pins, words, checkpoint, tail, fresh }, tokens }: Meter,
  { whole, width }: { readonly whole: number; readonly width: number },
): readonly Part[] {
  const front = system + pins + words + checkpoint;
  // What is there at all shows.
  const end = (sum: number): number => (tokens > 0 ? Math.max(1, Math.round((sum / whole) * width)) : 0);
  const ends = { front: front > 0 ? end(front) : 0, tail: end(front + tail), fresh: end(front + tail + fresh) };
  return Array.from({ length: width }, (_, cell): Part => {
    if (cell < ends.front) return "front";
    if (cell < ends.tail && tail > 0) return "tail";
    return cell < ends.fresh && fresh > 0 ? "fresh" : "free";
  });
}

/** Cells of one ink together. */
function painted(row: readonly Cell[], theme: Theme): string {
  let text = "";
  for (let at = 0; at < row.length; ) {
    const ink = row[at]?.ink ?? "dim";
    let end = at;
    while (row[end]?.ink === ink) end += 1;
    text += theme[ink](
      row
        .slice(at, end)
        .map(({ sign }) => sign)
        .join(""),
    );
    at = end;
  }
  return text;
}

/** `context 46 %`, `context ~46 %` for an estimate: of what may be there before it is compacted; empty where nobody knows how much that is. */
export function fullTold(meter: Meter, theme: Theme): string {
  return meter.limit === null ? "" : theme[inkFor(meter)](`context ${about(meter)}${percentOf(meter)} %`);
}

/** `84,211 / 183,616`, as `/context` has them; `~84,211 / 183,616` for an estimate (MET19). */
export function meterFigures(meter: Meter, theme: Theme): string {
  const { tokens, limit } = meter;
  if (limit === null) return theme.dim(`context ${about(meter)}${amount(tokens)} tokens · window unknown`);
  return theme[inkFor(meter)](`${about(meter)}${amount(tokens)} / ${amount(limit)}`);
}

function about({ isEstimate }: Meter): string {
  return isEstimate ? "~" : "";
}

/** Empty while everything is as usual. */
export function automaticTold({ isAutomatic, held }: Meter, theme: Theme): string {
  if (!isAutomatic) return theme.warning("auto off");
  if (held === null || held === "off") return "";
  return theme.warning(holds[held]);
}

const holds = { undone: "auto held: undone", breaker: "auto held: breaker" } as const;

function percentOf({ tokens, limit }: Meter): number {
  return limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
}

function inkFor({ tokens, limit, soft }: Meter): Ink {
  if (limit !== null && tokens > limit) return "bad";
  return soft !== null && tokens > soft ? "warning" : "dim";
}

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
