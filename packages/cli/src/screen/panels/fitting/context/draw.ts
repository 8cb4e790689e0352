/** The page of what fills the context, as lines. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { ContextReport } from "../../../../commands/fitting/context-report.ts";
import { amount } from "../../../../printing/amounts.ts";
import { plainLine } from "../../../../printing/plain-line.ts";
import { atBothEnds, cell } from "../../../drawing/lines/columns.ts";
import { marks, meterBar, signs } from "../../../live/meter/bar.ts";
import { automaticTold, fullTold, meterFigures } from "../../../live/meter/figures.ts";
import type { Meter } from "../../../state/facts.ts";
import { hintLine } from "../../../widgets/hint-line.ts";
import type { Walk } from "../../../widgets/list.ts";
import type { Sight } from "../../panel.ts";
import { type Row, rowsOf, type Tab, tabs } from "./rows.ts";

export interface ContextPageParts {
  readonly report: ContextReport;
  readonly meter: Meter;
  /** What the bottom of the page says. */
  readonly next: readonly string[];
  /** An entry, word for word. */
  readonly entryText: (id: string) => string;
}

export interface DrawnContext extends ContextPageParts {
  readonly tab: Tab;
  readonly walk: Walk;
}

export function drawContext({ report, meter, next, tab, walk }: DrawnContext, sight: Sight): readonly string[] {
  const { width, height, theme } = sight;
  const rows = rowsOf(report, tab);
  const count = rowsFor(height, next);
  const shown = rows.slice(walk.top, walk.top + count).map((row, at) => ({ row, isChosen: walk.top + at === walk.at }));
  const name = widest(rows, width);
  const list = shown.map((each) => drawRow(each, { name, tokens: report.tokens, sight }));
  const blank = Array.from({ length: Math.max(0, count - list.length) }, () => "");
  const foot = [
    theme.dim(` ${plainLine(rows[walk.at]?.says ?? "nothing here")}`),
    ...next.map((line) => theme.dim(` ${line}`)),
    hintLine(hintsOn(tab), sight),
  ];
  const lines = [...drawHead(meter, sight), drawTabs(tab, sight), ...list, ...blank, "", ...foot];
  return lines.map((line) => truncateToWidth(line, width, "…"));
}

/** Rows of the list: the rest is head and foot. */
export function rowsFor(height: number, next: readonly string[]): number {
  return Math.max(1, height - HEAD - FOOT - next.length);
}

const HEAD = 5;
const FOOT = 3;

function drawHead(meter: Meter, { width, theme }: Sight): readonly string[] {
  const told = [fullTold(meter, theme), meterFigures(meter, theme), automaticTold(meter, theme)];
  const right = told.filter((text) => text !== "").join(theme.dim(" · "));
  return [
    atBothEnds(theme.strong(" What fills the context"), right, width),
    ` ${meterBar(meter, { width: width - 2, theme })}`,
    legend(meter, theme),
    "",
  ];
}

function legend({ parts, tokens, limit, soft }: Meter, theme: Sight["theme"]): string {
  const { system, pins, words, checkpoint, tail, fresh } = parts;
  const front = system + pins + words + checkpoint;
  const named = [
    theme.front(`${signs.front} front ${amount(front)}`),
    ...(tail > 0 ? [theme.tail(`${signs.tail} kept ${amount(tail)}`)] : []),
    theme.fresh(`${signs.fresh} new ${amount(fresh)}`),
    ...(limit === null ? [] : [theme.dim(`${signs.free} free ${amount(Math.max(0, limit - tokens))}`)]),
    ...(soft === null ? [] : [theme.dim(`${marks.soft} warns`)]),
    ...(limit === null ? [] : [theme.dim(`${marks.hard} compacts`)]),
  ];
  return ` ${named.join("   ")}`;
}

function drawTabs(tab: Tab, { theme }: Sight): string {
  return ` ${tabs.map((each) => (each === tab ? theme.selected(`[by ${each}]`) : theme.dim(` by ${each} `))).join(" ")}`;
}

function hintsOn(tab: Tab): readonly string[] {
  return ["←→ by kind, tool, file, entry", "↑↓ walk", ...(tab === "entry" ? ["Enter shows it"] : []), "Esc closes"];
}

interface RowSize {
  readonly name: number;
  readonly tokens: number;
  readonly sight: Sight;
}

function widest(rows: readonly Row[], width: number): number {
  const longest = Math.max(10, ...rows.map(({ name }) => visibleWidth(plainLine(name))));
  return Math.max(10, Math.min(longest, width - BESIDE));
}

/** Mark, figures, percentage and bar. */
const BESIDE = 42;
const BAR = 20;

function drawRow(
  { row, isChosen }: { readonly row: Row; readonly isChosen: boolean },
  { name, tokens, sight: { theme } }: RowSize,
): string {
  const share = tokens === 0 ? 0 : row.tokens / tokens;
  const words = cell(plainLine(row.name), name);
  const figures = `${amount(row.tokens).padStart(9)} ${`${Math.round(share * 100)} %`.padStart(6)}`;
  const bar = "█".repeat(Math.min(BAR, Math.round(share * BAR))) || (row.tokens > 0 ? "▏" : "");
  const line = ` ${isChosen ? "❯" : " "} ${words}`;
  return `${isChosen ? theme.accent(line) : line} ${figures}  ${theme.tail(bar)}`;
}
