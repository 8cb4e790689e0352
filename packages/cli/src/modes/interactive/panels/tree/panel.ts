/** Implements the tree page's keys: selection, folding, filters, search, labels, and choosing an entry. */

import type { Entry } from "@pith/context";
import type { OutlineUpdate } from "../../../../sessions/tree-outline.ts";
import { createTheme } from "../../render/theme.ts";
import { type Continue, continueWith, finishWith, type KeyResult, type Panel, type Viewport } from "../panel.ts";
import { createInput, editInput, emptyInput } from "../widgets.ts";
import { drawTreePage, layoutPage, maxPreviewOffset, type TreePageOptions } from "./draw.ts";
import {
  applyLabel,
  applyOutlineUpdate,
  createTreeState,
  getSelectedRow,
  isUpToDate,
  selectRow,
  startsBranch,
  type TreeRow,
  type TreeState,
  type TreeStateOptions,
  updateLayout,
} from "./state.ts";

export interface VisibleArea {
  readonly rowCount: number;
  readonly previewHeight: number;
  /** Returns the number of lines that the preview can scroll. */
  readonly getMaxOffset: () => number;
}

/** Null if the key does not navigate. */
function applyNavigationKey(state: TreeState, key: string, visibleArea: VisibleArea): TreeState | null {
  return navigationKeys.get(key)?.(state, visibleArea) ?? null;
}

type NavigationStep = (state: TreeState, visibleArea: VisibleArea) => TreeState;

const moveBy =
  (rows: number): NavigationStep =>
  (state) =>
    selectRow(state, state.selectedIndex + rows);

/** One row of the previous page stays visible. */
const moveByPage =
  (direction: -1 | 1): NavigationStep =>
  (state, { rowCount }) =>
    selectRow(state, state.selectedIndex + direction * Math.max(1, rowCount - 1));

const cycleFilter =
  (step: number): NavigationStep =>
  (state) => {
    const { length } = state.filters;
    return updateLayout(state, { filterIndex: (state.filterIndex + step + length) % length });
  };

const scrollPreviewTo = (state: TreeState, line: number, { getMaxOffset }: VisibleArea): TreeState => ({
  ...state,
  previewOffset: Math.max(0, Math.min(line, getMaxOffset())),
});

const scrollPreviewBy =
  (lines: number): NavigationStep =>
  (state, visibleArea) =>
    scrollPreviewTo(state, state.previewOffset + lines, visibleArea);

const scrollPreviewByPage: NavigationStep = (state, visibleArea) =>
  scrollPreviewTo(state, state.previewOffset + Math.max(1, visibleArea.previewHeight - 3), visibleArea);

const selectFirst: NavigationStep = (state) => selectRow(state, 0);
const selectLast: NavigationStep = (state) => selectRow(state, state.layout.rows.length - 1);
/** Selects the current position, or the nearest visible row before it. */
const selectCurrent: NavigationStep = (state) => selectRow(state, state.layout.currentIndex);

/** Selects the newest entry outside the current branch: the position before the last move. */
const selectLastAbandonedBranch: NavigationStep = (state) => {
  const { rows } = state.layout;
  let newest = -1;
  for (const [index, { node }] of rows.entries())
    if (!node.isOnBranch && node.time >= (rows[newest]?.node.time ?? 0)) newest = index;
  return newest === -1 ? state : selectRow(state, newest);
};

const navigationKeys: ReadonlyMap<string, NavigationStep> = new Map([
  ["up", moveBy(-1)],
  ["k", moveBy(-1)],
  ["down", moveBy(1)],
  ["j", moveBy(1)],
  ["pageUp", moveByPage(-1)],
  ["pageDown", moveByPage(1)],
  ["home", selectFirst],
  ["g", selectFirst],
  ["end", selectLast],
  ["G", selectLast],
  [".", selectCurrent],
  ["b", selectLastAbandonedBranch],
  ["left", (state) => foldSelected(state)],
  ["right", (state) => unfoldSelected(state)],
  ["[", (state) => selectBranchPoint(state, "previous")],
  ["alt+up", (state) => selectBranchPoint(state, "previous")],
  ["]", (state) => selectBranchPoint(state, "next")],
  ["alt+down", (state) => selectBranchPoint(state, "next")],
  ["tab", cycleFilter(1)],
  ["shift+tab", cycleFilter(-1)],
  ["shift+down", scrollPreviewBy(1)],
  ["shift+up", scrollPreviewBy(-1)],
  ["space", scrollPreviewByPage],
  [" ", scrollPreviewByPage],
]);

/** Folds the row's side branches, otherwise the row's own branch. If both are folded, selects the previous branch point. */
function foldSelected(state: TreeState): TreeState {
  const row = getSelectedRow(state);
  if (!row) return state;
  const unfoldedBranches = row.sideBranches.filter((id) => !state.folded.has(id));
  if (unfoldedBranches.length > 0) return updateFolds(state, { fold: unfoldedBranches });
  if (row.branchStart === null) return selectBranchPoint(state, "previous");
  if (row.hiddenCount > 0 || state.folded.has(row.branchStart)) return selectBranchPoint(state, "previous");
  const startIndex = (state.layout.rowNumbers[state.outline.nodes.get(row.branchStart)?.number ?? -1] ?? 0) - 1;
  return updateFolds(selectRow(state, startIndex), { fold: [row.branchStart] });
}

function unfoldSelected(state: TreeState): TreeState {
  const row = getSelectedRow(state);
  if (!row) return state;
  if (row.hiddenCount > 0) return updateFolds(state, { unfold: [row.node.id] });
  const foldedBranches = row.sideBranches.filter((id) => state.folded.has(id));
  if (foldedBranches.length > 0) return updateFolds(state, { unfold: foldedBranches });
  return selectBranchPoint(state, "next");
}

function updateFolds(
  state: TreeState,
  { fold = [], unfold = [] }: { readonly fold?: readonly string[]; readonly unfold?: readonly string[] },
): TreeState {
  const folded = new Set([...state.folded, ...fold]);
  for (const id of unfold) folded.delete(id);
  return updateLayout(state, { folded });
}

/** Selects the nearest branch point in the direction. */
function selectBranchPoint(state: TreeState, direction: "previous" | "next"): TreeState {
  const { selectedIndex, layout } = state;
  const { rows } = layout;
  const index =
    direction === "previous"
      ? rows.findLastIndex((row, rowIndex) => rowIndex < selectedIndex && isBranchPoint(row))
      : rows.findIndex((row, rowIndex) => rowIndex > selectedIndex && isBranchPoint(row));
  if (index !== -1) return selectRow(state, index);
  return selectRow(state, direction === "previous" ? 0 : rows.length - 1);
}

function isBranchPoint(row: TreeRow): boolean {
  return startsBranch(row) || row.sideBranches.length > 0;
}

export interface TreePanelOptions extends TreeStateOptions, TreePageOptions {
  readonly readEntry: (id: string) => Promise<Entry | undefined>;
  readonly readOutline: (signal: AbortSignal) => AsyncIterable<OutlineUpdate>;
  /** An empty label removes the label. Returns null, or the reason why it could not be saved. */
  readonly saveLabel: (id: string, label: string) => Promise<string | null>;
}

/** `go`: continue at the entry. `fork`: start a new session from it. `compact`: choose what to summarize around it. */
export interface TreeSelection {
  readonly type: "go" | "fork" | "compact";
  readonly id: string;
  /** The state of the page, to restore it if the user comes back. */
  readonly state: TreeState;
}

export function createTreePanel(options: TreePanelOptions): Panel<TreeState, TreeSelection> {
  return {
    initialState: createTreeState(options),
    handleKey: (state, key, viewport = DEFAULT_VIEWPORT) => {
      if (state.mode === "labelling") return handleLabelKey(state, key, options);
      const visibleArea = measureVisibleArea(state, viewport, options);
      return state.mode === "searching"
        ? handleSearchKey(state, key, { ...options, visibleArea })
        : handleBrowseKey(state, key, { ...options, visibleArea });
    },
    render: (state, viewport) => drawTreePage(state, viewport, options),
    loadUpdates: async (update, signal) => {
      if (options.previousState && isUpToDate(options.previousState, options.leaf))
        return await loadPreview(update, options);
      for await (const outlineUpdate of options.readOutline(signal)) {
        update((state) => applyOutlineUpdate(state, outlineUpdate));
        await loadPreview(update, options);
      }
    },
  };
}

type TreeKeyResult = KeyResult<TreeState, TreeSelection> | null;

interface KeyOptions extends TreePanelOptions {
  readonly visibleArea: VisibleArea;
}

/** Used for keys that come before the page is drawn. */
const DEFAULT_VIEWPORT: Viewport = { width: 80, height: 24, theme: createTheme("none") };

function measureVisibleArea(state: TreeState, viewport: Viewport, { enterAction }: TreePanelOptions): VisibleArea {
  const { list, preview } = layoutPage(viewport);
  const previewOptions = { ...preview, theme: viewport.theme, enterAction };
  return {
    rowCount: list.height,
    previewHeight: preview.height,
    getMaxOffset: () => maxPreviewOffset(state, previewOptions),
  };
}

function handleBrowseKey(state: TreeState, key: string, options: KeyOptions): TreeKeyResult {
  const id = getSelectedRow(state)?.node.id;
  if (key === "/") return continueWith<TreeState>({ ...state, mode: "searching" });
  if (key === "escape" && state.query.text !== "")
    return continueWithPreview(updateLayout(state, { query: emptyInput }), options);
  if (id !== undefined && key === "enter") return finishWith({ type: options.enterAction, id, state });
  if (id !== undefined && key === "f") return finishWith({ type: "fork", id, state });
  if (id !== undefined && key === "c" && options.enterAction === "go")
    return finishWith({ type: "compact", id, state });
  if (id !== undefined && key === "l")
    return continueWith<TreeState>({
      ...state,
      mode: "labelling",
      label: createInput(state.outline.labels.get(id) ?? ""),
    });
  const next = applyNavigationKey(state, key, options.visibleArea);
  return next && continueWithPreview(next, options);
}

/** Arrow keys move through the matches, Enter chooses one, and Esc ends the search at the selected row. */
function handleSearchKey(state: TreeState, key: string, options: KeyOptions): TreeKeyResult {
  const node = getSelectedRow(state)?.node;
  if (key === "enter")
    return node ? finishWith({ type: options.enterAction, id: node.id, state }) : continueWith(state);
  if (key === "escape") {
    const browsingState = updateLayout({ ...state, targetId: node?.id ?? "", mode: "browsing" }, { query: emptyInput });
    return continueWithPreview(selectRow(browsingState, browsingState.selectedIndex), options);
  }
  if (SEARCH_NAVIGATION_KEYS.includes(key)) {
    const next = applyNavigationKey(state, key, options.visibleArea);
    return next && continueWithPreview(next, options);
  }
  const query = editInput(state.query, key);
  if (!query) return null;
  // The selected entry stays selected if it still matches; otherwise its nearest matching ancestor is selected.
  return continueWithPreview(updateLayout(state, { query }), options);
}

const SEARCH_NAVIGATION_KEYS = ["up", "down", "pageUp", "pageDown", "tab", "shift+tab"];

function handleLabelKey(state: TreeState, key: string, { saveLabel }: TreePanelOptions): TreeKeyResult {
  const row = getSelectedRow(state);
  const browsingState: TreeState = { ...state, mode: "browsing" };
  if (key === "escape" || !row) return continueWith(browsingState);
  if (key !== "enter") {
    const label = editInput(state.label, key);
    return label && continueWith({ ...state, label });
  }
  const { id } = row.node;
  const label = state.label.text.trim();
  return {
    ...continueWith(browsingState),
    loadUpdate: async () => {
      const error = await saveLabel(id, label);
      return (latest) => (error === null ? applyLabel(latest, id, label) : { ...latest, error });
    },
  };
}

/** Loads the selected entry for the preview, unless it is already loaded. */
function continueWithPreview(state: TreeState, options: TreePanelOptions): Continue<TreeState> {
  const id = getSelectedRow(state)?.node.id;
  if (id === undefined || state.previewEntry?.id === id) return continueWith(state);
  return { ...continueWith(state), loadUpdate: async () => showPreview(await options.readEntry(id)) };
}

async function loadPreview(
  update: (change: (state: TreeState) => TreeState) => void,
  { readEntry }: TreePanelOptions,
): Promise<void> {
  let wantedId: string | null = null;
  update((state) => {
    const id = getSelectedRow(state)?.node.id ?? null;
    wantedId = state.previewEntry?.id === id ? null : id;
    return state;
  });
  if (wantedId !== null) update(showPreview(await readEntry(wantedId)));
}

function showPreview(entry: Entry | undefined): (state: TreeState) => TreeState {
  return (state) => (entry && getSelectedRow(state)?.node.id === entry.id ? { ...state, previewEntry: entry } : state);
}
