/** The page of sessions: walk through them, search in all that was said, go on with one; rename it, or put it into the trash. */

import type { SessionItem } from "@pith/context/node";
import { emptyLine, lineOf, typedInto } from "../../widgets/line-input.ts";
import { atTop, walked } from "../../widgets/list.ts";
import { answered, goesOn, type Panel, type Sight } from "../panel.ts";
import { answeredQuestion } from "./answered-question.ts";
import { drawSessions } from "./draw-sessions.ts";
import { listRoom } from "./page-room.ts";
import { queryOf, type SessionRow, sessionRows } from "./session-rows.ts";
import type { SessionSource, SessionsPressed } from "./session-source.ts";
import { noSessionsYet, type SessionsState } from "./sessions-state.ts";

export function sessionsPanel(source: SessionSource): Panel<SessionsState, SessionItem> {
  return {
    start: noSessionsYet,
    learns: (learn, signal) => source.list(learn, signal),
    draw: (state, sight) => drawSessions(state, sight, source.place),
    press: (state, key, sight) => {
      const silent = state.note === null ? state : { ...state, note: null };
      if (silent.asked) return answeredQuestion(silent, key, source);
      return (
        moved(silent, key, { source, sight: sight ?? USUAL }) ??
        chosen(silent, key, source) ??
        typed(silent, key, source)
      );
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
  const walk = walked(state.walk, key, { count: rows.length, rows: room });
  return walk && seen({ ...state, walk }, rows.slice(walk.top, walk.top + room), source);
}

const WALKING = ["up", "down", "pageUp", "pageDown", "home", "end"];

function chosen(state: SessionsState, key: string, source: SessionSource): SessionsPressed | null {
  const item = ACTING.includes(key) ? sessionRows(state, source.place.cwd)[state.walk.at]?.item : undefined;
  switch (key) {
    case "tab": {
      const next = { ...state, scope: state.scope === "here" ? "all" : "here", walk: atTop } as const;
      return seen(next, sessionRows(next, source.place.cwd).slice(0, MANY), source);
    }
    case "enter":
      return item ? answered(item) : goesOn<SessionsState>(state);
    case "ctrl+d":
      return item ? goesOn<SessionsState>(trashing(state, item, source)) : goesOn<SessionsState>(state);
    case "ctrl+r":
      return item ? goesOn<SessionsState>(renaming(state, item, source)) : goesOn<SessionsState>(state);
    case "escape":
      return state.input.text === ""
        ? null
        : goesOn<SessionsState>({ ...state, input: emptyLine, found: null, walk: atTop });
    default:
      return null;
  }
}

const ACTING = ["enter", "ctrl+d", "ctrl+r"];

function trashing(state: SessionsState, item: SessionItem, { place }: SessionSource): SessionsState {
  if (item.path === place.here) return { ...state, note: "you are in this session; begin another one first" };
  return { ...state, asked: { type: "trash", item } };
}

function renaming(state: SessionsState, item: SessionItem, { place }: SessionSource): SessionsState {
  if (item.path === place.here) return { ...state, note: "/name renames the session you are in" };
  return { ...state, asked: { type: "rename", item, line: lineOf(item.name ?? "") } };
}

/** Each letter shows at once what is known by name; what was said is found a moment later. */
function typed(state: SessionsState, key: string, source: SessionSource): SessionsPressed | null {
  const input = typedInto(state.input, key);
  if (!input) return null;
  const next = { ...state, input, walk: input.text === state.input.text ? state.walk : atTop };
  const query = queryOf(input.text);
  if (query === queryOf(state.input.text)) return goesOn<SessionsState>(next);
  if (query === "") return goesOn<SessionsState>({ ...next, found: null });
  return { ...goesOn<SessionsState>(next), later: () => source.search(query, next.scope) };
}

/** As many as are seen at once. */
const MANY = 30;

/** What lies before one's eyes is looked into, and nothing else. */
function seen(state: SessionsState, rows: readonly SessionRow[], source: SessionSource): SessionsPressed {
  const unknown = rows.map(({ item }) => item).filter(({ path }) => !state.abouts.has(path));
  if (unknown.length === 0) return goesOn<SessionsState>(state);
  return { ...goesOn<SessionsState>(state), later: (signal) => source.look(unknown, signal) };
}
