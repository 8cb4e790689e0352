/** The page of what was changed, drawn: files with what came and went, then lines in the inks of a diff. Pure. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import type { ChangedFile } from "../../../commands/looking/changed-file.ts";
import { oneLine } from "../../../printing/one-line.ts";
import { plain } from "../../../printing/plain.ts";
import type { Theme } from "../../drawing/theme.ts";
import type { Sight } from "../panel.ts";
import { type DiffState, LIST_ROWS, patchRows } from "./diff-state.ts";

export function drawDiffPage({ files, walk, from }: DiffState, { width, height, theme }: Sight): readonly string[] {
  const head = ` ${theme.strong("What this session changed")}  ${theme.dim(sums(files))}`;
  const rule = theme.border("─".repeat(width));
  const listed = files
    .slice(walk.top, walk.top + LIST_ROWS)
    .map((file, at) => row(file, { isChosen: walk.top + at === walk.at, theme }));
  const foot = theme.dim(
    ` ↑↓ file · space, b, j, k its changes · Esc closes${more(walk.top + LIST_ROWS, files.length)}`,
  );
  const room = Math.max(1, height - listed.length - 5);
  const shown = patchRows(files[walk.at])
    .slice(from, from + room)
    .map((line) => inked(line, theme));
  const body = [...shown, ...Array.from({ length: room - shown.length }, () => "")];
  return [head, rule, ...listed, rule, ...body, rule, foot].map((line) => truncateToWidth(line, width));
}

function sums(files: readonly ChangedFile[]): string {
  const sum = (field: "added" | "removed"): number => files.reduce((all, file) => all + file[field], 0);
  return `${files.length === 1 ? "1 file" : `${files.length} files`} · +${sum("added")} −${sum("removed")}`;
}

function more(seen: number, count: number): string {
  return count > seen ? ` · ${count - seen} more below` : "";
}

interface RowInks {
  readonly isChosen: boolean;
  readonly theme: Theme;
}

function row({ path, kind, added, removed }: ChangedFile, { isChosen, theme }: RowInks): string {
  const [came, went] = [added === 0 ? "" : `+${added}`, removed === 0 ? "" : `−${removed}`];
  const counts = `${theme.added(came.padStart(6))} ${theme.removed(went.padStart(6))}`;
  const name = ` ${plain(oneLine(path))}`;
  const mark = kind === "changed" ? "" : theme.dim(`  ${kind === "same" ? "as before" : kind}`);
  return ` ${isChosen ? theme.accent("❯") : " "} ${counts} ${isChosen ? theme.accent(name) : name}${mark}`;
}

function inked(line: string, theme: Theme): string {
  const sign = line[0];
  // A line end of Windows is worth seeing only where it changed.
  const seen = sign === " " ? line.replace(/\r$/, "") : line;
  const text = ` ${plain(seen.slice(0, LONGEST).replaceAll("\t", "    "))}`;
  if (sign === "+") return theme.added(text);
  if (sign === "-") return theme.removed(text);
  return sign === "@" || sign === "#" || sign === "\\" ? theme.dim(text) : text;
}

/** Letters of a line: no terminal is wider. */
const LONGEST = 2_000;
