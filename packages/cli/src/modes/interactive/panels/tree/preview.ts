/** Draws the preview of the selected tree entry: what it is, and its full text as far as there is room. */

import type { Entry } from "@pith/context";
import { entryText } from "@pith/context/host";
import { shortId } from "../../../../sessions/entries.ts";
import type { OutlineKind } from "../../../../sessions/tree-outline.ts";
import { escapeControls } from "../../../../text/safe-text.ts";
import { renderBlock } from "../../render/block.ts";
import type { Theme } from "../../render/theme.ts";
import { wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import { getSelectedRow, kindLabels, type TreeState } from "./state.ts";

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
