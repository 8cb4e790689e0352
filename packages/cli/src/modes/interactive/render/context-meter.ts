/** Renders how full the context is: a bar with marks for the limits, a percentage, token figures and a legend. */

import { formatNumber } from "@pith/host/text/format";
import { pauseReasons } from "../../../context-report/meter.ts";
import type { ContextMeter } from "../state/footer.ts";
import { visibleWidth } from "../terminal/pi-tui.ts";
import type { RenderContext, Style, Theme } from "./theme.ts";

/** Each part has its own character, so that the bar is readable without colours. */
export const barCharacters = { base: "█", kept: "▓", recent: "▒", free: "·" } as const;

/** `soft`: above this limit the meter warns. `hard`: above this limit the context is compacted. */
export const limitMarks = { soft: "╎", hard: "┃" } as const;

type MeterOptions = Pick<RenderContext, "width" | "theme">;

/**
 * The bar ends at the compaction limit, so that it is as full as the percentage says. Tokens above the limit are drawn after its mark.
 * Empty if the limit is unknown.
 */
export function renderMeterBar(meter: ContextMeter, { width, theme }: MeterOptions): string {
  const { tokens, limit, softLimit } = meter;
  if (limit === null || !(limit > 0) || width < 1) return "";
  const total = Math.max(limit, tokens);
  const cells = assignParts(meter, { total, width });
  const toColumn = (position: number): number => Math.min(width - 1, Math.floor((position / total) * width));
  const row: Cell[] = cells.map((style) => ({ character: barCharacters[style], style }));
  if (softLimit !== null && softLimit < limit) row[toColumn(softLimit)] = { character: limitMarks.soft, style: "dim" };
  row[toColumn(limit)] = { character: limitMarks.hard, style: tokens > limit ? "bad" : "dim" };
  return styleCells(row, theme);
}

type BarPart = keyof typeof barCharacters;

interface Cell {
  readonly character: string;
  readonly style: Style;
}

function assignParts(
  { parts: { system, pins, userMessages, summary, kept, recent }, tokens }: ContextMeter,
  { total, width }: { readonly total: number; readonly width: number },
): readonly BarPart[] {
  const base = system + pins + userMessages + summary;
  // A context with very few tokens still fills one cell.
  const toColumn = (sum: number): number => (tokens > 0 ? Math.max(1, Math.round((sum / total) * width)) : 0);
  const endColumns = {
    base: base > 0 ? toColumn(base) : 0,
    kept: toColumn(base + kept),
    recent: toColumn(base + kept + recent),
  };
  return Array.from({ length: width }, (_, cell): BarPart => {
    if (cell < endColumns.base) return "base";
    if (cell < endColumns.kept && kept > 0) return "kept";
    return cell < endColumns.recent && recent > 0 ? "recent" : "free";
  });
}

/** Styles runs of cells with the same style together. */
function styleCells(row: readonly Cell[], theme: Theme): string {
  let text = "";
  for (let start = 0; start < row.length; ) {
    const style = row[start]?.style ?? "dim";
    let end = start;
    while (row[end]?.style === style) end += 1;
    text += theme[style](
      row
        .slice(start, end)
        .map(({ character }) => character)
        .join(""),
    );
    start = end;
  }
  return text;
}

/** Returns `context 46%`, or `context ~46%` for an estimate. 100% is the compaction limit. Empty if the limit is unknown. */
export function formatPercentage(meter: ContextMeter, theme: Theme): string {
  return meter.limit === null
    ? ""
    : theme[chooseStyle(meter)](`context ${formatEstimateMark(meter)}${calculatePercent(meter)}%`);
}

/** Returns `84,211 / 183,616`, the same figures as `/context`, or `~84,211 / 183,616` for an estimate (MET19). */
export function formatMeterTokens(meter: ContextMeter, theme: Theme): string {
  const { tokens, limit } = meter;
  if (limit === null)
    return theme.dim(`context ${formatEstimateMark(meter)}${formatNumber(tokens)} tokens · window unknown`);
  return theme[chooseStyle(meter)](`${formatEstimateMark(meter)}${formatNumber(tokens)} / ${formatNumber(limit)}`);
}

function formatEstimateMark({ isEstimate }: ContextMeter): string {
  return isEstimate ? "~" : "";
}

/** Empty if automatic compaction is on and not paused, and no summary is ready. */
export function formatAutoCompact(
  { isAutoCompactEnabled, pauseReason, isSummaryReady }: ContextMeter,
  theme: Theme,
): string {
  if (!isAutoCompactEnabled) return theme.warning("auto-compact off");
  if (pauseReason === null || pauseReason === "off") return isSummaryReady ? theme.dim("summary ready") : "";
  return theme.warning(`auto-compact paused (${pauseReasons[pauseReason].short})`);
}

function calculatePercent({ tokens, limit }: ContextMeter): number {
  return limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
}

function chooseStyle({ tokens, limit, softLimit }: ContextMeter): Style {
  if (limit !== null && tokens > limit) return "bad";
  return softLimit !== null && tokens > softLimit ? "warning" : "dim";
}

/** Never wider than `width`, unless the figures alone are wider. */
export function renderMeterLine(meter: ContextMeter, { width, theme }: MeterOptions): string {
  const availableWidth = calculateBarWidth(meter, { width, theme });
  const legend = renderLegend(meter, theme);
  const hasLegend = availableWidth - visibleWidth(legend) - GAP.length >= MIN_BAR_WIDTH_WITH_LEGEND;
  const barWidth = hasLegend ? availableWidth - visibleWidth(legend) - GAP.length : availableWidth;
  const bar =
    barWidth < MIN_BAR_WIDTH ? "" : renderMeterBar(meter, { width: Math.min(MAX_BAR_WIDTH, barWidth), theme });
  return joinNonEmpty([
    formatPercentage(meter, theme),
    bar,
    formatFigures(meter, theme),
    hasLegend && bar !== "" ? legend : "",
  ]);
}

/** Returns the columns that remain for a bar beside the percentage and the figures. */
export function calculateBarWidth(meter: ContextMeter, { width, theme }: MeterOptions): number {
  return width - visibleWidth(joinNonEmpty([formatPercentage(meter, theme), formatFigures(meter, theme)])) - GAP.length;
}

const GAP = "  ";
/** A shorter bar is unreadable. */
const MIN_BAR_WIDTH = 8;
const MIN_BAR_WIDTH_WITH_LEGEND = 20;
const MAX_BAR_WIDTH = 36;

function joinNonEmpty(parts: readonly string[]): string {
  return parts.filter((text) => text !== "").join(GAP);
}

function formatFigures(meter: ContextMeter, theme: Theme): string {
  const figures = [formatMeterTokens(meter, theme), formatAutoCompact(meter, theme)].filter((text) => text !== "");
  return figures.join(theme.dim(" · "));
}

/** Lists only the parts that the bar shows. */
function renderLegend({ parts, softLimit }: ContextMeter, theme: Theme): string {
  const { system, pins, userMessages, summary, kept, recent } = parts;
  return [
    ...(system + pins + userMessages + summary > 0 ? [theme.base(`${barCharacters.base} prompt + summary`)] : []),
    ...(kept > 0 ? [theme.kept(`${barCharacters.kept} kept`)] : []),
    ...(recent > 0 ? [theme.recent(`${barCharacters.recent} new`)] : []),
    ...(softLimit === null ? [] : [theme.dim(`${limitMarks.soft} warning`)]),
    theme.dim(`${limitMarks.hard} auto-compact`),
  ].join(" ");
}
