/** Defines the questions asked before moving in the tree: summarise the branch left, put files back, and a line of input. */

import { relative } from "node:path/posix";
import type { PlannedFile } from "@pith/agent";
import { counted } from "../../../../text/format.ts";
import { plain, plainLine } from "../../../../text/safe-text.ts";
import { patchLine } from "../../render/diff.ts";
import { cell } from "../../render/text.ts";
import type { Theme } from "../../render/theme.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../../terminal/pi-tui.ts";
import { type Choice, choice } from "../choice.ts";
import { answered, type GoesOn, goesOn, type Panel, type Sight } from "../panel.ts";
import { drawLine, emptyLine, hintLine, type LineInput, typedInto, type Walk } from "../widgets.ts";

export type Leaving = "just-go" | "tell" | "tell-with-focus" | "fork";

export interface LeaveParts {
  /** Entries that are left, as far as people see them. */
  readonly count: number;
  /** Whether a session of its own can be made. */
  readonly canFork: boolean;
  /** Whether there is somebody who could write a summary. */
  readonly canTell: boolean;
}

export function leaveQuestion({ count, canFork, canTell }: LeaveParts): Panel<Walk, Leaving> {
  const told = `${counted(count, "entry stays", "entries stay")} behind on this branch`;
  return choice<Leaving>({
    title: canTell ? "Summarise what you leave?" : "Leave this branch?",
    body: ({ theme }) => [theme.dim(` ${told} · Esc stays`)],
    options: [
      { key: "n", label: canTell ? "No, just go" : "Go", says: "the branch stays in the tree", value: "just-go" },
      ...(canTell ? telling : []),
      ...(canFork ? [{ key: "k", label: "Fork instead", says: FORK, value: "fork" as const }] : []),
    ],
  });
}

const telling: Choice<Leaving>["options"] = [
  { key: "y", label: "Yes", says: "a summary of it stands where you go on", value: "tell" },
  { key: "f", label: "Yes, with a focus …", says: "you say what matters", value: "tell-with-focus" },
];

const FORK = "a new session from there; this one stays as it is";

export interface LineQuestion {
  readonly title: string;
  /** What its keys do. */
  readonly hints: readonly string[];
}

/** An empty line is an answer, too. */
export function oneLinePanel({ title, hints }: LineQuestion): Panel<LineInput, string> {
  return {
    start: emptyLine,
    press: (line, key) => {
      if (key === "enter") return answered(line.text.trim());
      const typed = typedInto(line, key);
      return typed && goesOn(typed);
    },
    draw: (line, { width, theme }) => [
      theme.border("─".repeat(width)),
      theme.strong(` ${plain(title)}`),
      ...wrapTextWithAnsi(` ${drawLine(line, theme)}`, width),
      hintLine(hints, { width, theme }),
    ],
  };
}

/** Whether it can be put back as it was. */
export function isRestorable({ type }: PlannedFile): boolean {
  return type === "restore" || type === "remove";
}

export function verdictOn({ type, hasForeignChanges, why }: PlannedFile): string {
  const others = hasForeignChanges ? "; others changed it in between, which goes, too" : "";
  switch (type) {
    case "restore":
      return `will be as it was${others}`;
    case "remove":
      return `will be removed: it was not there${others}`;
    case "same":
      return "is as it should be";
    case "conflict":
      return "stays: somebody else changed it since";
    case "lost":
      return "stays: what it was before is no longer kept";
    case "not-permitted":
      return `stays: ${why}`;
  }
}

/** Within the folder without the folder's own path. */
export function pathShown(path: string, folder: string): string {
  const short = relative(folder, path);
  return short === "" || short.startsWith("..") ? path : short;
}

export interface FilesParts {
  readonly files: readonly PlannedFile[];
  readonly folder: string;
  /** What putting it back would change, as a unified diff or a sentence. */
  readonly diff: (file: PlannedFile) => Promise<string>;
}

export interface FilesState {
  readonly at: number;
  /** In lines, by path, of those that were looked at. */
  readonly diffs: ReadonlyMap<string, readonly string[]>;
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
      const next = walked(state, key, parts.files);
      return next && read(next, parts);
    },
    draw: (state, sight) => drawFiles(state, sight, parts),
    learns: async (learn) => {
      const [first] = parts.files;
      if (first) learn(await diffOf(first, parts));
    },
  };
}

function walked(state: FilesState, key: string, files: readonly PlannedFile[]): FilesState | null {
  const to = (at: number) => ({ ...state, at: Math.max(0, Math.min(at, files.length - 1)), from: 0 });
  const last = Math.max(0, (state.diffs.get(files[state.at]?.path ?? "")?.length ?? 0) - 1);
  switch (key) {
    case "up":
      return to(state.at - 1);
    case "down":
      return to(state.at + 1);
    case "home":
      return to(0);
    case "end":
      return to(files.length - 1);
    case "pageDown":
    case "shift+down":
    case "space":
      return { ...state, from: Math.min(last, state.from + 8) };
    case "pageUp":
    case "shift+up":
      return { ...state, from: Math.max(0, state.from - 8) };
    default:
      return null;
  }
}

/** With the changes of the file one is at, once they were found. */
function read(state: FilesState, parts: FilesParts): GoesOn<FilesState> {
  const file = parts.files[state.at];
  if (!file || state.diffs.has(file.path)) return goesOn(state);
  return { ...goesOn(state), later: async () => await diffOf(file, parts) };
}

async function diffOf(file: PlannedFile, { diff }: FilesParts): Promise<(state: FilesState) => FilesState> {
  const lines = plain(await diff(file))
    .replaceAll("\t", "    ")
    .split("\n");
  return (state) => ({ ...state, diffs: new Map([...state.diffs, [file.path, lines]]) });
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
  const diff = diffs.get(files[at]?.path ?? "") ?? ["reading …"];
  const room = Math.max(0, height - head.length - 1);
  const start = Math.min(from, Math.max(0, diff.length - room));
  const body = Array.from({ length: room }, (_, index) => patchLine(diff[start + index] ?? "", theme));
  return [...head, ...body, hintLine(hintsFor(files), sight)].map((line) => truncateToWidth(line, width));
}

interface FileLook {
  readonly folder: string;
  readonly column: number;
  readonly theme: Theme;
  readonly isChosen: boolean;
}

function drawFile(file: PlannedFile, { folder, column, theme, isChosen }: FileLook): string {
  const name = cell(shown(file.path, folder), column);
  const words = `${isChosen ? "❯" : " "} ${isRestorable(file) ? "✓" : "✗"} ${name}`;
  const verdict = theme[isRestorable(file) ? "good" : "warning"](verdictOn(file));
  return ` ${isChosen ? theme.accent(words) : words}  ${verdict}`;
}

function shown(path: string, folder: string): string {
  return plainLine(pathShown(path, folder));
}

function hintsFor(files: readonly PlannedFile[]): readonly string[] {
  const count = files.filter(isRestorable).length;
  const back = count === 0 ? "none of them can be put back" : `y puts ${counted(count, "file")} back, and goes`;
  return [back, `n goes, and leaves ${count === 0 ? "them" : "all"} as they are`, "Esc stays"];
}
