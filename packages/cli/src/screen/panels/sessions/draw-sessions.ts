/** The page of sessions as lines. Pure. */

import { plain } from "../../../printing/plain.ts";
import { atBothEnds, cell } from "../../drawing/lines/columns.ts";
import { fitted } from "../../drawing/lines/wrapped.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine } from "../../widgets/line-input.ts";
import type { Sight } from "../panel.ts";
import { drawPreview } from "./draw-preview.ts";
import { drawRow } from "./draw-row.ts";
import { AROUND, columns, listRoom, standing } from "./page-room.ts";
import { queryOf, type SessionRow, sessionRows } from "./session-rows.ts";
import type { SessionsPlace } from "./session-source.ts";
import type { SessionsState } from "./sessions-state.ts";
import { folderTold } from "./wording.ts";

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
