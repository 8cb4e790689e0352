/** Implements `/diff`: a page of the files a session changed, with the changes of the selected file below them. */

import type { ChangedFile } from "../../../commands/session-changes.ts";
import { counted } from "../../../text/format.ts";
import { plainLine } from "../../../text/safe-text.ts";
import { patchLine } from "../render/diff.ts";
import type { Theme } from "../render/theme.ts";
import type { Opener } from "../screen-context.ts";
import { truncateToWidth } from "../terminal/pi-tui.ts";
import { answered, goesOn, type Panel, type Pressed, type Sight } from "./panel.ts";
import { atTop, hintLine, type Walk, walked } from "./widgets.ts";

export interface DiffState {
  readonly files: readonly ChangedFile[];
  readonly walk: Walk;
  /** The first line of its changes that is seen. */
  readonly from: number;
}

/** Files that are seen at once. */
export const LIST_ROWS = 6;

/** All lines of a file's changes, notes first. */
export function patchRows(file: ChangedFile | undefined): readonly string[] {
  if (!file) return [];
  return [...file.notes.map((note) => `# ${note}`), ...(file.patch === "" ? [] : file.patch.split("\n"))];
}

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

export function diffPanel(files: readonly ChangedFile[]): Panel<DiffState, null> {
  return { start: { files, walk: atTop, from: 0 }, press, draw: drawDiffPage };
}

function press(state: DiffState, key: string): Pressed<DiffState, null> | null {
  const { files, walk } = state;
  if (key === "q") return answered(null);
  const moved = key === "up" || key === "down" ? walked(walk, key, { count: files.length, rows: LIST_ROWS }) : null;
  if (moved) return goesOn({ ...state, walk: moved, from: moved.at === walk.at ? state.from : 0 });
  const by = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (by === undefined) return null;
  const last = Math.max(0, patchRows(files[walk.at]).length - 1);
  return goesOn({ ...state, from: Math.max(0, Math.min(last, state.from + by)) });
}

const steps: Readonly<Record<string, number>> = {
  pageDown: 12,
  space: 12,
  " ": 12,
  pageUp: -12,
  b: -12,
  j: 1,
  k: -1,
  home: Number.NEGATIVE_INFINITY,
  g: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};

export const diffOnScreen: Opener = async (words, { ready, desk, screen }) => {
  if (words !== "") return false;
  const { sessionChanges } = await import("../../../commands/session-changes.ts");
  const files = ready.built.agent.session.redact(await sessionChanges(desk));
  if (files.length === 0) return false;
  await screen.ask(diffPanel(files), { where: "page" });
  return true;
};
