/** Implements `/transcript`: a page of the whole branch, from its first entry, with scrolling, search and folding. */

import { themeNamed } from "../../render/theme.ts";
import type { Stage, Talking } from "../../screen-context.ts";
import { answered, goesOn, isWayOut, type Panel, type Pressed, type Sight } from "../panel.ts";
import { emptyLine, typedInto } from "../widgets.ts";
import { drawTranscript, foundFrom, roomIn } from "./draw.ts";
import { logPages } from "./pages.ts";
import { endingWith, isAtEnd, paged, type Rows, seen, showing, stepped } from "./scroll.ts";
import {
  blockAt,
  forgotten,
  type GrownPage,
  newest,
  nothingRead,
  type Spot,
  type ToldPages,
  type TranscriptSource,
  type TranscriptState,
  wantedPages,
} from "./state.ts";

export function told(state: TranscriptState, { marks, pages, isLast, beginning }: ToldPages): TranscriptState {
  const first = state.marks.length;
  const loaded = new Map([...state.loaded, ...pages.map((blocks, at) => [first + at, blocks] as const)]);
  if (beginning) loaded.set(first + marks.length - 1, beginning);
  return { ...state, marks: [...state.marks, ...marks], loaded, isWhole: isLast };
}

/** Pages are counted from the end, and so it is always the same one that grows. */
export function grown(state: TranscriptState, { mark, blocks }: GrownPage): TranscriptState {
  const isRead = state.marks.length === 0 || state.loaded.has(0);
  const loaded = isRead ? new Map(state.loaded).set(0, blocks) : state.loaded;
  const goal = state.isFollowing ? ({ type: "end" } as const) : state.goal;
  return { ...state, marks: [mark, ...state.marks.slice(1)], loaded, goal };
}

/** The goal, if it can be reached now. */
export function settled(state: TranscriptState, rows: Rows): TranscriptState {
  const { goal } = state;
  switch (goal?.type) {
    case undefined:
      return state;
    case "end": {
      if (!state.loaded.has(0)) return state;
      const at = newest(state);
      return { ...state, at, top: endingWith(state, at, rows), goal: null, isFollowing: true };
    }
    case "beginning":
      if (!state.isWhole) return { ...state, note: "reading back to the beginning …" };
      return standing(state, { page: Math.max(0, state.marks.length - 1), block: 0 });
    case "spot":
      if (!state.loaded.has(goal.spot.page)) return state;
      return { ...state, at: goal.spot, top: showing(state, goal.spot, rows), goal: null };
  }
}

/** Where it is not read yet, it is what is wanted next. */
function standing(state: TranscriptState, spot: Spot): TranscriptState {
  const next = { ...state, at: spot, top: { ...spot, row: 0 }, note: null };
  return state.loaded.has(spot.page) ? { ...next, goal: null } : next;
}

type TranscriptPressed = Pressed<TranscriptState, true>;

export function transcriptPanel(source: TranscriptSource): Panel<TranscriptState, true> {
  return {
    start: nothingRead,
    learns: (learn, signal) =>
      source.marks(
        (pages) => learn((state) => told(state, pages)),
        signal,
        (page) => learn((state) => grown(state, page)),
      ),
    draw: (state, sight) => drawTranscript(settled(state, roomIn(sight)), sight, source.title),
    press: (known, key, sight = USUAL) => {
      const rows = roomIn(sight);
      const state = { ...settled(known, rows), note: null };
      if (state.typing) return typed(state, key, { source, rows });
      const next = moved(state, key, rows);
      if (next) return withPages({ ...next, isFollowing: isAtEnd(next, rows) }, { source, rows });
      return acted(state, key, { source, rows });
    },
  };
}

/** Before it was ever drawn. */
const USUAL: Sight = { width: 80, height: 24, theme: themeNamed("none") };

interface Page {
  readonly source: TranscriptSource;
  readonly rows: Rows;
}

function moved(state: TranscriptState, key: string, rows: Rows): TranscriptState | null {
  switch (key) {
    case "up":
    case "k":
      return stepped(state, "older", rows);
    case "down":
    case "j":
      return stepped(state, "newer", rows);
    case "pageUp":
    case "b":
      return paged(state, "older", rows);
    case "pageDown":
    case "f":
      return paged(state, "newer", rows);
    case "home":
    case "g":
      return settled({ ...state, goal: { type: "beginning" } }, rows);
    case "end":
    case "G":
      return settled({ ...state, goal: { type: "end" }, at: { page: 0, block: 0 } }, rows);
    default:
      return null;
  }
}

function acted(state: TranscriptState, key: string, page: Page): TranscriptPressed | null {
  switch (key) {
    case "enter":
    case "space":
    case " ":
      return goesOn<TranscriptState>(seen(toggled(state), page.rows));
    case "/":
      return goesOn<TranscriptState>({ ...state, typing: emptyLine });
    case "n":
      return looked(state, "older", page);
    case "N":
      return looked(state, "newer", page);
    case "q":
    case "ctrl+t":
      return answered(true);
    default:
      return null;
  }
}

/** Also long words of a person, which are folded in a talk for good. */
function toggled(state: TranscriptState): TranscriptState {
  const block = blockAt(state, state.at);
  if (!block) return state;
  const opened = new Set(state.opened);
  if (!opened.delete(block.id)) opened.add(block.id);
  return { ...state, opened };
}

function typed(state: TranscriptState, key: string, page: Page): TranscriptPressed {
  const { typing } = state;
  if (!typing || isWayOut(key)) return goesOn<TranscriptState>({ ...state, typing: null });
  if (key === "enter") return looked({ ...state, typing: null, query: typing.text.trim() }, "older", page);
  const line = typedInto(typing, key);
  return goesOn<TranscriptState>(line ? { ...state, typing: line } : state);
}

function looked(state: TranscriptState, towards: "older" | "newer", { source, rows }: Page): TranscriptPressed {
  const { query } = state;
  if (query === "") return goesOn<TranscriptState>({ ...state, note: "/ looks for words" });
  const looking = { ...state, note: `looking for ${query} …` };
  return {
    ...goesOn<TranscriptState>(looking),
    later: async (signal) => {
      const found = await foundFrom(state, { query, towards, signal }, source);
      if (!found) return (now) => ({ ...now, note: `nowhere: ${query}` });
      const block = found.blocks[found.spot.block];
      return (now) => {
        // What is there may have grown since.
        const loaded = new Map([[found.spot.page, found.blocks], ...now.loaded]);
        const opened = block ? new Set(now.opened).add(block.id) : now.opened;
        const goal = { type: "spot", spot: found.spot } as const;
        return settled({ ...now, loaded, opened, goal, isFollowing: false, note: null }, rows);
      };
    },
  };
}

/** What comes next is read before anybody is there. */
function withPages(state: TranscriptState, { source, rows }: Page): TranscriptPressed {
  const wanted = wantedPages(state);
  if (wanted.length === 0) return goesOn<TranscriptState>(state);
  return {
    ...goesOn<TranscriptState>(state),
    later: async () => {
      const marks = wanted.flatMap((page) => (state.marks[page] ? [{ page, mark: state.marks[page] }] : []));
      const read = await Promise.all(marks.map(async ({ page, mark }) => [page, await source.read(mark)] as const));
      return (now) =>
        settled({ ...now, loaded: forgotten({ ...now, loaded: new Map([...read, ...now.loaded]) }) }, rows);
    },
  };
}

/** Of the words behind `/transcript` it makes nothing. */
export async function openTranscript(_words: string, { ready, screen }: Talking): Promise<boolean> {
  // Whoever presses the key twice wants one.
  if (reading.has(screen)) return true;
  reading.add(screen);
  try {
    const { session } = ready.built.agent;
    const title = session.redact((await session.store.name()) ?? "");
    await screen.ask(transcriptPanel(logPages(session, title)), { where: "page" });
  } finally {
    reading.delete(screen);
  }
  return true;
}

/** Screens on which one is being opened, or is open. */
const reading = new WeakSet<Stage>();
