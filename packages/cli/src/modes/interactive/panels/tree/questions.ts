/** Defines the questions before a move in the tree: summarize the abandoned branch, restore files, and a line of text. */

import { relative } from "node:path/posix";
import type { PlannedFile } from "@pith/agent";
import { formatCount, formatNumber } from "@pith/host/text/format";
import { escapeControls, escapeLine } from "@pith/host/text/safe-text";
import { renderPatchLine } from "../../render/diff.ts";
import { fitCell } from "../../render/text.ts";
import type { Theme } from "../../render/theme.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import { type ChoicePanelOptions, createChoicePanel } from "../choice.ts";
import { type Continue, continueWith, finishWith, type Panel, type Viewport } from "../panel.ts";
import { editInput, emptyInput, type LineInput, type ListPosition, renderHints, renderInput } from "../widgets.ts";

export type LeaveAction = "go" | "summarize" | "summarize-with-focus" | "fork";

export interface LeaveQuestionOptions {
  /** The number of visible entries on the abandoned branch. */
  readonly count: number;
  /** Whether there are more than `count`. */
  readonly hasMore?: boolean;
  /** Whether the session can be forked. */
  readonly canFork: boolean;
  /** Whether there is a model to write a summary. */
  readonly canSummarize: boolean;
}

export function createLeaveQuestion({
  count,
  hasMore = false,
  canFork,
  canSummarize,
}: LeaveQuestionOptions): Panel<ListPosition, LeaveAction> {
  const entries = hasMore ? `${formatNumber(count)}+ entries` : formatCount(count, "entry", "entries");
  const hint = `${entries} ${count === 1 ? "stays" : "stay"} on the branch you are leaving`;
  return createChoicePanel<LeaveAction>({
    title: canSummarize ? "Summarize the branch you are leaving?" : "Leave this branch?",
    body: ({ theme }) => [theme.dim(` ${hint} · Esc cancel`)],
    options: [
      {
        key: "n",
        label: canSummarize ? "No, just leave" : "Leave",
        description: "the branch stays in the tree",
        value: "go",
      },
      ...(canSummarize ? summaryOptions : []),
      ...(canFork ? [{ key: "k", label: "Fork instead", description: FORK_HINT, value: "fork" as const }] : []),
    ],
  });
}

const summaryOptions: ChoicePanelOptions<LeaveAction>["options"] = [
  { key: "y", label: "Yes", description: "the summary is added where you continue", value: "summarize" },
  { key: "f", label: "Yes, focusing on …", description: "choose what to focus on", value: "summarize-with-focus" },
];

const FORK_HINT = "start a new session there; this one stays unchanged";

export interface LineQuestion {
  readonly title: string;
  readonly hints: readonly string[];
}

/** An empty line is a valid answer. */
export function createLinePanel({ title, hints }: LineQuestion): Panel<LineInput, string> {
  return {
    initialState: emptyInput,
    handleKey: (line, key) => {
      if (key === "enter") return finishWith(line.text.trim());
      const nextLine = editInput(line, key);
      return nextLine && continueWith(nextLine);
    },
    render: (line, { width, theme }) => [
      theme.border("─".repeat(width)),
      theme.strong(` ${escapeControls(title)}`),
      ...wrapTextWithAnsi(` ${renderInput(line, theme)}`, width),
      renderHints(hints, { width, theme }),
    ],
  };
}

export function isRestorable({ type }: PlannedFile): boolean {
  return type === "restore" || type === "remove";
}

function describePlannedFile({ type, hasForeignChanges, why }: PlannedFile): string {
  const foreignNote = hasForeignChanges ? "; changes made outside this session are lost" : "";
  switch (type) {
    case "restore":
      return `will be restored${foreignNote}`;
    case "remove":
      return `will be removed: it did not exist then${foreignNote}`;
    case "same":
      return "already up to date";
    case "conflict":
      return "not restored: changed outside this session";
    case "lost":
      return "not restored: its earlier content is no longer stored";
    case "not-permitted":
      return `not restored: ${why}`;
  }
}

/** Makes a path inside the folder relative to it. */
export function shortenPath(path: string, folder: string): string {
  const relativePath = relative(folder, path);
  return relativePath === "" || relativePath.startsWith("..") ? path : relativePath;
}

export interface FilesPanelOptions {
  readonly files: readonly PlannedFile[];
  readonly folder: string;
  /** Describes what restoring the file would change, as a unified diff or a sentence. */
  readonly diff: (file: PlannedFile) => Promise<string>;
}

export interface FilesState {
  readonly selectedIndex: number;
  /** The lines of the diffs loaded so far, by path. */
  readonly diffs: ReadonlyMap<string, readonly string[]>;
  /** The first visible line of the diff. */
  readonly diffOffset: number;
}

export function createFilesPanel(options: FilesPanelOptions): Panel<FilesState, "restore" | "skip"> {
  const hasRestorable = options.files.some(isRestorable);
  return {
    initialState: { selectedIndex: 0, diffs: new Map(), diffOffset: 0 },
    handleKey: (state, key) => {
      if (hasRestorable && (key === "y" || key === "enter")) return finishWith("restore");
      if (key === "n" || (!hasRestorable && key === "enter")) return finishWith("skip");
      const next = applyFilesKey(state, key, options.files);
      return next && continueWithDiff(next, options);
    },
    render: (state, viewport) => drawFiles(state, viewport, options),
    loadUpdates: async (update) => {
      const [first] = options.files;
      if (first) update(await loadDiff(first, options));
    },
  };
}

function applyFilesKey(state: FilesState, key: string, files: readonly PlannedFile[]): FilesState | null {
  const select = (index: number) => ({
    ...state,
    selectedIndex: Math.max(0, Math.min(index, files.length - 1)),
    diffOffset: 0,
  });
  const lastOffset = Math.max(0, (state.diffs.get(files[state.selectedIndex]?.path ?? "")?.length ?? 0) - 1);
  switch (key) {
    case "up":
      return select(state.selectedIndex - 1);
    case "down":
      return select(state.selectedIndex + 1);
    case "home":
      return select(0);
    case "end":
      return select(files.length - 1);
    case "pageDown":
    case "shift+down":
    case "space":
      return { ...state, diffOffset: Math.min(lastOffset, state.diffOffset + 8) };
    case "pageUp":
    case "shift+up":
      return { ...state, diffOffset: Math.max(0, state.diffOffset - 8) };
    default:
      return null;
  }
}

/** Loads the diff of the selected file, unless it is already loaded. */
function continueWithDiff(state: FilesState, options: FilesPanelOptions): Continue<FilesState> {
  const file = options.files[state.selectedIndex];
  if (!file || state.diffs.has(file.path)) return continueWith(state);
  return { ...continueWith(state), loadUpdate: async () => await loadDiff(file, options) };
}

async function loadDiff(file: PlannedFile, { diff }: FilesPanelOptions): Promise<(state: FilesState) => FilesState> {
  const lines = escapeControls(await diff(file))
    .replaceAll("\t", "    ")
    .split("\n");
  return (state) => ({ ...state, diffs: new Map([...state.diffs, [file.path, lines]]) });
}

function drawFiles(
  { selectedIndex, diffs, diffOffset }: FilesState,
  viewport: Viewport,
  { files, folder }: FilesPanelOptions,
): readonly string[] {
  const { width, height, theme } = viewport;
  const border = theme.border("─".repeat(width));
  const listHeight = Math.max(1, Math.min(files.length, Math.floor((height - 5) / 2)));
  const top = Math.max(0, Math.min(selectedIndex - Math.floor(listHeight / 2), files.length - listHeight));
  const pathWidth = Math.min(width >> 1, Math.max(...files.map(({ path }) => visibleWidth(displayPath(path, folder)))));
  const rows = files.slice(top, top + listHeight).map((file, index) => {
    const fileOptions = { folder, pathWidth, theme, isSelected: top + index === selectedIndex };
    return drawFile(file, fileOptions);
  });
  const header = [theme.strong(" Restore files to their state at this entry?"), border, ...rows, border];
  const diff = diffs.get(files[selectedIndex]?.path ?? "") ?? ["Loading …"];
  const diffHeight = Math.max(0, height - header.length - 1);
  const firstLine = Math.min(diffOffset, Math.max(0, diff.length - diffHeight));
  const body = Array.from({ length: diffHeight }, (_, index) => renderPatchLine(diff[firstLine + index] ?? "", theme));
  return [...header, ...body, renderHints(buildHints(files), viewport)].map((line) => truncateToWidth(line, width));
}

interface DrawFileOptions {
  readonly folder: string;
  readonly pathWidth: number;
  readonly theme: Theme;
  readonly isSelected: boolean;
}

function drawFile(file: PlannedFile, { folder, pathWidth, theme, isSelected }: DrawFileOptions): string {
  const name = fitCell(displayPath(file.path, folder), pathWidth);
  const text = `${isSelected ? "❯" : " "} ${isRestorable(file) ? "✓" : "✗"} ${name}`;
  const verdict = theme[isRestorable(file) ? "good" : "warning"](describePlannedFile(file));
  return ` ${isSelected ? theme.accent(text) : text}  ${verdict}`;
}

function displayPath(path: string, folder: string): string {
  return escapeLine(shortenPath(path, folder));
}

function buildHints(files: readonly PlannedFile[]): readonly string[] {
  const actions = (["restore", "remove"] as const).flatMap((type) => {
    const count = files.filter((file) => file.type === type).length;
    return count === 0 ? [] : [`${type} ${formatCount(count, "file")}`];
  });
  const restoreHint = actions.length === 0 ? "none can be restored" : `y ${actions.join(", ")} and go`;
  return [restoreHint, "n go without restoring", "Esc cancel"];
}
