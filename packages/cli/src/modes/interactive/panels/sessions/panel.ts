/** Implements the sessions page's keys: selection, search, resuming, renaming and moving to the trash. */

import type { SessionItem } from "@pith/context/node";
import { continueWith, finishWith, isCancelKey, type Panel, type Viewport } from "../panel.ts";
import { createInput, editInput, emptyInput, listStart, moveByKey } from "../widgets.ts";
import { drawSessions } from "./draw.ts";
import {
  buildSessionRows,
  clampPosition,
  countVisibleRows,
  emptySessionsState,
  type PendingAction,
  parseQuery,
  type SessionRow,
  type SessionSource,
  type SessionsKeyResult,
  type SessionsState,
} from "./state.ts";

function answerPendingAction(state: SessionsState, key: string, source: SessionSource): SessionsKeyResult {
  const { pendingAction } = state;
  if (pendingAction?.type === "trash") return answerTrash(state, key === "y" ? pendingAction : null, source);
  if (pendingAction?.type === "rename") return answerRename(state, key, { pendingAction, source });
  return continueWith<SessionsState>(state);
}

/** Only `y` confirms; every other key cancels. */
function answerTrash(
  state: SessionsState,
  pendingAction: Extract<PendingAction, { type: "trash" }> | null,
  source: SessionSource,
): SessionsKeyResult {
  const next = continueWith<SessionsState>({ ...state, pendingAction: null });
  return pendingAction ? { ...next, loadUpdate: () => source.trash(pendingAction.item) } : next;
}

interface RenameContext {
  readonly pendingAction: Extract<PendingAction, { type: "rename" }>;
  readonly source: SessionSource;
}

function answerRename(state: SessionsState, key: string, { pendingAction, source }: RenameContext): SessionsKeyResult {
  const { item, line } = pendingAction;
  if (isCancelKey(key)) return continueWith<SessionsState>({ ...state, pendingAction: null });
  if (key === "enter")
    return {
      ...continueWith<SessionsState>({ ...state, pendingAction: null }),
      loadUpdate: () => source.rename(item, line.text),
    };
  const input = editInput(line, key);
  return continueWith<SessionsState>(input ? { ...state, pendingAction: { ...pendingAction, line: input } } : state);
}

/** `note` is shown until a key is pressed. */
export function createSessionsPanel(
  source: SessionSource,
  note: string | null = null,
): Panel<SessionsState, SessionItem> {
  return {
    initialState: { ...emptySessionsState, note },
    loadUpdates: (update, signal) => source.list(update, signal),
    render: (state, viewport) => drawSessions(state, viewport, source.context),
    handleKey: (state, key, viewport) => {
      const current = state.note === null ? state : { ...state, note: null };
      if (current.pendingAction) return answerPendingAction(current, key, source);
      const context = { source, viewport: viewport ?? DEFAULT_VIEWPORT };
      return (
        handleMoveKey(current, key, context) ??
        handleActionKey(current, key, context) ??
        handleTextKey(current, key, context)
      );
    },
  };
}

/** Used for keys that come before the page is drawn. */
const DEFAULT_VIEWPORT: Pick<Viewport, "width" | "height"> = { width: 80, height: 24 };

interface KeyContext {
  readonly source: SessionSource;
  readonly viewport: Pick<Viewport, "width" | "height">;
}

function handleMoveKey(state: SessionsState, key: string, { source, viewport }: KeyContext): SessionsKeyResult | null {
  const isTyping = state.input.text !== "" && (key === "home" || key === "end");
  if (isTyping || !MOVE_KEYS.includes(key)) return null;
  const rows = buildSessionRows(state, source.context.cwd);
  const visibleCount = countVisibleRows(state, viewport);
  const position = moveByKey(clampPosition(state, rows.length, viewport), key, {
    count: rows.length,
    rows: visibleCount,
  });
  return (
    position && loadPreviews({ ...state, position }, rows.slice(position.top, position.top + visibleCount), source)
  );
}

const MOVE_KEYS = ["up", "down", "pageUp", "pageDown", "home", "end"];

function handleActionKey(
  state: SessionsState,
  key: string,
  { source, viewport }: KeyContext,
): SessionsKeyResult | null {
  const item = ACTION_KEYS.includes(key) ? findSelectedItem(state, { source, viewport }) : undefined;
  switch (key) {
    case "tab":
      return reloadRows(
        { ...state, scope: state.scope === "here" ? "all" : "here", position: listStart },
        { source, viewport },
      );
    case "enter":
      return item ? finishWith(item) : continueWith<SessionsState>(state);
    case "ctrl+d":
      return item ? continueWith<SessionsState>(askToTrash(state, item, source)) : continueWith<SessionsState>(state);
    case "ctrl+r":
      return item ? continueWith<SessionsState>(askForName(state, item, source)) : continueWith<SessionsState>(state);
    case "escape":
      return state.input.text === ""
        ? null
        : reloadRows({ ...state, input: emptyInput, searchResult: null, position: listStart }, { source, viewport });
    default:
      return null;
  }
}

const ACTION_KEYS = ["enter", "ctrl+d", "ctrl+r"];

function findSelectedItem(state: SessionsState, { source, viewport }: KeyContext): SessionItem | undefined {
  const rows = buildSessionRows(state, source.context.cwd);
  return rows[clampPosition(state, rows.length, viewport).index]?.item;
}

/** Loads what the new rows need: the search result for a query, otherwise their previews. */
function reloadRows(state: SessionsState, { source, viewport }: KeyContext): SessionsKeyResult {
  const query = parseQuery(state.input.text);
  if (query !== "")
    return { ...continueWith<SessionsState>(state), loadUpdate: () => source.search(query, state.scope) };
  return loadPreviews(
    state,
    buildSessionRows(state, source.context.cwd).slice(0, countVisibleRows(state, viewport)),
    source,
  );
}

function askToTrash(state: SessionsState, item: SessionItem, { context }: SessionSource): SessionsState {
  if (item.path === context.currentPath)
    return { ...state, note: "This session is open. Switch to another session first." };
  return { ...state, pendingAction: { type: "trash", item } };
}

function askForName(state: SessionsState, item: SessionItem, { context }: SessionSource): SessionsState {
  if (item.path === context.currentPath) return { ...state, note: "Use /name to rename the open session." };
  return { ...state, pendingAction: { type: "rename", item, line: createInput(item.name ?? "") } };
}

/** Matches by name appear immediately; full-text matches appear when the search finishes. */
function handleTextKey(state: SessionsState, key: string, context: KeyContext): SessionsKeyResult | null {
  const input = editInput(state.input, key);
  if (!input) return null;
  const next = { ...state, input, position: input.text === state.input.text ? state.position : listStart };
  const query = parseQuery(input.text);
  if (query === parseQuery(state.input.text)) return continueWith<SessionsState>(next);
  return reloadRows(query === "" ? { ...next, searchResult: null } : next, context);
}

/** Loads previews only for the visible rows. */
function loadPreviews(state: SessionsState, rows: readonly SessionRow[], source: SessionSource): SessionsKeyResult {
  const missingItems = rows.map(({ item }) => item).filter(({ path }) => !state.previews.has(path));
  if (missingItems.length === 0) return continueWith<SessionsState>(state);
  return { ...continueWith<SessionsState>(state), loadUpdate: (signal) => source.readPreviews(missingItems, signal) };
}
