/** Implements `/diff`: a page of the files a session changed, with the changes of the selected file below them. */

import { formatCount } from "@pith/host/text/format";
import { escapeLine } from "@pith/host/text/safe-text";
import type { ChangedFile } from "../../../commands/diff.ts";
import { renderPatchLine } from "../render/diff.ts";
import type { Theme } from "../render/theme.ts";
import type { PanelCommand } from "../screen-context.ts";
import { truncateToWidth } from "../terminal/pi-tui.ts";
import { continueWith, finishWith, type KeyResult, type Panel, type Viewport } from "./panel.ts";
import { type ListPosition, listStart, moveByKey, renderHints } from "./widgets.ts";

export interface DiffState {
  readonly files: readonly ChangedFile[];
  readonly position: ListPosition;
  /** The first visible line of the selected file's changes. */
  readonly firstLine: number;
}

const MAX_LIST_ROWS = 6;

/** Returns all lines of a file's changes, notes first. */
function buildPatchLines(file: ChangedFile | undefined): readonly string[] {
  if (!file) return [];
  return [...file.notes.map((note) => `# ${note}`), ...(file.patch === "" ? [] : file.patch.split("\n"))];
}

function renderDiffPage(
  { files, position, firstLine }: DiffState,
  { width, height, theme }: Viewport,
): readonly string[] {
  const heading = ` ${theme.strong("What this session changed")}  ${theme.dim(formatTotals(files))}`;
  const ruler = theme.border("─".repeat(width));
  const fileRows = files
    .slice(position.top, position.top + MAX_LIST_ROWS)
    .map((file, index) => renderFileRow(file, { isSelected: position.top + index === position.index, theme }));
  const hints = [
    "↑↓ files",
    "Space b j k scroll",
    ...formatMore(position.top + MAX_LIST_ROWS, files.length),
    "Esc close",
  ];
  const patchHeight = Math.max(1, height - fileRows.length - 5);
  const patchLines = buildPatchLines(files[position.index])
    .slice(firstLine, firstLine + patchHeight)
    .map((line) => renderPatchLine(line, theme));
  const body = [...patchLines, ...Array.from({ length: patchHeight - patchLines.length }, () => "")];
  return [heading, ruler, ...fileRows, ruler, ...body, ruler, renderHints(hints, { width, theme })].map((line) =>
    truncateToWidth(line, width),
  );
}

function formatTotals(files: readonly ChangedFile[]): string {
  const sumLines = (field: "added" | "removed"): number => files.reduce((total, file) => total + file[field], 0);
  return `${formatCount(files.length, "file")} · +${sumLines("added")} −${sumLines("removed")}`;
}

function formatMore(shownCount: number, count: number): readonly string[] {
  return count > shownCount ? [`${count - shownCount} more below`] : [];
}

function renderFileRow(
  { path, kind, added, removed }: ChangedFile,
  { isSelected, theme }: { readonly isSelected: boolean; readonly theme: Theme },
): string {
  const [addedText, removedText] = [added === 0 ? "" : `+${added}`, removed === 0 ? "" : `−${removed}`];
  const counts = `${theme.added(addedText.padStart(6))} ${theme.removed(removedText.padStart(6))}`;
  const name = ` ${escapeLine(path)}`;
  const mark = kind === "changed" ? "" : theme.dim(`  ${kind === "same" ? "unchanged" : kind}`);
  return ` ${isSelected ? theme.accent("❯") : " "} ${counts} ${isSelected ? theme.accent(name) : name}${mark}`;
}

export function createDiffPanel(files: readonly ChangedFile[]): Panel<DiffState, null> {
  return { initialState: { files, position: listStart, firstLine: 0 }, handleKey, render: renderDiffPage };
}

function handleKey(state: DiffState, key: string): KeyResult<DiffState, null> | null {
  const { files, position } = state;
  if (key === "q") return finishWith(null);
  const newPosition =
    key === "up" || key === "down" ? moveByKey(position, key, { count: files.length, rows: MAX_LIST_ROWS }) : null;
  if (newPosition)
    return continueWith({
      ...state,
      position: newPosition,
      firstLine: newPosition.index === position.index ? state.firstLine : 0,
    });
  const step = Object.hasOwn(scrollSteps, key) ? scrollSteps[key] : undefined;
  if (step === undefined) return null;
  const lastLine = Math.max(0, buildPatchLines(files[position.index]).length - 1);
  return continueWith({ ...state, firstLine: Math.max(0, Math.min(lastLine, state.firstLine + step)) });
}

const scrollSteps: Readonly<Record<string, number>> = {
  pageDown: 12,
  space: 12,
  " ": 12,
  pageUp: -12,
  b: -12,
  j: 1,
  k: -1,
  home: Number.NEGATIVE_INFINITY,
  g: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};

export const openDiff: PanelCommand = async (args, { app, screen }) => {
  if (args !== "") return false;
  const { collectSessionChanges } = await import("../../../commands/diff.ts");
  const files = app.agent.session.redact(await collectSessionChanges(app));
  if (files.length === 0) return false;
  await screen.showPanel(createDiffPanel(files), { where: "page" });
  return true;
};
