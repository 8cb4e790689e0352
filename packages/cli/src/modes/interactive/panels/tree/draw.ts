/** Draws the tree page: title, filters, rows, the preview beside or below them, and the key hints. */

import type { Entry } from "@pith/context";
import { entryText } from "@pith/context/host";
import { shortId } from "../../../../sessions/entries.ts";
import type { Outline, OutlineKind, OutlineNode } from "../../../../sessions/tree-outline.ts";
import { formatAge } from "../../../../text/format.ts";
import { escapeControls } from "../../../../text/safe-text.ts";
import { renderBlock } from "../../render/block.ts";
import { alignEnds } from "../../render/text.ts";
import type { Theme } from "../../render/theme.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import { splitColumns } from "../choice.ts";
import type { Viewport } from "../panel.ts";
import { renderHints, renderInput } from "../widgets.ts";
import { getSelectedRow, kindLabels, startsBranch, type TreeRow, type TreeState } from "./state.ts";

export interface DrawRowOptions {
  readonly outline: Outline;
  /** How far the deepest is set in, so that words stand below each other. */
  readonly maxDepth: number;
  readonly isSelected: boolean;
  /** One stands there. */
  readonly isCurrent: boolean;
  readonly width: number;
  readonly theme: Theme;
  readonly now: number;
}

export function drawRow(row: TreeRow, options: DrawRowOptions): string {
  const { maxDepth, isSelected, width, theme, now } = options;
  const { node } = row;
  const { label, suffix } = buildMarks(row, options);
  // Nobody knows of some.
  const time = (node.time > 0 ? formatAge(now - node.time) : "").padStart(6);
  const branchLines = drawBranchLines(row, options).padEnd(Math.min(maxDepth, MAX_INDENT) * 2 + 1);
  const kind = kindLabels[node.kind].padEnd(KIND_WIDTH);
  const textWidth = width - visibleWidth(`${branchLines}${label}${suffix}${time}`) - KIND_WIDTH - 6;
  const text = fitNodeText(node, Math.max(0, textWidth));
  if (isSelected) return theme.selected(`❯ ${branchLines} ${kind} ${text}${label}${suffix} ${time} `);
  const coloredLines = node.isOnWay ? theme.accent(branchLines) : theme.dim(branchLines);
  const marks = `${theme.warning(label)}${theme.accent(suffix)}`;
  return `  ${coloredLines} ${theme.dim(kind)} ${colorText(text, node, theme)}${marks} ${theme.dim(`${time} `)}`;
}

/** As wide as the longest of their names. */
const KIND_WIDTH = Math.max(...Object.values(kindLabels).map((name) => name.length));

/** What is set in further stands by itself. */
const MAX_INDENT = 4;

/** The way is `●` up to `◉`, where one stands; what was left is `○`, and what is folded `▸`. Of a tree that is set in too far the nearest lines are shown. */
function drawBranchLines(row: TreeRow, { isCurrent, width }: DrawRowOptions): string {
  const { node, depth, hiddenCount } = row;
  const maxWidth = Math.floor(width / 3);
  const mark = hiddenCount > 0 ? "▸" : isCurrent ? "◉" : node.isOnWay ? "●" : "○";
  const indent = startsBranch(row) ? `${"│ ".repeat(depth - 1)}├─` : "│ ".repeat(depth);
  return indent.length <= maxWidth ? `${indent}${mark}` : `… ${indent.slice(-(maxWidth - (maxWidth % 2)))}${mark}`;
}

/** A compaction is a line across: what lies above it the model has as a summary. */
function fitNodeText(node: OutlineNode, width: number): string {
  const text = escapeControls(node.text);
  if (node.kind !== "compaction") return truncateToWidth(node.isFailed ? `✗ ${text}` : text, width, "…", true);
  const line = `── ${text} `;
  return truncateToWidth(`${line}${"─".repeat(Math.max(0, width - visibleWidth(line)))}`, width, "…", true);
}

interface RowMarks {
  readonly label: string;
  readonly suffix: string;
}

function buildMarks({ node, hiddenCount }: TreeRow, { outline, isCurrent }: DrawRowOptions): RowMarks {
  const label = outline.labels.get(node.id);
  return {
    label:
      label === undefined
        ? ""
        : ` [${truncateToWidth(escapeControls(label).replaceAll(/\s+/g, " "), MAX_LABEL_WIDTH, "…")}]`,
    suffix: `${hiddenCount > 0 ? ` +${hiddenCount.toLocaleString("en-US")}` : ""}${isCurrent ? " ← here" : ""}`,
  };
}

const MAX_LABEL_WIDTH = 24;

/** Your own words are seen first, also without colour. */
function colorText(text: string, { kind, isFailed }: OutlineNode, theme: Theme): string {
  if (isFailed) return theme.bad(text);
  if (kind === "you") return theme.strong(theme.user(text));
  if (kind === "compaction" || kind === "left" || kind === "pin" || kind === "draft") return theme.heading(text);
  return kind === "tool" || kind === "calls" || kind === "other" ? theme.dim(text) : text;
}

export interface PageLayout {
  readonly list: Size;
  /** Without rows where there is no room for it. */
  readonly preview: Size;
  readonly isPreviewBeside: boolean;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function layoutPage({ width, height }: Pick<Viewport, "width" | "height">): PageLayout {
  const bodyHeight = Math.max(1, height - CHROME_ROWS);
  const columns = splitColumns(width);
  if (columns) {
    const preview = { width: columns.preview, height: bodyHeight };
    return { list: { width: columns.list, height: bodyHeight }, preview, isPreviewBeside: true };
  }
  const previewHeight = bodyHeight >= MIN_ROWS_WITH_PREVIEW ? Math.floor(bodyHeight / 3) : 0;
  const borderHeight = previewHeight > 0 ? 1 : 0;
  const preview = { width: width - 2, height: previewHeight };
  return { list: { width, height: bodyHeight - previewHeight - borderHeight }, preview, isPreviewBeside: false };
}

/** Title, what is shown, a line, and the keys at the foot. */
const CHROME_ROWS = 4;

/** Rows that are enough for two things below each other. */
const MIN_ROWS_WITH_PREVIEW = 14;

export interface TreePageOptions {
  readonly title: string;
  /** What each key does, the most wanted first and the way out last. */
  readonly hints: readonly string[];
  /** What Enter does. */
  readonly enterAction: "go" | "fork";
  /** In milliseconds. */
  readonly now: () => number;
}

export function drawTreePage(state: TreeState, viewport: Viewport, options: TreePageOptions): readonly string[] {
  const { width, height, theme } = viewport;
  const header = [
    drawTitleLine(state, viewport, options),
    drawFilterLine(state, viewport),
    theme.border("─".repeat(width)),
  ];
  const footer = [drawFooterLine(state, viewport, options)];
  const layout = layoutPage(viewport);
  const list = drawRows(state, { ...viewport, ...layout.list }, options);
  const preview = drawPreview(state, { ...layout.preview, theme, enterAction: options.enterAction });
  const body = layout.isPreviewBeside
    ? joinColumns(list, preview, { ...viewport, ...layout.list })
    : stackPreview(list, preview, viewport);
  return [...header, ...body, ...footer].slice(-height);
}

function drawTitleLine(
  { outline, branchCount }: TreeState,
  { width, theme }: Viewport,
  { title }: TreePageOptions,
): string {
  const count = outline.nodes.size.toLocaleString("en-US");
  const status = {
    whole: `${count} entries${branchCount > 1 ? ` · ${branchCount} branches` : ""}`,
    growing: `${count} entries so far, reading on …`,
    cut: `${count} entries read; what is left out: /tree and its id`,
  }[outline.reach];
  return alignEnds(theme.strong(` ${escapeControls(title)}`), theme.dim(status), width);
}

function drawFilterLine(state: TreeState, { width, theme }: Viewport): string {
  const { filters, filterIndex, mode, query, layout, selectedIndex } = state;
  const count = layout.rows.length.toLocaleString("en-US");
  if (mode === "searching" || query.text !== "") {
    const typed = mode === "searching" ? renderInput(query, theme) : escapeControls(query.text);
    return ` / ${typed}  ${theme.dim(`${count} found in: ${filters[filterIndex]?.name ?? ""}`)}`;
  }
  const position = theme.dim(
    layout.rows.length === 0 ? "" : `${(selectedIndex + 1).toLocaleString("en-US")} of ${count}`,
  );
  const names = filters.map(({ name }, index) =>
    index === filterIndex ? theme.accent(`[${name}]`) : theme.dim(` ${name} `),
  );
  const allNames = ` ${names.join(" ")}`;
  // Where they do not all stand in the line, the one that is used does.
  const line = visibleWidth(allNames) + visibleWidth(position) + 2 <= width ? allNames : ` ${names[filterIndex] ?? ""}`;
  return alignEnds(line, position, width);
}

function drawFooterLine(
  { mode, label, error }: TreeState,
  { width, theme }: Viewport,
  { hints }: TreePageOptions,
): string {
  if (error !== null) return theme.bad(` ${escapeControls(error)}`);
  if (mode === "labelling") {
    const typed = ` Label: ${renderInput(label, theme)}  `;
    return `${typed}${renderHints(LABEL_HINTS, { width: width - visibleWidth(typed), theme })}`;
  }
  return renderHints(mode === "searching" ? SEARCH_HINTS : hints, { width, theme });
}

const LABEL_HINTS = ["Enter keeps it", "empty takes it away", "Esc leaves it"];

const SEARCH_HINTS = ["↑↓ walk", "Enter takes it", "Tab looks elsewhere", "Esc ends the search"];

function joinColumns(
  list: readonly string[],
  preview: readonly string[],
  { width, theme }: Viewport,
): readonly string[] {
  return list.map((left, index) => {
    const gap = " ".repeat(Math.max(0, width - visibleWidth(left)));
    return `${left}${gap}${theme.border("│")} ${preview[index] ?? ""}`;
  });
}

function stackPreview(
  list: readonly string[],
  preview: readonly string[],
  { width, theme }: Viewport,
): readonly string[] {
  if (preview.length === 0) return list;
  return [...list, theme.border("─".repeat(width)), ...preview.map((line) => ` ${line}`)];
}

/** As many lines as there is room, the chosen row in the middle where that can be. */
function drawRows(
  { layout, selectedIndex, outline, query }: TreeState,
  { width, height, theme }: Viewport,
  { now }: TreePageOptions,
): readonly string[] {
  const { rows, maxDepth, currentIndex } = layout;
  const top = Math.max(0, Math.min(selectedIndex - Math.floor(height / 2), rows.length - height));
  const rowOptions = { outline, maxDepth, width, theme, now: now() };
  const lines = rows.slice(top, top + height).map((row, index) => {
    const rowIndex = top + index;
    return drawRow(row, {
      ...rowOptions,
      isSelected: rowIndex === selectedIndex,
      isCurrent: layout.isCurrentShown && rowIndex === currentIndex,
    });
  });
  const emptyText = describeEmptyList(outline.nodes.size, query.text);
  const visibleLines = rows.length === 0 && outline.reach !== "growing" ? [theme.dim(`   ${emptyText}`)] : lines;
  return Array.from({ length: height }, (_, index) => visibleLines[index] ?? "");
}

function describeEmptyList(count: number, query: string): string {
  if (count === 0) return "nothing was said yet";
  return query === "" ? "nothing to show here; Tab shows something else" : "nothing like that was found";
}

export interface PreviewOptions {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** What Enter does. */
  readonly enterAction: "go" | "fork";
}

/** Always as many lines as it has room. */
export function drawPreview(state: TreeState, options: PreviewOptions): readonly string[] {
  const { height, theme } = options;
  const header = [...drawHeader(state, options), ""];
  const textLines = renderSelectedEntry(state, options);
  const offset = Math.min(state.previewOffset, maxPreviewOffset(state, options));
  const visibleLines = textLines.slice(offset, offset + Math.max(0, height - header.length));
  const hiddenCount = textLines.length - offset - visibleLines.length;
  const body =
    hiddenCount > 0
      ? [...visibleLines.slice(0, -1), theme.dim(`… ${hiddenCount + 1} more lines · Space, Shift+↑↓`)]
      : visibleLines;
  const lines = [...header, ...body];
  return Array.from({ length: height }, (_, index) => lines[index] ?? "");
}

/** Lines that can be scrolled away. */
export function maxPreviewOffset(state: TreeState, options: PreviewOptions): number {
  const bodyHeight = options.height - drawHeader(state, options).length - 1;
  return Math.max(0, renderSelectedEntry(state, options).length - Math.max(1, bodyHeight));
}

/** What it is, where it stands, and what Enter does. */
function drawHeader(state: TreeState, { width, theme, enterAction }: PreviewOptions): readonly string[] {
  const { outline, layout, selectedIndex } = state;
  const node = getSelectedRow(state)?.node;
  if (!node) return [];
  const { id, kind, isOnWay } = node;
  const label = outline.labels.get(id);
  const isCurrent = layout.isCurrentShown && layout.currentIndex === selectedIndex;
  const parts = [
    kindLabels[kind],
    shortId(id),
    isCurrent ? "you stand here" : isOnWay ? "on the way" : "on another branch",
    ...(label === undefined ? [] : [`[${label}]`]),
    ...(enterAction === "fork" ? ["Enter: fork before it"] : isCurrent ? [] : [`Enter: ${describeEnter(kind)}`]),
  ];
  return wrapTextWithAnsi(
    theme.dim(escapeControls(parts.join(" · ")).replaceAll(/\s+/g, " ")),
    Math.max(1, width),
  ).slice(0, 2);
}

/** What was said is said anew; behind everything else one goes on. */
function describeEnter(kind: OutlineKind): string {
  return RESENDABLE_KINDS.includes(kind) ? "say it anew" : "go on behind it";
}

const RESENDABLE_KINDS: readonly OutlineKind[] = ["you", "program", "note"];

function renderSelectedEntry(state: TreeState, options: PreviewOptions): readonly string[] {
  const { previewEntry } = state;
  return previewEntry && previewEntry.id === getSelectedRow(state)?.node.id ? renderEntry(previewEntry, options) : [];
}

/** Drawn once for a width: a page is drawn anew with every key, and with all that happens meanwhile. */
function renderEntry(entry: Entry, { width, theme }: PreviewOptions): readonly string[] {
  const key = `${width} ${theme.name}`;
  const cached = renderedEntries.get(entry);
  if (cached?.key === key) return cached.lines;
  const { text, isMarkdown } = getPreviewText(entry);
  const lines = wrapPreviewText(entry.id, { text: text.slice(0, MAX_PREVIEW_CHARS), isMarkdown }, { width, theme });
  // Inks of code may come a moment later.
  if (!text.includes("```")) renderedEntries.set(entry, { key, lines });
  return lines;
}

const renderedEntries = new WeakMap<Entry, { readonly key: string; readonly lines: readonly string[] }>();

function wrapPreviewText(
  id: string,
  { text, isMarkdown }: PreviewText,
  { width, theme }: Pick<PreviewOptions, "width" | "theme">,
) {
  if (!isMarkdown) return wrapTextWithAnsi(escapeControls(text).replaceAll("\t", "    "), width);
  const block = { kind: "answered", id, text, isOpen: false, printed: 0 } as const;
  const lines = renderBlock(block, { width, theme, isUnfolded: true, now: 0 });
  return lines[0]?.trim() === "" ? lines.slice(1) : lines;
}

/** More than a screen ever shows, and little enough to be wrapped at every key. */
const MAX_PREVIEW_CHARS = 20_000;

interface PreviewText {
  readonly text: string;
  readonly isMarkdown: boolean;
}

function getPreviewText(entry: Entry): PreviewText {
  if (entry.type === "compaction" || entry.type === "branch_summary") return { text: entry.summary, isMarkdown: true };
  if (entry.type !== "message") return { text: entryText(entry) || formatEntryData(entry), isMarkdown: false };
  const { message } = entry;
  if (message.role !== "assistant") return { text: entryText(entry), isMarkdown: false };
  const calls = message.content.flatMap((part) =>
    part.type === "toolCall" ? [`→ ${part.name} ${JSON.stringify(part.arguments)}`] : [],
  );
  return { text: [entryText(entry), ...calls].filter(Boolean).join("\n\n"), isMarkdown: calls.length === 0 };
}

function formatEntryData({ type, id: _, parentId: __, timestamp: ___, ...rest }: Entry): string {
  return `${type.replaceAll("_", " ")}\n${JSON.stringify(rest, null, 2)}`;
}
