/** Defines the state of the screen without the editor, the statuses and widgets of extensions, and folding. Pure. */

import type { CompactionReason } from "@pith/agent";
import type { Keymap } from "../../../settings/keymap.ts";
import { keyTold } from "../../../settings/keymap-text.ts";
import { harmlessLine, harmlessLines } from "../../../text/safe-text.ts";
import type { Block, ShellLine } from "./blocks.ts";
import type { Facts } from "./footer.ts";

export interface Signs {
  readonly statuses: Readonly<Record<string, string>>;
  readonly widgets: Readonly<Record<string, readonly string[]>>;
}

export const noSigns: Signs = { statuses: {}, widgets: {} };

/** Undefined takes it away. */
export function withStatus(signs: Signs, key: string, text: string | undefined): Signs {
  return { ...signs, statuses: placed(signs.statuses, key, text && harmlessLine(text, LONGEST_STATUS)) };
}

/** None are as good as undefined. */
export function withWidget(signs: Signs, key: string, lines: readonly string[] | undefined): Signs {
  const shown = lines && harmlessLines(lines.slice(0, MOST_LINES).join("\n"), MOST_LINES);
  return { ...signs, widgets: placed(signs.widgets, key, lines?.length ? shown : undefined) };
}

/** By their keys, so that they keep their places. */
export function statusWords({ statuses }: Signs): readonly string[] {
  return Object.entries(statuses)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, text]) => (text === "" ? [] : [text]));
}

/** In the order in which they came. */
export function widgetLines({ widgets }: Signs): readonly string[] {
  return Object.values(widgets).slice(0, MOST_WIDGETS).flat();
}

function placed<Sign>(all: Readonly<Record<string, Sign>>, key: string, sign: Sign | "" | undefined) {
  const { [key]: before, ...others } = all;
  if (sign === undefined || sign === "") return others;
  if (before !== undefined) return { ...all, [key]: sign };
  return Object.keys(all).length >= MOST_KEYS ? all : { ...all, [key]: sign };
}

// Extensions never get more than a part of the screen.
const LONGEST_STATUS = 30;
const MOST_LINES = 10;
const MOST_WIDGETS = 3;
/** However many it makes up, they are forgotten no later than the session. */
const MOST_KEYS = 50;

export interface ScreenState {
  /** What is not printed yet, oldest first. */
  readonly blocks: readonly Block[];
  /** How many blocks were given an id here, since they had none of an entry or call. */
  readonly serial: number;
  /** What was printed last, just above the first of the blocks; null for nothing. */
  readonly above: Block["kind"] | null;
  /** Whether folded blocks are shown whole. */
  readonly isUnfolded: boolean;
  readonly work: Work;
  /** Shell lines of the user's own that are not in the log yet: they stand below all that is. */
  readonly shell: readonly ShellLine[];
  /** What waits to be heard, each in one line. */
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  /** What the footer tells. */
  readonly facts: Facts;
  /** What extensions show. */
  readonly signs: Signs;
  /** One line for who is new, or who has just done something. */
  readonly hint: string | null;
  /** Which key does what, for hints that name one; absent: as usual. */
  readonly keymap?: Keymap;
}

/** What is under way. */
export type Work =
  | { readonly type: "idle" }
  | {
      readonly type: "running";
      readonly since: number;
      readonly doing: "thinking" | "answering" | "working";
      /** Of the newest reply, so far. */
      readonly letters: number;
    }
  | { readonly type: "retrying"; readonly since: number; readonly why: string; readonly at: number }
  | {
      readonly type: "compacting";
      readonly since: number;
      readonly reason: CompactionReason;
      /** For people, e.g. `tells it in short, 1,200 tokens so far`. */
      readonly step: string;
      /** In the middle of a run, which goes on afterwards. */
      readonly isWithinRun?: true;
    }
  | { readonly type: "summarising"; readonly since: number; readonly step: string };

/** Before anything is known. */
export const nothingShown: ScreenState = {
  blocks: [],
  serial: 0,
  above: null,
  isUnfolded: false,
  work: { type: "idle" },
  shell: [],
  queue: { steering: [], followUp: [] },
  facts: {
    model: "",
    thinking: "",
    folder: "",
    gitBranch: null,
    sessionName: null,
    place: null,
    cost: null,
    isSandboxed: null,
    mode: null,
    meter: null,
  },
  signs: noSigns,
  hint: null,
};

export function openOrClose(state: ScreenState): ScreenState {
  const isUnfolded = !state.isUnfolded;
  const isSeen = [...state.blocks, ...state.shell].some(canBeOpened);
  return { ...state, isUnfolded, hint: isSeen ? state.hint : changeTold(isUnfolded, state) };
}

function canBeOpened({ kind }: Block): boolean {
  return OPENED.includes(kind);
}

const OPENED: readonly Block["kind"][] = ["said", "thought", "called", "shell", "compacted", "branch-told"];

/** What stands above is printed, and the terminal's. */
function changeTold(isUnfolded: boolean, { keymap }: ScreenState): string {
  const key = keyTold("transcript", "opens what stands above.", keymap);
  return `What comes next is shown ${isUnfolded ? "whole" : "folded"}.${key && ` ${key}`}`;
}
