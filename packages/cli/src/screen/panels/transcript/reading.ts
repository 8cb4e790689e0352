/** What was read of the log finds its place on the page, and whoever wanted to go somewhere stands there as soon as it is read. Pure. */

import type { Rows } from "./block-rows.ts";
import { endingWith, showing } from "./scrolling.ts";
import type { GrownPage, ToldPages } from "./transcript-source.ts";
import type { Spot, TranscriptState } from "./transcript-state.ts";
import { newest } from "./walking.ts";

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
