/** How much of the page is for the list, and whether there is room beside it. Pure. */

import { type Walk, walkTo } from "../../widgets/list.ts";
import type { Sight } from "../panel.ts";
import { type SideBySide, sideBySide } from "../side-by-side.ts";
import { queryOf } from "./session-rows.ts";
import type { SessionsState } from "./sessions-state.ts";

/** Rows above and below the list: a title, the search, two rules and the keys. */
export const AROUND = 5;

/** Sessions that are seen at once. */
export function listRoom(state: SessionsState, { height }: Pick<Sight, "height">): number {
  return Math.max(1, Math.floor((height - AROUND) / rowHeight(state)));
}

/** Where one stands now: rows may have gone since, and the terminal may have another height. */
export function standing(state: SessionsState, count: number, sight: Pick<Sight, "height">): Walk {
  return walkTo(state.walk, state.walk.at, { count, rows: listRoom(state, sight) });
}

/** With a search, each says below where it was found. */
export function rowHeight({ input }: SessionsState): number {
  return queryOf(input.text) === "" ? 1 : 2;
}

/** The list, and beside it the session one stands on, where there is room for both; 0 for none. */
export function columns({ width }: Pick<Sight, "width">): SideBySide {
  return sideBySide(width) ?? { list: width, beside: 0 };
}
