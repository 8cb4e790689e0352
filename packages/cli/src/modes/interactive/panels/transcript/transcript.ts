/** Implements `/transcript`: a page of the whole branch, from its first entry, with scrolling, search and folding. */

import { createTheme } from "../../render/theme.ts";
import type { ScreenApi, SessionScreen } from "../../screen-context.ts";
import { continueWith, finishWith, isCancelKey, type KeyResult, type Panel, type Viewport } from "../panel.ts";
import { editInput, emptyInput } from "../widgets.ts";
import { drawTranscript, findMatch, getBodyArea } from "./draw.ts";
import {
  type BodyArea,
  findTopEndingWith,
  findTopShowing,
  isAtEnd,
  movePage,
  moveSelection,
  scrollToSelected,
} from "./scroll.ts";
import {
  type BlockPosition,
  createTranscriptSource,
  dropFarPages,
  findNewest,
  type GrownPage,
  getBlock,
  initialTranscript,
  listMissingPages,
  type PageBatch,
  type TranscriptSource,
  type TranscriptState,
} from "./state.ts";

function addPages(state: TranscriptState, { refs, pages, isLast, firstPage }: PageBatch): TranscriptState {
  const firstIndex = state.pageRefs.length;
  const loadedPages = new Map([
    ...state.loadedPages,
    ...pages.map((blocks, index) => [firstIndex + index, blocks] as const),
  ]);
  if (firstPage) loadedPages.set(firstIndex + refs.length - 1, firstPage);
  return { ...state, pageRefs: [...state.pageRefs, ...refs], loadedPages, isComplete: isLast };
}

/** Pages are numbered from the end, so it is always page 0 that grows. */
function updateNewestPage(state: TranscriptState, { ref, blocks }: GrownPage): TranscriptState {
  const isNewestLoaded = state.pageRefs.length === 0 || state.loadedPages.has(0);
  const loadedPages = isNewestLoaded ? new Map(state.loadedPages).set(0, blocks) : state.loadedPages;
  const goal = state.isFollowing ? ({ type: "end" } as const) : state.goal;
  return { ...state, pageRefs: [ref, ...state.pageRefs.slice(1)], loadedPages, goal };
}

/** Moves to the goal, if its page is loaded. */
function reachGoal(state: TranscriptState, area: BodyArea): TranscriptState {
  const { goal } = state;
  switch (goal?.type) {
    case undefined:
      return state;
    case "end": {
      if (!state.loadedPages.has(0)) return state;
      const selected = findNewest(state);
      return { ...state, selected, top: findTopEndingWith(state, selected, area), goal: null, isFollowing: true };
    }
    case "beginning":
      if (!state.isComplete) return { ...state, note: "Loading the beginning …" };
      return selectPosition(state, { page: Math.max(0, state.pageRefs.length - 1), block: 0 });
    case "position":
      if (!state.loadedPages.has(goal.position.page)) return state;
      return { ...state, selected: goal.position, top: findTopShowing(state, goal.position, area), goal: null };
  }
}

/** Keeps the goal until the page is loaded. */
function selectPosition(state: TranscriptState, position: BlockPosition): TranscriptState {
  const next = { ...state, selected: position, top: { ...position, row: 0 }, note: null };
  return state.loadedPages.has(position.page) ? { ...next, goal: null } : next;
}

type TranscriptKeyResult = KeyResult<TranscriptState, true>;

export function createTranscriptPanel(source: TranscriptSource): Panel<TranscriptState, true> {
  return {
    initialState: initialTranscript,
    loadUpdates: (update, signal) =>
      source.loadPages(
        (batch) => update((state) => addPages(state, batch)),
        signal,
        (page) => update((state) => updateNewestPage(state, page)),
      ),
    render: (state, viewport) => drawTranscript(reachGoal(state, getBodyArea(viewport)), viewport, source.title),
    handleKey: (latest, key, viewport = DEFAULT_VIEWPORT) => {
      const area = getBodyArea(viewport);
      const state = { ...reachGoal(latest, area), note: null };
      if (state.searchInput) return handleSearchKey(state, key, { source, area });
      const next = handleMoveKey(state, key, area);
      if (next) return loadMissingPages({ ...next, isFollowing: isAtEnd(next, area) }, { source, area });
      return handleActionKey(state, key, { source, area });
    },
  };
}

/** Used before the first frame. */
const DEFAULT_VIEWPORT: Viewport = { width: 80, height: 24, theme: createTheme("none") };

interface PageContext {
  readonly source: TranscriptSource;
  readonly area: BodyArea;
}

function handleMoveKey(state: TranscriptState, key: string, area: BodyArea): TranscriptState | null {
  switch (key) {
    case "up":
    case "k":
      return moveSelection(state, "older", area);
    case "down":
    case "j":
      return moveSelection(state, "newer", area);
    case "pageUp":
    case "b":
      return movePage(state, "older", area);
    case "pageDown":
    case "f":
      return movePage(state, "newer", area);
    case "home":
    case "g":
      return reachGoal({ ...state, goal: { type: "beginning" } }, area);
    case "end":
    case "G":
      return reachGoal({ ...state, goal: { type: "end" }, selected: { page: 0, block: 0 } }, area);
    default:
      return null;
  }
}

function handleActionKey(state: TranscriptState, key: string, context: PageContext): TranscriptKeyResult | null {
  switch (key) {
    case "enter":
    case "space":
    case " ":
      return continueWith<TranscriptState>(scrollToSelected(toggleExpanded(state), context.area));
    case "/":
      return continueWith<TranscriptState>({ ...state, searchInput: emptyInput });
    case "n":
      return startSearch(state, "older", context);
    case "N":
      return startSearch(state, "newer", context);
    case "q":
    case "ctrl+t":
      return finishWith(true);
    default:
      return null;
  }
}

/** Also expands a long user message, which the main screen prints folded. */
function toggleExpanded(state: TranscriptState): TranscriptState {
  const block = getBlock(state, state.selected);
  if (!block) return state;
  const expandedIds = new Set(state.expandedIds);
  if (!expandedIds.delete(block.id)) expandedIds.add(block.id);
  return { ...state, expandedIds };
}

function handleSearchKey(state: TranscriptState, key: string, context: PageContext): TranscriptKeyResult {
  const { searchInput } = state;
  if (!searchInput || isCancelKey(key)) return continueWith<TranscriptState>({ ...state, searchInput: null });
  if (key === "enter")
    return startSearch({ ...state, searchInput: null, query: searchInput.text.trim() }, "older", context);
  const line = editInput(searchInput, key);
  return continueWith<TranscriptState>(line ? { ...state, searchInput: line } : state);
}

function startSearch(
  state: TranscriptState,
  direction: "older" | "newer",
  { source, area }: PageContext,
): TranscriptKeyResult {
  const { query } = state;
  if (query === "") return continueWith<TranscriptState>({ ...state, note: "Press / to search." });
  const searchingState = { ...state, note: `Searching for "${query}" …` };
  return {
    ...continueWith<TranscriptState>(searchingState),
    loadUpdate: async (signal) => {
      const match = await findMatch(state, { query, direction, signal }, source);
      if (!match) return (latest) => ({ ...latest, note: `No matches for "${query}".` });
      const block = match.blocks[match.position.block];
      return (latest) => {
        // A page that is already loaded takes precedence, because it may have grown since.
        const loadedPages = new Map([[match.position.page, match.blocks], ...latest.loadedPages]);
        const expandedIds = block ? new Set(latest.expandedIds).add(block.id) : latest.expandedIds;
        const goal = { type: "position", position: match.position } as const;
        return reachGoal({ ...latest, loadedPages, expandedIds, goal, isFollowing: false, note: null }, area);
      };
    },
  };
}

/** Loads nearby pages before the user reaches them. */
function loadMissingPages(state: TranscriptState, { source, area }: PageContext): TranscriptKeyResult {
  const missingPages = listMissingPages(state);
  if (missingPages.length === 0) return continueWith<TranscriptState>(state);
  return {
    ...continueWith<TranscriptState>(state),
    loadUpdate: async () => {
      const refs = missingPages.flatMap((page) => (state.pageRefs[page] ? [{ page, ref: state.pageRefs[page] }] : []));
      const loadedEntries = await Promise.all(
        refs.map(async ({ page, ref }) => [page, await source.readPage(ref)] as const),
      );
      return (latest) =>
        reachGoal(
          {
            ...latest,
            loadedPages: dropFarPages({ ...latest, loadedPages: new Map([...loadedEntries, ...latest.loadedPages]) }),
          },
          area,
        );
    },
  };
}

/** Ignores the arguments of the command. */
export async function openTranscript(_args: string, { app, screen }: SessionScreen): Promise<boolean> {
  // Pressing the key twice opens one page.
  if (screensWithTranscript.has(screen)) return true;
  screensWithTranscript.add(screen);
  try {
    const { session } = app.agent;
    const title = session.redact((await session.store.name()) ?? "");
    await screen.showPanel(createTranscriptPanel(createTranscriptSource(session, title)), { where: "page" });
  } finally {
    screensWithTranscript.delete(screen);
  }
  return true;
}

/** Screens whose transcript page is open or about to open. */
const screensWithTranscript = new WeakSet<ScreenApi>();
