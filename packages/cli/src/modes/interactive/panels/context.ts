/** Implements `/context` (what fills the context by kind, tool, file and entry) and `/seen` (what the model sees). */

import type { Entry, LoadedBranch } from "@pith/context";
import { entryText } from "@pith/context/host";
import { type ContextTokens, formatContextTokens, formatCount, formatNumber } from "@pith/host/text/format";
import { escapeLine, truncate } from "@pith/host/text/safe-text";
import { contextPlaceTitles } from "../../../commands/context.ts";
import { REREAD_FILES, readToolCalls } from "../../../context-report/meter.ts";
import { buildModelView, type ModelViewPart } from "../../../context-report/model-view.ts";
import {
  buildContextReport,
  type ContextPart,
  type ContextReport,
  describeFreed,
  describeNextCompaction,
  REREAD_REPLACED,
} from "../../../context-report/report.ts";
import { formatFullToolCall } from "../../../text/tool-call-text.ts";
import {
  barCharacters,
  formatAutoCompact,
  formatMeterTokens,
  formatPercentage,
  limitMarks,
  renderMeterBar,
} from "../render/context-meter.ts";
import { alignEnds, fitCell } from "../render/text.ts";
import type { PanelCommand } from "../screen-context.ts";
import type { ContextMeter } from "../state/footer.ts";
import { buildContextMeter } from "../state/track-footer.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { createPager, type PageLine, type PagerState, wrapPageLines } from "./pager.ts";
import { continueWith, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { type ListPosition, listStart, moveByKey, renderHints } from "./widgets.ts";

export interface ContextRow {
  readonly name: string;
  readonly tokens: number;
  /** Shown below the list while the row is selected. */
  readonly description: string;
  /** The id of the entry. Absent if the row is not a single entry. */
  readonly id?: string;
}

const tabs = ["kind", "tool", "file", "entry"] as const;

export type Tab = (typeof tabs)[number];

export function buildRows(report: ContextReport, tab: Tab): readonly ContextRow[] {
  switch (tab) {
    case "kind":
      return report.parts.map((part) => ({
        name: namePart(part, report),
        tokens: part.tokens,
        description: part.kind === REREAD_FILES ? REREAD_REPLACED : placeDescriptions[part.place],
      }));
    case "tool":
      return report.tools.map(({ tool, results, tokens }) => ({
        name: tool,
        tokens,
        description: formatCount(results, "result"),
      }));
    case "file":
      return report.files.map(({ path, results, tokens }) => ({
        name: path,
        tokens,
        description: formatCount(results, "result"),
      }));
    case "entry":
      return report.biggest.map(({ id, kind, text, tokens, frees }) => ({
        id,
        tokens,
        name: `${kind}: ${text}`,
        description: describeFreed({ kind, frees }),
      }));
  }
}

const placeDescriptions = {
  system: "sent first with every request",
  summary: "kept by compactions; sent before newer messages",
  messages: "sent unchanged; a compaction summarizes the older part",
} as const;

/** A kind that is both in the summary and after it has two rows, so their names say where each is. */
function namePart({ place, kind }: ContextPart, { parts }: ContextReport): string {
  const isRepeated = parts.filter((part) => part.kind === kind).length > 1;
  return isRepeated ? `${kind} (${placeNames[place]})` : kind;
}

const placeNames = { system: "sent first", summary: "in the summary", messages: "kept and new" } as const;

export interface ContextPageOptions {
  readonly report: ContextReport;
  readonly meter: ContextMeter;
  /** Lines at the bottom of the page that describe the next compaction. */
  readonly nextSteps: readonly string[];
  /** Returns the full text of an entry. */
  readonly entryText: (id: string) => string;
}

export interface ContextPageView extends ContextPageOptions {
  readonly tab: Tab;
  readonly position: ListPosition;
}

function renderContext(
  { report, meter, nextSteps, tab, position }: ContextPageView,
  viewport: Viewport,
): readonly string[] {
  const { width, height, theme } = viewport;
  const rows = buildRows(report, tab);
  const visibleRows = countVisibleRows(height, nextSteps);
  const visible = rows
    .slice(position.top, position.top + visibleRows)
    .map((row, index) => ({ row, isSelected: position.top + index === position.index }));
  const nameWidth = calculateNameWidth(rows, width);
  const list = visible.map((item) => renderRow(item, { nameWidth, totalTokens: report.tokens, viewport }));
  const blank = Array.from({ length: Math.max(0, visibleRows - list.length) }, () => "");
  const footerLines = [
    theme.dim(` ${escapeLine(rows[position.index]?.description ?? "nothing to show")}`),
    ...nextSteps.map((line) => theme.dim(` ${line}`)),
    renderHints(["←→ switch view", "↑↓ move", ...(tab === "entry" ? ["Enter open"] : []), "Esc close"], viewport),
  ];
  const lines = [...renderHead(meter, viewport), renderTabs(tab, viewport), ...list, ...blank, "", ...footerLines];
  return lines.map((line) => truncateToWidth(line, width, "…"));
}

function countVisibleRows(height: number, nextSteps: readonly string[]): number {
  return Math.max(1, height - HEAD_ROWS - FOOT_ROWS - nextSteps.length);
}

const HEAD_ROWS = 5;
const FOOT_ROWS = 3;

function renderHead(meter: ContextMeter, { width, theme }: Viewport): readonly string[] {
  const figures = [formatPercentage(meter, theme), formatMeterTokens(meter, theme), formatAutoCompact(meter, theme)];
  const right = figures.filter((text) => text !== "").join(theme.dim(" · "));
  return [
    alignEnds(theme.strong(" What fills the context"), right, width),
    ` ${renderMeterBar(meter, { width: width - 2, theme })}`,
    renderLegend(meter, { width, theme }),
    "",
  ];
}

/** The marks are left out if there is no room: the lines below name both thresholds. */
function renderLegend(
  { parts, tokens, limit, softLimit }: ContextMeter,
  { width, theme }: Pick<Viewport, "width" | "theme">,
): string {
  const { system, pins, userMessages, summary, kept, recent } = parts;
  const base = system + pins + userMessages + summary;
  const items = [
    theme.base(`${barCharacters.base} prompt + summary ${formatNumber(base)}`),
    ...(kept > 0 ? [theme.kept(`${barCharacters.kept} kept ${formatNumber(kept)}`)] : []),
    theme.recent(`${barCharacters.recent} new ${formatNumber(recent)}`),
    ...(limit === null ? [] : [theme.dim(`${barCharacters.free} free ${formatNumber(Math.max(0, limit - tokens))}`)]),
  ];
  const marks = [
    ...(softLimit === null ? [] : [theme.dim(`${limitMarks.soft} warning`)]),
    ...(limit === null ? [] : [theme.dim(`${limitMarks.hard} auto-compact`)]),
  ];
  const legend = ` ${[...items, ...marks].join("   ")}`;
  return visibleWidth(legend) <= width ? legend : ` ${items.join("   ")}`;
}

function renderTabs(tab: Tab, { theme }: Viewport): string {
  return ` ${tabs.map((name) => (name === tab ? theme.selected(`[by ${name}]`) : theme.dim(` by ${name} `))).join(" ")}`;
}

interface RowOptions {
  readonly nameWidth: number;
  readonly totalTokens: number;
  readonly viewport: Viewport;
}

function calculateNameWidth(rows: readonly ContextRow[], width: number): number {
  const longest = Math.max(10, ...rows.map(({ name }) => visibleWidth(escapeLine(name))));
  return Math.max(10, Math.min(longest, width - OTHER_COLUMNS_WIDTH));
}

/** The columns for mark, tokens, percentage and bar. */
const OTHER_COLUMNS_WIDTH = 42;
const BAR_WIDTH = 20;

function renderRow(
  { row, isSelected }: { readonly row: ContextRow; readonly isSelected: boolean },
  { nameWidth, totalTokens, viewport: { theme } }: RowOptions,
): string {
  const share = totalTokens === 0 ? 0 : row.tokens / totalTokens;
  const label = fitCell(escapeLine(row.name), nameWidth);
  const figures = `${formatNumber(row.tokens).padStart(9)} ${`${Math.round(share * 100)}%`.padStart(6)}`;
  const bar = "█".repeat(Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH))) || (row.tokens > 0 ? "▏" : "");
  const line = ` ${isSelected ? "❯" : " "} ${label}`;
  return `${isSelected ? theme.accent(line) : line} ${figures}  ${theme.kept(bar)}`;
}

export interface ContextPageState {
  readonly tab: Tab;
  readonly position: ListPosition;
  /** The page of the entry that the user has opened. */
  readonly openEntry: { readonly page: Panel<PagerState, null>; readonly state: PagerState } | null;
}

export function createContextPage(options: ContextPageOptions): Panel<ContextPageState, null> {
  return {
    initialState: { tab: "kind", position: listStart, openEntry: null },
    handleKey: (state, key, viewport) =>
      state.openEntry ? handleEntryKey(state, key, viewport) : handleListKey(state, key, { options, viewport }),
    render: ({ tab, position, openEntry }, viewport) =>
      openEntry
        ? openEntry.page.render(openEntry.state, viewport)
        : renderContext({ ...options, tab, position }, viewport),
  };
}

type PageKeyResult = KeyResult<ContextPageState, null> | null;

function handleEntryKey(state: ContextPageState, key: string, viewport: Viewport | undefined): PageKeyResult {
  const { openEntry } = state;
  const result = openEntry?.page.handleKey(openEntry.state, key, viewport);
  if (openEntry && result?.type === "continue")
    return continueWith<ContextPageState>({ ...state, openEntry: { ...openEntry, state: result.state } });
  return key === "escape" || key === "q" ? continueWith<ContextPageState>({ ...state, openEntry: null }) : null;
}

interface KeyOptions {
  readonly options: ContextPageOptions;
  readonly viewport: Viewport | undefined;
}

function handleListKey(state: ContextPageState, key: string, { options, viewport }: KeyOptions): PageKeyResult {
  const rows = buildRows(options.report, state.tab);
  const step = Object.hasOwn(TAB_STEPS, key) ? TAB_STEPS[key] : undefined;
  if (step !== undefined)
    return continueWith<ContextPageState>({ ...state, position: listStart, tab: nextTab(state.tab, step) });
  const id = rows[state.position.index]?.id;
  if (key === "enter" && id !== undefined)
    return continueWith<ContextPageState>({ ...state, openEntry: openEntryPage(id, options) });
  const position = moveByKey(state.position, key, {
    count: rows.length,
    rows: countVisibleRows(viewport?.height ?? DEFAULT_HEIGHT, options.nextSteps),
  });
  return position && continueWith<ContextPageState>({ ...state, position });
}

const DEFAULT_HEIGHT = 24;

const TAB_STEPS: Readonly<Record<string, number>> = { tab: 1, right: 1, left: -1, "shift+tab": -1 };

function nextTab(tab: Tab, step: number): Tab {
  return tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? "kind";
}

function openEntryPage(id: string, { entryText }: ContextPageOptions): NonNullable<ContextPageState["openEntry"]> {
  const text = entryText(id);
  const page = createPager({ title: `Entry ${id}`, lines: (width) => wrapPageLines(text, width) });
  return { page, state: page.initialState };
}

export const openContext: PanelCommand = async (args, { app, screen }) => {
  if (args !== "") return false;
  const { session, budget } = app.agent;
  await session.loadState();
  const { branch } = session;
  const report = buildContextReport(branch, budget);
  const entries = new Map(branch.entries.map((entry) => [entry.id, entry]));
  const page = createContextPage({
    report,
    meter: buildContextMeter(branch, budget, app.agent),
    nextSteps: describeNextCompaction(report),
    entryText: (id) => formatEntry(entries.get(id), branch.edits),
  });
  await screen.showPanel(page, { where: "page" });
  return true;
};

/** Returns the text of an entry and its tool calls. */
export function formatEntry(entry: Entry | undefined, edits: LoadedBranch["edits"] = []): string {
  if (!entry) return "";
  const calls = entry.type === "message" ? readToolCalls(entry.message) : [];
  const parts = [
    entryText(entry, edits),
    ...calls.map((call) => formatFullToolCall(call.name, Object(call.arguments))),
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n") || JSON.stringify(entry, null, 2);
}

export function createSeenPage(parts: readonly ModelViewPart[], size: ContextTokens): Panel<PagerState, null> {
  return createPager({
    title: `What the model sees now: ${formatContextTokens(size)} tokens`,
    lines: (width) => parts.flatMap((part, index) => renderPart(part, parts[index - 1], width)),
  });
}

function renderPart(part: ModelViewPart, previous: ModelViewPart | undefined, width: number): readonly PageLine[] {
  const heading = `── ${contextPlaceTitles[part.place]} `;
  const headings: readonly PageLine[] =
    previous?.place === part.place
      ? []
      : [{ text: heading + "─".repeat(Math.max(0, width - heading.length)), isHeading: true }];
  const author: PageLine = { text: ` ${truncate(escapeLine(part.who), width - 4)}:`, isHeading: true };
  const textLines = wrapPageLines(part.text.trimEnd(), width - TEXT_INDENT.length);
  return [...headings, author, ...textLines.map(({ text }) => ({ text: TEXT_INDENT + text })), { text: "" }];
}

const TEXT_INDENT = "   ";

export const openSeen: PanelCommand = async (args, { app, screen }) => {
  const { session, budget } = app.agent;
  if (args !== "") return false;
  await session.loadState();
  const parts = buildModelView(session.branch, budget.model);
  if (parts.length === 0) return false;
  await screen.showPanel(createSeenPage(parts, app.agent.contextUsage()), { where: "page" });
  return true;
};
