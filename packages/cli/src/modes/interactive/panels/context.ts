/** Shows what fills the context (`/context`: by kind, tool, file and entry) and what the model sees now (`/seen`). */

import { entryText } from "@pith/context/host";
import { seenPlaces } from "../../../commands/context.ts";
import { type SeenPart, seenParts } from "../../../context-report/model-view.ts";
import { type ContextReport, contextNext, contextReport, freed } from "../../../context-report/report.ts";
import { amount, type ContextTokens, counted, formatContextTokens } from "../../../text/format.ts";
import { clipped, plainLine } from "../../../text/safe-text.ts";
import { automaticTold, fullTold, marks, meterBar, meterFigures, signs } from "../render/context-meter.ts";
import { atBothEnds, cell } from "../render/text.ts";
import type { Opener } from "../screen-context.ts";
import type { Meter } from "../state/footer.ts";
import { meterOf } from "../state/track-footer.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { type PageLine, type PagerState, pageLines, pager } from "./pager.ts";
import { goesOn, type Panel, type Pressed, type Sight } from "./panel.ts";
import { atTop, hintLine, type Walk, walked } from "./widgets.ts";

export interface Row {
  readonly name: string;
  readonly tokens: number;
  /** More of it, for the row one stands on. */
  readonly says: string;
  /** The entry it stands for. */
  readonly id?: string;
}

export const tabs = ["kind", "tool", "file", "entry"] as const;

export type Tab = (typeof tabs)[number];

export function rowsOf(report: ContextReport, tab: Tab): readonly Row[] {
  switch (tab) {
    case "kind":
      return report.parts.map(({ place, kind, tokens }) => ({ name: kind, tokens, says: places[place] }));
    case "tool":
      return report.tools.map(({ tool, results, tokens }) => ({
        name: tool,
        tokens,
        says: counted(results, "result"),
      }));
    case "file":
      return report.files.map(({ path, results, tokens }) => ({
        name: path,
        tokens,
        says: counted(results, "result"),
      }));
    case "entry":
      return report.biggest.map(({ id, kind, words, tokens, frees }) => ({
        ...{ id, tokens, name: `${kind}: ${words}`, says: freed(frees) },
      }));
  }
}

const places = {
  system: "stands first, and is sent with every request",
  front: "kept by compactions, before all that was said since",
  tail: "as it was said; a compaction tells the older part of it in short",
} as const;

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

export interface ContextPageState {
  readonly tab: Tab;
  readonly walk: Walk;
  /** The entry that is being read. */
  readonly reading: { readonly page: Panel<PagerState, null>; readonly state: PagerState } | null;
}

export function contextPage(parts: ContextPageParts): Panel<ContextPageState, null> {
  return {
    start: { tab: "kind", walk: atTop, reading: null },
    press: (state, key, sight) =>
      state.reading ? whileReading(state, key, sight) : pressed(state, key, { parts, sight }),
    draw: ({ tab, walk, reading }, sight) =>
      reading ? reading.page.draw(reading.state, sight) : drawContext({ ...parts, tab, walk }, sight),
  };
}

type Reaction = Pressed<ContextPageState, null> | null;

function whileReading(state: ContextPageState, key: string, sight: Sight | undefined): Reaction {
  const { reading } = state;
  const read = reading?.page.press(reading.state, key, sight);
  if (reading && read?.type === "goes-on")
    return goesOn<ContextPageState>({ ...state, reading: { ...reading, state: read.state } });
  return key === "escape" || key === "q" ? goesOn<ContextPageState>({ ...state, reading: null }) : null;
}

interface Pressing {
  readonly parts: ContextPageParts;
  readonly sight: Sight | undefined;
}

function pressed(state: ContextPageState, key: string, { parts, sight }: Pressing): Reaction {
  const rows = rowsOf(parts.report, state.tab);
  const step = Object.hasOwn(STEPS, key) ? STEPS[key] : undefined;
  if (step !== undefined) return goesOn<ContextPageState>({ ...state, walk: atTop, tab: besides(state.tab, step) });
  const id = rows[state.walk.at]?.id;
  if (key === "enter" && id !== undefined) return goesOn<ContextPageState>({ ...state, reading: opened(id, parts) });
  const moved = walked(state.walk, key, { count: rows.length, rows: rowsFor(sight?.height ?? HEIGHT, parts.next) });
  return moved && goesOn<ContextPageState>({ ...state, walk: moved });
}

const HEIGHT = 24;

const STEPS: Readonly<Record<string, number>> = { tab: 1, right: 1, left: -1, "shift+tab": -1 };

function besides(tab: Tab, step: number): Tab {
  return tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? "kind";
}

function opened(id: string, { entryText }: ContextPageParts): NonNullable<ContextPageState["reading"]> {
  const text = entryText(id);
  const page = pager({ title: `Entry ${id}`, lines: (width) => pageLines(text, width) });
  return { page, state: page.start };
}

export const openContext: Opener = async (words, { ready, screen }) => {
  if (words !== "") return false;
  const { session, budget } = ready.built.agent;
  await session.loadState();
  const { branch: window } = session;
  const report = contextReport(window, budget);
  const entries = new Map(window.entries.map((entry) => [entry.id, entry]));
  const textOfEntry = (id: string): string => {
    const entry = entries.get(id);
    const text = entry ? entryText(entry, window.edits) : "";
    return text.trim() === "" ? JSON.stringify(entry, null, 2) : text;
  };
  const page = contextPage({
    report,
    meter: meterOf(window, budget),
    next: contextNext(report),
    entryText: textOfEntry,
  });
  await screen.ask(page, { where: "page" });
  return true;
};

export function seenPage(parts: readonly SeenPart[], size: ContextTokens): Panel<PagerState, null> {
  return pager({
    title: `What the model sees now: ${formatContextTokens(size)} tokens`,
    lines: (width) => parts.flatMap((part, at) => linesOf(part, parts[at - 1], width)),
  });
}

function linesOf(part: SeenPart, before: SeenPart | undefined, width: number): readonly PageLine[] {
  const heading = `── ${seenPlaces[part.place]} `;
  const headings: readonly PageLine[] =
    before?.place === part.place
      ? []
      : [{ text: heading + "─".repeat(Math.max(0, width - heading.length)), isHeading: true }];
  const who: PageLine = { text: ` ${clipped(plainLine(part.who), width - 4)}:`, isHeading: true };
  const words = pageLines(part.text.trimEnd(), width - INDENT.length);
  return [...headings, who, ...words.map(({ text }) => ({ text: INDENT + text })), { text: "" }];
}

const INDENT = "   ";

export const openSeen: Opener = async (words, { ready, screen }) => {
  const { session, budget } = ready.built.agent;
  if (words !== "") return false;
  await session.loadState();
  const parts = seenParts(session.branch, budget.model);
  if (parts.length === 0) return false;
  await screen.ask(seenPage(parts, ready.built.agent.contextUsage()), { where: "page" });
  return true;
};
