/** Draws the tree page: title, filters, rows, the preview beside or below them, and the key hints. */

import type { Entry } from "@pith/context";
import { entryText } from "@pith/context/host";
import { formatAge } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import { shortId } from "../../../../sessions/entries.ts";
import type { Outline, OutlineKind, OutlineNode } from "../../../../sessions/tree-outline.ts";
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
  /** The depth of the deepest row, so that the texts are aligned. */
  readonly maxDepth: number;
  readonly isSelected: boolean;
  /** Whether the row is the current position. */
  readonly isCurrent: boolean;
  readonly width: number;
  readonly theme: Theme;
  readonly now: number;
}

function drawRow(row: TreeRow, options: DrawRowOptions): string {
  const { maxDepth, isSelected, width, theme, now } = options;
  const { node } = row;
  const { label, suffix } = buildMarks(row, options);
  // Some entries have no time.
  const time = (node.time > 0 ? formatAge(now - node.time) : "").padStart(6);
  const branchLines = drawBranchLines(row, options).padEnd(Math.min(maxDepth, MAX_INDENT) * 2 + 1);
  const kind = kindLabels[node.kind].padEnd(KIND_WIDTH);
  const textWidth = width - visibleWidth(`${branchLines}${label}${suffix}${time}`) - KIND_WIDTH - 6;
  const text = fitNodeText(node, Math.max(0, textWidth));
  if (isSelected) return theme.selected(`❯ ${branchLines} ${kind} ${text}${label}${suffix} ${time} `);
  const coloredLines = node.isOnBranch ? theme.accent(branchLines) : theme.dim(branchLines);
  const marks = `${theme.warning(label)}${theme.accent(suffix)}`;
  return `  ${coloredLines} ${theme.dim(kind)} ${colorText(text, node, theme)}${marks} ${theme.dim(`${time} `)}`;
}

const KIND_WIDTH = Math.max(...Object.values(kindLabels).map((name) => name.length));

/** The texts of deeper rows are not aligned with the others. */
const MAX_INDENT = 4;

/**
 * `●` marks the current branch, `◉` the current position, `○` other branches and `▸` folded branches. If the lines are too wide, only the
 * innermost are drawn.
 */
function drawBranchLines(row: TreeRow, { isCurrent, width }: DrawRowOptions): string {
  const { node, depth, hiddenCount } = row;
  const maxWidth = Math.floor(width / 3);
  const mark = hiddenCount > 0 ? "▸" : isCurrent ? "◉" : node.isOnBranch ? "●" : "○";
  const indent = startsBranch(row) ? `${"│ ".repeat(depth - 1)}├─` : "│ ".repeat(depth);
  return indent.length <= maxWidth ? `${indent}${mark}` : `… ${indent.slice(-(maxWidth - (maxWidth % 2)))}${mark}`;
}

/** A compaction is drawn as a rule across the row: the model sees everything above it as a summary. */
function fitNodeText(node: OutlineNode, width: number): string {
  const text = escapeControls(node.text);
  if (node.kind !== "compaction") return truncateToWidth(node.isFailed ? `✗ ${text}` : text, width, "…", true);
  const line = `── ${text} `;
  return truncateToWidth(`${line}${"─".repeat(Math.max(0, width - visibleWidth(line)))}`, width, "…", true);
}

function buildMarks(
  { node, hiddenCount }: TreeRow,
  { outline, isCurrent }: DrawRowOptions,
): { readonly label: string; readonly suffix: string } {
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

/** The user's messages are bold, so that they are easy to find without colours. */
function colorText(text: string, { kind, isFailed }: OutlineNode, theme: Theme): string {
  if (isFailed) return theme.bad(text);
  if (kind === "you") return theme.strong(theme.user(text));
  if (kind === "compaction" || kind === "left" || kind === "pin" || kind === "draft") return theme.heading(text);
  return kind === "tool" || kind === "calls" || kind === "other" ? theme.dim(text) : text;
}

export interface PageLayout {
  readonly list: Pick<Viewport, "width" | "height">;
  /** The height is 0 if there is no room for a preview. */
  readonly preview: Pick<Viewport, "width" | "height">;
  readonly isPreviewBeside: boolean;
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

/** The title, the filter line, a rule and the hints. */
const CHROME_ROWS = 4;

/** With fewer rows, there is no room for a preview below the list. */
const MIN_ROWS_WITH_PREVIEW = 14;

export interface TreePageOptions {
  readonly title: string;
  /** The most useful keys first, and the key that closes the page last. */
  readonly hints: readonly string[];
  readonly enterAction: "go" | "fork";
  /** Returns the current time in milliseconds. */
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
    complete: `${count} entries${branchCount > 1 ? ` · ${branchCount} branches` : ""}`,
    loading: `${count} entries so far, loading …`,
    truncated: `${count} entries loaded; for others use /tree <id>`,
  }[outline.status];
  return alignEnds(theme.strong(` ${escapeControls(title)}`), theme.dim(status), width);
}

function drawFilterLine(state: TreeState, { width, theme }: Viewport): string {
  const { filters, filterIndex, mode, query, layout, selectedIndex } = state;
  const count = layout.rows.length.toLocaleString("en-US");
  if (mode === "searching" || query.text !== "") {
    const queryText = mode === "searching" ? renderInput(query, theme) : escapeControls(query.text);
    return ` / ${queryText}  ${theme.dim(`${count} found in: ${filters[filterIndex]?.name ?? ""}`)}`;
  }
  const position = theme.dim(
    layout.rows.length === 0 ? "" : `${(selectedIndex + 1).toLocaleString("en-US")} of ${count}`,
  );
  const names = filters.map(({ name }, index) =>
    index === filterIndex ? theme.accent(`[${name}]`) : theme.dim(` ${name} `),
  );
  const allNames = ` ${names.join(" ")}`;
  // If not all filters fit, only the active one is shown.
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
    const labelText = ` Label: ${renderInput(label, theme)}  `;
    return `${labelText}${renderHints(LABEL_HINTS, { width: width - visibleWidth(labelText), theme })}`;
  }
  return renderHints(mode === "searching" ? SEARCH_HINTS : hints, { width, theme });
}

const LABEL_HINTS = ["Enter save", "leave empty to remove", "Esc cancel"];

const SEARCH_HINTS = ["↑↓ move", "Enter select", "Tab filter", "Esc end search"];

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

/** Returns exactly `height` lines, with the selected row in the middle if possible. */
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
  const visibleLines = rows.length === 0 && outline.status !== "loading" ? [theme.dim(`   ${emptyText}`)] : lines;
  return Array.from({ length: height }, (_, index) => visibleLines[index] ?? "");
}

function describeEmptyList(count: number, query: string): string {
  if (count === 0) return "No messages yet.";
  return query === "" ? "No entries match this filter. Press Tab for another filter." : "No matches.";
}

export interface PreviewOptions {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  readonly enterAction: "go" | "fork";
}

/** Returns exactly `height` lines. */
function drawPreview(state: TreeState, options: PreviewOptions): readonly string[] {
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

/** Returns the number of lines that the preview can scroll. */
export function maxPreviewOffset(state: TreeState, options: PreviewOptions): number {
  const bodyHeight = options.height - drawHeader(state, options).length - 1;
  return Math.max(0, renderSelectedEntry(state, options).length - Math.max(1, bodyHeight));
}

/** Shows the kind, the position and the action of Enter. */
function drawHeader(state: TreeState, { width, theme, enterAction }: PreviewOptions): readonly string[] {
  const { outline, layout, selectedIndex, previewEntry } = state;
  const node = getSelectedRow(state)?.node;
  if (!node) return [];
  const { id, kind, isOnBranch } = node;
  const label = outline.labels.get(id);
  const isCurrent = layout.isCurrentShown && layout.currentIndex === selectedIndex;
  const parts = [
    kindLabels[kind],
    ...(previewEntry?.id === id && previewEntry.number !== undefined ? [`#${previewEntry.number}`] : []),
    shortId(id),
    isCurrent ? "current position" : isOnBranch ? "current branch" : "another branch",
    ...(label === undefined ? [] : [`[${label}]`]),
    ...(enterAction === "fork"
      ? ["Enter: fork before this message"]
      : isCurrent
        ? []
        : [`Enter: ${RESENDABLE_KINDS.includes(kind) ? "edit and resend" : "continue from here"}`]),
  ];
  return wrapTextWithAnsi(
    theme.dim(escapeControls(parts.join(" · ")).replaceAll(/\s+/g, " ")),
    Math.max(1, width),
  ).slice(0, 2);
}

/** Enter on a message lets the user edit and send it again. Enter on any other entry continues after it. */
const RESENDABLE_KINDS: readonly OutlineKind[] = ["you", "program", "note"];

function renderSelectedEntry(state: TreeState, options: PreviewOptions): readonly string[] {
  const { previewEntry } = state;
  return previewEntry && previewEntry.id === getSelectedRow(state)?.node.id ? renderEntry(previewEntry, options) : [];
}

/** The page is redrawn for every key and event, so the lines are cached until the width or the theme changes. */
function renderEntry(entry: Entry, { width, theme }: PreviewOptions): readonly string[] {
  const key = `${width} ${theme.name}`;
  const cached = renderedEntries.get(entry);
  if (cached?.key === key) return cached.lines;
  const { text, isMarkdown } = getPreviewText(entry);
  const lines = wrapPreviewText(entry.id, { text: text.slice(0, MAX_PREVIEW_CHARS), isMarkdown }, { width, theme });
  // Highlighting may load later, so text with code is not cached.
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
  const block = { kind: "assistant", id, text, isOpen: false, printed: 0 } as const;
  const lines = renderBlock(block, { width, theme, isUnfolded: true, now: 0 });
  return lines[0]?.trim() === "" ? lines.slice(1) : lines;
}

/** More than a screen shows, and short enough to be wrapped for every key. */
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
