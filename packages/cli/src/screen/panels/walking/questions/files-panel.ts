/** Files that were changed on the way: which can be put back and which not, with what that would change in each. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { PlannedFile } from "@pith/agent";
import { oneLine } from "../../../../printing/one-line.ts";
import { plain } from "../../../../printing/plain.ts";
import type { Theme } from "../../../drawing/theme.ts";
import { answered, goesOn, type Panel, type Pressed, type Sight } from "../../panel.ts";
import { isRestorable, pathShown, verdictOn } from "./file-row.ts";

export interface FilesParts {
  readonly files: readonly PlannedFile[];
  readonly folder: string;
  /** What putting it back would change, as a unified diff or a sentence. */
  readonly diff: (file: PlannedFile) => Promise<string>;
}

export interface FilesState {
  readonly at: number;
  /** By path. */
  readonly diffs: ReadonlyMap<string, string>;
  /** Lines of the diff that were scrolled away. */
  readonly from: number;
}

export type FilesAnswer = "put-back" | "leave";

export function filesPanel(parts: FilesParts): Panel<FilesState, FilesAnswer> {
  const some = parts.files.some(isRestorable);
  return {
    start: { at: 0, diffs: new Map(), from: 0 },
    press: (state, key) => {
      if (some && (key === "y" || key === "enter")) return answered("put-back");
      if (key === "n" || (!some && key === "enter")) return answered("leave");
      return walked(state, key, parts.files.length);
    },
    draw: (state, sight) => drawFiles(state, sight, parts),
    learns: async (learn, signal) => {
      for (const file of parts.files) {
        if (signal.aborted) return;
        const diff = await parts.diff(file);
        learn((state) => ({ ...state, diffs: new Map([...state.diffs, [file.path, diff]]) }));
      }
    },
  };
}

function walked(state: FilesState, key: string, count: number): Pressed<FilesState, FilesAnswer> | null {
  const to = (at: number) => goesOn({ ...state, at: Math.max(0, Math.min(at, count - 1)), from: 0 });
  switch (key) {
    case "up":
      return to(state.at - 1);
    case "down":
      return to(state.at + 1);
    case "home":
      return to(0);
    case "end":
      return to(count - 1);
    case "pageDown":
    case "shift+down":
      return goesOn({ ...state, from: state.from + 8 });
    case "pageUp":
    case "shift+up":
      return goesOn({ ...state, from: Math.max(0, state.from - 8) });
    default:
      return null;
  }
}

function drawFiles({ at, diffs, from }: FilesState, sight: Sight, { files, folder }: FilesParts): readonly string[] {
  const { width, height, theme } = sight;
  const border = theme.border("─".repeat(width));
  const many = Math.max(1, Math.min(files.length, Math.floor((height - 5) / 2)));
  const top = Math.max(0, Math.min(at - Math.floor(many / 2), files.length - many));
  const column = Math.min(width >> 1, Math.max(...files.map(({ path }) => visibleWidth(shown(path, folder)))));
  const rows = files.slice(top, top + many).map((file, index) => {
    const look = { folder, column, theme, isChosen: top + index === at };
    return drawFile(file, look);
  });
  const head = [theme.strong(" Files were changed on the way. Put them back as they were?"), border, ...rows, border];
  const diff = diffLines(diffs.get(files[at]?.path ?? "") ?? " reading …", theme);
  const room = Math.max(0, height - head.length - 1);
  const seen = diff.slice(Math.min(from, Math.max(0, diff.length - room))).slice(0, room);
  const body = Array.from({ length: room }, (_, index) => seen[index] ?? "");
  return [...head, ...body, footOf(files, theme)].map((line) => truncateToWidth(line, width));
}

interface FileLook {
  readonly folder: string;
  readonly column: number;
  readonly theme: Theme;
  readonly isChosen: boolean;
}

function drawFile(file: PlannedFile, { folder, column, theme, isChosen }: FileLook): string {
  const name = truncateToWidth(shown(file.path, folder), column, "…", true);
  const words = `${isChosen ? "❯" : " "} ${isRestorable(file) ? "✓" : "✗"} ${name}`;
  const verdict = theme[isRestorable(file) ? "good" : "warning"](verdictOn(file));
  return ` ${isChosen ? theme.accent(words) : words}  ${verdict}`;
}

function shown(path: string, folder: string): string {
  return plain(oneLine(pathShown(path, folder)));
}

function diffLines(diff: string, theme: Theme): readonly string[] {
  return plain(diff)
    .replaceAll("\t", "    ")
    .split("\n")
    .map((line) => {
      if (line.startsWith("+") && !line.startsWith("+++")) return theme.added(` ${line}`);
      if (line.startsWith("-") && !line.startsWith("---")) return theme.removed(` ${line}`);
      return theme.dim(` ${line}`);
    });
}

function footOf(files: readonly PlannedFile[], theme: Theme): string {
  const count = files.filter(isRestorable).length;
  if (count === 0) return theme.dim(" None of them can be put back  n go, and leave them as they are  Esc stay");
  const these = count === 1 ? "1 file" : `${count} files`;
  return theme.dim(` y put ${these} back, and go  n go, and leave all as they are  Esc stay`);
}
