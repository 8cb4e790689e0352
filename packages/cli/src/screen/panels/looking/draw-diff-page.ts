/** The page of what was changed, drawn: files with what came and went, then lines in the inks of a diff. Pure. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import type { ChangedFile } from "../../../commands/looking/changed-file.ts";
import { counted } from "../../../printing/amounts.ts";
import { plainLine } from "../../../printing/plain-line.ts";
import { patchLine } from "../../drawing/lines/patch-line.ts";
import type { Theme } from "../../drawing/theme.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import type { Sight } from "../panel.ts";
import { type DiffState, LIST_ROWS, patchRows } from "./diff-state.ts";

export function drawDiffPage({ files, walk, from }: DiffState, { width, height, theme }: Sight): readonly string[] {
  const head = ` ${theme.strong("What this session changed")}  ${theme.dim(sums(files))}`;
  const rule = theme.border("─".repeat(width));
  const listed = files
    .slice(walk.top, walk.top + LIST_ROWS)
    .map((file, at) => row(file, { isChosen: walk.top + at === walk.at, theme }));
  const hints = ["↑↓ files", "Space b j k scroll", ...more(walk.top + LIST_ROWS, files.length), "Esc closes"];
  const room = Math.max(1, height - listed.length - 5);
  const shown = patchRows(files[walk.at])
    .slice(from, from + room)
    .map((line) => patchLine(line, theme));
  const body = [...shown, ...Array.from({ length: room - shown.length }, () => "")];
  return [head, rule, ...listed, rule, ...body, rule, hintLine(hints, { width, theme })].map((line) =>
    truncateToWidth(line, width),
  );
}

function sums(files: readonly ChangedFile[]): string {
  const sum = (field: "added" | "removed"): number => files.reduce((all, file) => all + file[field], 0);
  return `${counted(files.length, "file")} · +${sum("added")} −${sum("removed")}`;
}

function more(seen: number, count: number): readonly string[] {
  return count > seen ? [`${count - seen} more below`] : [];
}

interface RowInks {
  readonly isChosen: boolean;
  readonly theme: Theme;
}

function row({ path, kind, added, removed }: ChangedFile, { isChosen, theme }: RowInks): string {
  const [came, went] = [added === 0 ? "" : `+${added}`, removed === 0 ? "" : `−${removed}`];
  const counts = `${theme.added(came.padStart(6))} ${theme.removed(went.padStart(6))}`;
  const name = ` ${plainLine(path)}`;
  const mark = kind === "changed" ? "" : theme.dim(`  ${kind === "same" ? "as before" : kind}`);
  return ` ${isChosen ? theme.accent("❯") : " "} ${counts} ${isChosen ? theme.accent(name) : name}${mark}`;
}
