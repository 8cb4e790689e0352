/** Draws the sessions page: title, search line, list, the preview beside it, and the key hints. */

import type { SessionItem } from "@pith/context/node";
import type { Snippet } from "@pith/context/search";
import { formatAge, formatBytes, formatCost, formatCount } from "@pith/host/text/format";
import { escapeControls, escapeLineBreaks } from "@pith/host/text/safe-text";
import { alignEnds, fitCell, fitLine, truncatePath } from "../../render/text.ts";
import type { Theme } from "../../render/theme.ts";
import { visibleWidth, wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import type { Viewport } from "../panel.ts";
import { renderHints, renderInput } from "../widgets.ts";
import {
  buildSessionRows,
  CHROME_ROWS,
  clampPosition,
  countVisibleRows,
  getRowHeight,
  parseQuery,
  type SessionPreview,
  type SessionRow,
  type SessionsContext,
  type SessionsState,
  splitSessionColumns,
} from "./state.ts";

/** Returns the name, otherwise the gist of the latest compaction, otherwise the first message. */
export function describeSession(item: SessionItem, preview: SessionPreview | undefined): string {
  if (item.damaged !== undefined) return `damaged: ${item.damaged}`;
  if (item.name !== undefined) return item.name;
  if (preview?.gist) return preview.gist;
  return item.firstMessage === "" ? "(no messages)" : item.firstMessage;
}

export function formatFolder(folder: string, userHome: string): string {
  const isInside = folder === userHome || folder.startsWith(`${userHome}/`);
  return escapeLineBreaks(isInside ? `~${folder.slice(userHome.length)}` : folder);
}

export interface PreviewContext extends SessionsContext {
  /** Undefined until it is loaded. */
  readonly preview: SessionPreview | undefined;
}

function drawPreview({ item }: SessionRow, viewport: Viewport, context: PreviewContext): readonly string[] {
  const { theme } = viewport;
  const { preview } = context;
  const drawSection = (title: string, text: string | null | undefined, maxLines: number): readonly string[] =>
    text ? ["", theme.dim(title), ...wrapText(text, viewport).slice(0, maxLines)] : [];
  const lines = [
    ...wrapText(item.name ?? item.firstMessage, viewport)
      .slice(0, 2)
      .map((line) => theme.strong(line)),
    theme.dim(escapeControls(formatFolder(item.cwd, context.userHome))),
    theme.dim(`${formatAge(context.now() - item.modified)} · ${formatBytes(item.size)}${formatFigures(preview)}`),
    ...(preview?.model ? [theme.dim(escapeControls(preview.model))] : []),
    ...(preview?.isForeign ? [theme.dim("written by another program")] : []),
    ...(item.damaged === undefined ? [] : wrapText(item.damaged, viewport).map((line) => theme.bad(line))),
    ...drawSection("summary", preview?.gist, MAX_TEXT_LINES),
    ...drawSection("your last message", preview?.lastPrompt, MAX_PROMPT_LINES),
    ...drawSection("last reply", preview?.lastReply, MAX_TEXT_LINES),
  ];
  return lines.slice(0, viewport.height);
}

const MAX_PROMPT_LINES = 4;
const MAX_TEXT_LINES = 8;

function formatFigures(preview: SessionPreview | undefined): string {
  const { entries, branches, cost } = preview ?? {};
  const parts = [
    ...(entries === undefined ? [] : [formatCount(entries, "entry", "entries")]),
    ...(branches === undefined || branches < 2 ? [] : [formatCount(branches, "branch", "branches")]),
    ...(cost === undefined || cost === 0 ? [] : [formatCost(cost)]),
  ];
  return parts.map((part) => ` · ${part}`).join("");
}

function wrapText(text: string, { width }: Viewport): readonly string[] {
  return wrapTextWithAnsi(escapeControls(text).replaceAll("\t", " "), Math.max(10, width));
}

export interface RowViewport extends Viewport {
  readonly isSelected: boolean;
  readonly context: SessionsContext;
}

function drawRow(row: SessionRow, state: SessionsState, viewport: RowViewport): readonly string[] {
  const { theme, width, isSelected } = viewport;
  const tail = theme.dim(formatTail(row, state, viewport));
  const titleWidth = Math.max(1, width - visibleWidth(tail) - MARKER_WIDTH);
  const title = fitCell(escapeControls(describeSession(row.item, state.previews.get(row.item.path))), titleWidth);
  const line = `${isSelected ? theme.accent(" ❯ ") : "   "}${styleTitle(row, title, viewport)}${tail}`;
  if (getRowHeight(state) === 1) return [line];
  return [
    line,
    `     ${row.snippet ? highlightSnippet(row.snippet, theme) : theme.dim("matched by name, first message or ID")}`,
  ];
}

function styleTitle({ item }: SessionRow, title: string, { theme, isSelected }: RowViewport): string {
  if (item.damaged !== undefined) return theme.bad(title);
  return isSelected ? theme.accent(title) : title;
}

/** If there is little room, the size is left out first, then the folder. */
function formatTail({ item }: SessionRow, { scope }: SessionsState, { context, width }: RowViewport): string {
  const currentMark = item.path === context.currentPath ? "  current" : "";
  const folder =
    scope === "all"
      ? `  ${fitCell(truncatePath(escapeControls(formatFolder(item.cwd, context.userHome)), FOLDER_WIDTH), FOLDER_WIDTH)}`
      : "";
  const age = `  ${formatAge(context.now() - item.modified).padStart(7)}`;
  const size = `  ${formatBytes(item.size).padStart(8)}`;
  const variants = [
    [currentMark, folder, age, size],
    [currentMark, folder, age],
    [currentMark, age],
  ].map((parts) => `${parts.join("")} `);
  return (
    variants.find((variant) => width - visibleWidth(variant) - MARKER_WIDTH >= MIN_TITLE_WIDTH) ?? ` ${currentMark} `
  );
}

const MARKER_WIDTH = 3;
const MIN_TITLE_WIDTH = 24;

const FOLDER_WIDTH = 20;

/** Matches are bold, so that they are visible without colours. */
function highlightSnippet({ text, marks }: Snippet, theme: Theme): string {
  let position = 0;
  const pieces = marks.flatMap(([start, end]) => {
    const piece = [
      theme.dim(escapeControls(text.slice(position, start))),
      theme.strong(escapeControls(text.slice(start, end))),
    ];
    position = end;
    return piece;
  });
  return [...pieces, theme.dim(escapeControls(text.slice(position)))].join("");
}

export function drawSessions(current: SessionsState, viewport: Viewport, context: SessionsContext): readonly string[] {
  const rows = buildSessionRows(current, context.cwd);
  const state = { ...current, position: clampPosition(current, rows.length, viewport) };
  const rule = viewport.theme.border("─".repeat(viewport.width));
  const lines = [
    drawTitle(state, rows.length, { viewport, context }),
    drawSearch(state, viewport),
    rule,
    ...drawColumns(state, rows, { viewport, context }),
    rule,
    drawBottom(state, viewport),
  ];
  return lines.map((line) => fitLine(line, viewport.width));
}

interface PageContext {
  readonly viewport: Viewport;
  readonly context: SessionsContext;
}

function drawTitle(state: SessionsState, count: number, { viewport: { theme, width }, context }: PageContext): string {
  const folder = state.scope === "all" ? "all folders" : escapeControls(formatFolder(context.cwd, context.userHome));
  const countText = count.toLocaleString("en-US");
  const right = theme.dim(`${countText}${state.isComplete ? "" : " …"}`);
  const name = ` ${theme.strong("Sessions")} ${theme.dim("·")} ${folder}`;
  return alignEnds(name, right, width);
}

function drawSearch({ input, searchResult, indexProgress }: SessionsState, { theme }: Viewport): string {
  const status = indexProgress ?? (input.text === "" ? null : (searchResult?.pending ?? null));
  const statusText = status === null ? "" : theme.dim(`   ${escapeControls(status)}`);
  const hint = input.text === "" && indexProgress === null ? theme.dim(" search session names and messages") : "";
  return ` ${theme.accent("/")} ${renderInput(input, theme)}${hint}${statusText}`;
}

function drawColumns(state: SessionsState, rows: readonly SessionRow[], page: PageContext): readonly string[] {
  const { viewport } = page;
  const { list, preview: width } = splitSessionColumns(viewport);
  const height = Math.max(1, viewport.height - CHROME_ROWS);
  const left = drawList(state, rows, page).slice(0, height);
  const selected = rows[state.position.index];
  const preview = selected && state.previews.get(selected.item.path);
  const right =
    width === 0 || !selected ? [] : drawPreview(selected, { ...viewport, width, height }, { preview, ...page.context });
  return Array.from({ length: height }, (_, index) => {
    if (width === 0) return left[index] ?? "";
    return `${fitCell(left[index] ?? "", list)} ${viewport.theme.border("│")} ${right[index] ?? ""}`;
  });
}

function drawList(
  state: SessionsState,
  rows: readonly SessionRow[],
  { viewport, context }: PageContext,
): readonly string[] {
  if (rows.length === 0) return ["", ` ${viewport.theme.dim(describeEmptyList(state))}`];
  const { top, index: selectedIndex } = state.position;
  const { list } = splitSessionColumns(viewport);
  const visibleRows = rows.slice(top, top + countVisibleRows(state, viewport));
  return visibleRows.flatMap((row, offset) =>
    drawRow(row, state, { ...viewport, width: list, isSelected: top + offset === selectedIndex, context }),
  );
}

export const NO_SESSIONS_HERE = "No sessions in this folder yet.";

function describeEmptyList({ items, isComplete, input, scope, searchResult }: SessionsState): string {
  if (!isComplete) return "Loading …";
  if (items.length === 0) return "No sessions yet.";
  const query = parseQuery(input.text);
  if (query !== "") return searchResult?.query === query ? "No matches." : "Searching …";
  return scope === "here" ? `${NO_SESSIONS_HERE} Press Tab for all folders.` : "No session has any messages.";
}

function drawBottom({ pendingAction, note, scope }: SessionsState, { theme, width }: Viewport): string {
  if (pendingAction?.type === "trash")
    return ` ${theme.warning("Move this session to the trash? y yes · any other key no")}${theme.dim("   it can be restored")}`;
  if (pendingAction?.type === "rename") return ` ${theme.accent("name:")} ${renderInput(pendingAction.line, theme)}`;
  if (note !== null) return ` ${theme.warning(escapeControls(note))}`;
  const folders = scope === "here" ? "Tab all folders" : "Tab this folder";
  return renderHints(["Enter resume", folders, "Ctrl+R rename", "Ctrl+D trash", "Esc close"], { width, theme });
}
