/** One session of the list: what it is about, when it was last written, and how long it is. Pure. */

import { visibleWidth } from "@earendil-works/pi-tui";
import type { Snippet } from "@pith/context/node";
import { ageTold, bytesTold } from "../../../printing/amounts.ts";
import { plain } from "../../../printing/plain.ts";
import { cell, pathEnd } from "../../drawing/lines/columns.ts";
import type { Theme } from "../../drawing/theme.ts";
import type { Sight } from "../panel.ts";
import { rowHeight } from "./page-room.ts";
import type { SessionRow } from "./session-rows.ts";
import type { SessionsPlace } from "./session-source.ts";
import type { SessionsState } from "./sessions-state.ts";
import { aboutTold, folderTold } from "./wording.ts";

export interface RowSight extends Sight {
  readonly isChosen: boolean;
  readonly place: SessionsPlace;
}

export function drawRow(row: SessionRow, state: SessionsState, sight: RowSight): readonly string[] {
  const { theme, width, isChosen } = sight;
  const tail = theme.dim(tailOf(row, state, sight));
  const room = Math.max(1, width - visibleWidth(tail) - MARK);
  const words = cell(plain(aboutTold(row.item, state.abouts.get(row.item.path))), room);
  const line = `${isChosen ? theme.accent(" ❯ ") : "   "}${inked(row, words, sight)}${tail}`;
  if (rowHeight(state) === 1) return [line];
  return [line, `     ${row.snippet ? marked(row.snippet, theme) : theme.dim("by its name or its first words")}`];
}

function inked({ item }: SessionRow, words: string, { theme, isChosen }: RowSight): string {
  if (item.damaged !== undefined) return theme.bad(words);
  return isChosen ? theme.accent(words) : words;
}

/** How long it is goes first, where there is little room, then where it belongs. */
function tailOf({ item }: SessionRow, { scope }: SessionsState, { place, width }: RowSight): string {
  const here = item.path === place.here ? "  here" : "";
  const folder =
    scope === "all" ? `  ${cell(pathEnd(plain(folderTold(item.cwd, place.userHome)), FOLDER), FOLDER)}` : "";
  const age = `  ${ageTold(place.now() - item.modified).padStart(7)}`;
  const size = `  ${bytesTold(item.size).padStart(8)}`;
  const ways = [
    [here, folder, age, size],
    [here, folder, age],
    [here, age],
  ].map((parts) => `${parts.join("")} `);
  return ways.find((way) => width - visibleWidth(way) - MARK >= WORDS) ?? ` ${here} `;
}

/** Columns of the mark before a row, and so many for its words, at least. */
const MARK = 3;
const WORDS = 24;

const FOLDER = 20;

/** The words that were searched for stand out, also without colours. */
function marked({ text, marks }: Snippet, theme: Theme): string {
  let at = 0;
  const pieces = marks.flatMap(([start, end]) => {
    const piece = [theme.dim(plain(text.slice(at, start))), theme.strong(plain(text.slice(start, end)))];
    at = end;
    return piece;
  });
  return [...pieces, theme.dim(plain(text.slice(at)))].join("");
}
