/** Draws the sessions page: title, search line, list, the preview beside it, and the key hints. */

import type { SessionItem } from "@pith/context/node";
import type { Snippet } from "@pith/context/search";
import { ageTold, bytesTold, costTold, counted } from "../../../../text/format.ts";
import { oneLine, plain } from "../../../../text/safe-text.ts";
import { atBothEnds, cell, fitted, pathEnd } from "../../render/text.ts";
import type { Theme } from "../../render/theme.ts";
import { visibleWidth, wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import type { Sight } from "../panel.ts";
import { drawLine, hintLine } from "../widgets.ts";
import {
  type About,
  AROUND,
  columns,
  listRoom,
  queryOf,
  rowHeight,
  type SessionRow,
  type SessionsPlace,
  type SessionsState,
  sessionRows,
  standing,
} from "./state.ts";

/** Its name; else what its newest checkpoint says of it; else how it began. */
export function aboutTold(item: SessionItem, about: About | undefined): string {
  if (item.damaged !== undefined) return `damaged: ${item.damaged}`;
  if (item.name !== undefined) return item.name;
  if (about?.gist) return about.gist;
  return item.firstMessage === "" ? "(nothing was said)" : item.firstMessage;
}

export function folderTold(folder: string, userHome: string): string {
  const isInside = folder === userHome || folder.startsWith(`${userHome}/`);
  return oneLine(isInside ? `~${folder.slice(userHome.length)}` : folder);
}

export interface PreviewPlace extends SessionsPlace {
  /** Undefined until it was looked at. */
  readonly about: About | undefined;
}

export function drawPreview({ item }: SessionRow, sight: Sight, place: PreviewPlace): readonly string[] {
  const { theme } = sight;
  const { about } = place;
  const part = (title: string, text: string | null | undefined, most: number): readonly string[] =>
    text ? ["", theme.dim(title), ...wrapped(text, sight).slice(0, most)] : [];
  const lines = [
    ...wrapped(item.name ?? item.firstMessage, sight)
      .slice(0, 2)
      .map((line) => theme.strong(line)),
    theme.dim(plain(folderTold(item.cwd, place.userHome))),
    theme.dim(`${ageTold(place.now() - item.modified)} · ${bytesTold(item.size)}${figures(about)}`),
    ...(about?.model ? [theme.dim(plain(about.model))] : []),
    ...(about?.isForeign ? [theme.dim("written by another program")] : []),
    ...(item.damaged === undefined ? [] : wrapped(item.damaged, sight).map((line) => theme.bad(line))),
    ...part("what it is about", about?.gist, MANY),
    ...part("you said last", about?.lastSaid, FEW),
    ...part("it answered", about?.lastAnswer, MANY),
  ];
  return lines.slice(0, sight.height);
}

const FEW = 4;
const MANY = 8;

function figures(about: About | undefined): string {
  const { entries, branches, cost } = about ?? {};
  const parts = [
    ...(entries === undefined ? [] : [counted(entries, "entry", "entries")]),
    ...(branches === undefined || branches < 2 ? [] : [counted(branches, "branch", "branches")]),
    ...(cost === undefined || cost === 0 ? [] : [costTold(cost)]),
  ];
  return parts.map((part) => ` · ${part}`).join("");
}

function wrapped(text: string, { width }: Sight): readonly string[] {
  return wrapTextWithAnsi(plain(text).replaceAll("\t", " "), Math.max(10, width));
}

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

export function drawSessions(known: SessionsState, sight: Sight, place: SessionsPlace): readonly string[] {
  const rows = sessionRows(known, place.cwd);
  const state = { ...known, walk: standing(known, rows.length, sight) };
  const rule = sight.theme.border("─".repeat(sight.width));
  const lines = [
    title(state, rows.length, { sight, place }),
    search(state, sight),
    rule,
    ...beside(state, rows, { sight, place }),
    rule,
    bottom(state, sight),
  ];
  return lines.map((line) => fitted(line, sight.width));
}

interface Page {
  readonly sight: Sight;
  readonly place: SessionsPlace;
}

function title(state: SessionsState, count: number, { sight: { theme, width }, place }: Page): string {
  const where = state.scope === "all" ? "all folders" : plain(folderTold(place.cwd, place.userHome));
  const many = count.toLocaleString("en-US");
  const right = theme.dim(`${many}${state.isWhole ? "" : " …"}`);
  const name = ` ${theme.strong("Sessions")} ${theme.dim("·")} ${where}`;
  return atBothEnds(name, right, width);
}

function search({ input, found, indexing }: SessionsState, { theme }: Sight): string {
  const aside = indexing ?? (input.text === "" ? null : (found?.pending ?? null));
  const told = aside === null ? "" : theme.dim(`   ${plain(aside)}`);
  const hint =
    input.text === "" && indexing === null ? theme.dim(" words of its name, or of anything that was said") : "";
  return ` ${theme.accent("/")} ${drawLine(input, theme)}${hint}${told}`;
}

function beside(state: SessionsState, rows: readonly SessionRow[], page: Page): readonly string[] {
  const { sight } = page;
  const { list, beside: width } = columns(sight);
  const height = Math.max(1, sight.height - AROUND);
  const left = listed(state, rows, page).slice(0, height);
  const chosen = rows[state.walk.at];
  const about = chosen && state.abouts.get(chosen.item.path);
  const right =
    width === 0 || !chosen ? [] : drawPreview(chosen, { ...sight, width, height }, { about, ...page.place });
  return Array.from({ length: height }, (_, at) => {
    if (width === 0) return left[at] ?? "";
    return `${cell(left[at] ?? "", list)} ${sight.theme.border("│")} ${right[at] ?? ""}`;
  });
}

function listed(state: SessionsState, rows: readonly SessionRow[], { sight, place }: Page): readonly string[] {
  if (rows.length === 0) return ["", ` ${sight.theme.dim(nothing(state))}`];
  const { top, at } = state.walk;
  const { list } = columns(sight);
  const shown = rows.slice(top, top + listRoom(state, sight));
  return shown.flatMap((row, offset) =>
    drawRow(row, state, { ...sight, width: list, isChosen: top + offset === at, place }),
  );
}

function nothing({ items, isWhole, input, scope, found }: SessionsState): string {
  if (!isWhole) return "looking …";
  if (items.length === 0) return "no session yet";
  const query = queryOf(input.text);
  if (query !== "") return found?.query === query ? "nothing was found" : "searching …";
  return scope === "here"
    ? "no session of this folder yet; Tab shows those of all folders"
    : "nothing was said in any of them";
}

function bottom({ asked, note, scope }: SessionsState, { theme, width }: Sight): string {
  if (asked?.type === "trash")
    return ` ${theme.warning("Put it into the trash? y yes · any other key no")}${theme.dim("   it can be restored")}`;
  if (asked?.type === "rename") return ` ${theme.accent("name:")} ${drawLine(asked.line, theme)}`;
  if (note !== null) return ` ${theme.warning(plain(note))}`;
  const folders = scope === "here" ? "Tab all folders" : "Tab this folder";
  return hintLine(["Enter goes on", folders, "Ctrl+R renames", "Ctrl+D trash", "Esc closes"], { width, theme });
}
