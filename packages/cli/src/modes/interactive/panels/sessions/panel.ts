/** Implements the sessions page's keys: selection, search, resuming, renaming and moving to the trash. */

import type { SessionItem } from "@pith/context/node";
import { answered, goesOn, isWayOut, type Panel, type Sight } from "../panel.ts";
import { atTop, emptyLine, lineOf, typedInto, walked } from "../widgets.ts";
import { drawSessions } from "./draw.ts";
import {
  type Asked,
  listRoom,
  noSessionsYet,
  queryOf,
  type SessionRow,
  type SessionSource,
  type SessionsPressed,
  type SessionsState,
  sessionRows,
  standing,
} from "./state.ts";

export function answeredQuestion(state: SessionsState, key: string, source: SessionSource): SessionsPressed {
  const { asked } = state;
  if (asked?.type === "trash") return answerTrash(state, key === "y" ? asked : null, source);
  if (asked?.type === "rename") return answerRename(state, key, { asked, source });
  return goesOn<SessionsState>(state);
}

/** Everything but a yes is a no. */
function answerTrash(
  state: SessionsState,
  asked: Extract<Asked, { type: "trash" }> | null,
  source: SessionSource,
): SessionsPressed {
  const next = goesOn<SessionsState>({ ...state, asked: null });
  return asked ? { ...next, later: () => source.trash(asked.item) } : next;
}

interface Renaming {
  readonly asked: Extract<Asked, { type: "rename" }>;
  readonly source: SessionSource;
}

function answerRename(state: SessionsState, key: string, { asked, source }: Renaming): SessionsPressed {
  const { item, line } = asked;
  if (isWayOut(key)) return goesOn<SessionsState>({ ...state, asked: null });
  if (key === "enter")
    return { ...goesOn<SessionsState>({ ...state, asked: null }), later: () => source.rename(item, line.text) };
  const input = typedInto(line, key);
  return goesOn<SessionsState>(input ? { ...state, asked: { ...asked, line: input } } : state);
}

/** `note` is told until a key is pressed. */
export function sessionsPanel(source: SessionSource, note: string | null = null): Panel<SessionsState, SessionItem> {
  return {
    start: { ...noSessionsYet, note },
    learns: (learn, signal) => source.list(learn, signal),
    draw: (state, sight) => drawSessions(state, sight, source.place),
    press: (state, key, sight) => {
      const silent = state.note === null ? state : { ...state, note: null };
      if (silent.asked) return answeredQuestion(silent, key, source);
      const seeing = { source, sight: sight ?? USUAL };
      return moved(silent, key, seeing) ?? chosen(silent, key, seeing) ?? typed(silent, key, seeing);
    },
  };
}

/** Before it was ever drawn. */
const USUAL: Pick<Sight, "width" | "height"> = { width: 80, height: 24 };

interface Seeing {
  readonly source: SessionSource;
  readonly sight: Pick<Sight, "width" | "height">;
}

function moved(state: SessionsState, key: string, { source, sight }: Seeing): SessionsPressed | null {
  const isTyping = state.input.text !== "" && (key === "home" || key === "end");
  if (isTyping || !WALKING.includes(key)) return null;
  const rows = sessionRows(state, source.place.cwd);
  const room = listRoom(state, sight);
  const walk = walked(standing(state, rows.length, sight), key, { count: rows.length, rows: room });
  return walk && seen({ ...state, walk }, rows.slice(walk.top, walk.top + room), source);
}

const WALKING = ["up", "down", "pageUp", "pageDown", "home", "end"];

function chosen(state: SessionsState, key: string, { source, sight }: Seeing): SessionsPressed | null {
  const item = ACTING.includes(key) ? itemAt(state, { source, sight }) : undefined;
  switch (key) {
    case "tab":
      return onOthers({ ...state, scope: state.scope === "here" ? "all" : "here", walk: atTop }, { source, sight });
    case "enter":
      return item ? answered(item) : goesOn<SessionsState>(state);
    case "ctrl+d":
      return item ? goesOn<SessionsState>(trashing(state, item, source)) : goesOn<SessionsState>(state);
    case "ctrl+r":
      return item ? goesOn<SessionsState>(renaming(state, item, source)) : goesOn<SessionsState>(state);
    case "escape":
      return state.input.text === ""
        ? null
        : onOthers({ ...state, input: emptyLine, found: null, walk: atTop }, { source, sight });
    default:
      return null;
  }
}

const ACTING = ["enter", "ctrl+d", "ctrl+r"];

function itemAt(state: SessionsState, { source, sight }: Seeing): SessionItem | undefined {
  const rows = sessionRows(state, source.place.cwd);
  return rows[standing(state, rows.length, sight).at]?.item;
}

/** Other rows: what is searched for is searched there, too. */
function onOthers(state: SessionsState, { source, sight }: Seeing): SessionsPressed {
  const query = queryOf(state.input.text);
  if (query !== "") return { ...goesOn<SessionsState>(state), later: () => source.search(query, state.scope) };
  return seen(state, sessionRows(state, source.place.cwd).slice(0, listRoom(state, sight)), source);
}

function trashing(state: SessionsState, item: SessionItem, { place }: SessionSource): SessionsState {
  if (item.path === place.here) return { ...state, note: "you are in this session; begin another one first" };
  return { ...state, asked: { type: "trash", item } };
}

function renaming(state: SessionsState, item: SessionItem, { place }: SessionSource): SessionsState {
  if (item.path === place.here) return { ...state, note: "/name renames the session you are in" };
  return { ...state, asked: { type: "rename", item, line: lineOf(item.name ?? "") } };
}

/** Each letter shows at once what is known by name; what was said is found a moment later. */
function typed(state: SessionsState, key: string, seeing: Seeing): SessionsPressed | null {
  const input = typedInto(state.input, key);
  if (!input) return null;
  const next = { ...state, input, walk: input.text === state.input.text ? state.walk : atTop };
  const query = queryOf(input.text);
  if (query === queryOf(state.input.text)) return goesOn<SessionsState>(next);
  return onOthers(query === "" ? { ...next, found: null } : next, seeing);
}

/** What lies before one's eyes is looked into, and nothing else. */
function seen(state: SessionsState, rows: readonly SessionRow[], source: SessionSource): SessionsPressed {
  const unknown = rows.map(({ item }) => item).filter(({ path }) => !state.abouts.has(path));
  if (unknown.length === 0) return goesOn<SessionsState>(state);
  return { ...goesOn<SessionsState>(state), later: (signal) => source.look(unknown, signal) };
}
