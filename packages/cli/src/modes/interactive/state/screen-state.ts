/** Defines the state of the screen without the editor, the statuses and widgets of extensions, and folding. Pure. */

import type { CompactionReason } from "@pith/agent";
import type { Keymap } from "../../../settings/keymap.ts";
import { formatKeyHint } from "../../../settings/keymap.ts";
import { toSafeLine, toSafeLines } from "../../../text/safe-text.ts";
import type { Block, ShellBlock } from "./blocks.ts";
import type { FooterData } from "./footer.ts";

export interface ExtensionWidgets {
  readonly statuses: Readonly<Record<string, string>>;
  readonly widgets: Readonly<Record<string, readonly string[]>>;
}

export const emptyExtensionWidgets: ExtensionWidgets = { statuses: {}, widgets: {} };

/** Undefined takes it away. */
export function withStatus(
  extensionWidgets: ExtensionWidgets,
  key: string,
  text: string | undefined,
): ExtensionWidgets {
  return {
    ...extensionWidgets,
    statuses: setKey(extensionWidgets.statuses, key, text && toSafeLine(text, MAX_STATUS_CHARS)),
  };
}

/** None are as good as undefined. */
export function withWidget(
  extensionWidgets: ExtensionWidgets,
  key: string,
  lines: readonly string[] | undefined,
): ExtensionWidgets {
  const safeLines = lines && toSafeLines(lines.slice(0, MAX_WIDGET_LINES).join("\n"), MAX_WIDGET_LINES);
  return { ...extensionWidgets, widgets: setKey(extensionWidgets.widgets, key, lines?.length ? safeLines : undefined) };
}

/** By their keys, so that they keep their places. */
export function listStatuses({ statuses }: ExtensionWidgets): readonly string[] {
  return Object.entries(statuses)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, text]) => (text === "" ? [] : [text]));
}

/** In the order in which they came. */
export function listWidgetLines({ widgets }: ExtensionWidgets): readonly string[] {
  return Object.values(widgets).slice(0, MAX_WIDGETS).flat();
}

function setKey<Sign>(record: Readonly<Record<string, Sign>>, key: string, value: Sign | "" | undefined) {
  const { [key]: previous, ...others } = record;
  if (value === undefined || value === "") return others;
  if (previous !== undefined) return { ...record, [key]: value };
  return Object.keys(record).length >= MAX_KEYS ? record : { ...record, [key]: value };
}

// Extensions never get more than a part of the screen.
const MAX_STATUS_CHARS = 30;
const MAX_WIDGET_LINES = 10;
const MAX_WIDGETS = 3;
/** However many it makes up, they are forgotten no later than the session. */
const MAX_KEYS = 50;

export interface ScreenState {
  /** What is not printed yet, oldest first. */
  readonly blocks: readonly Block[];
  /** How many blocks were given an id here, since they had none of an entry or call. */
  readonly serial: number;
  /** What was printed last, just above the first of the blocks; null for nothing. */
  readonly lastPrintedKind: Block["kind"] | null;
  /** Whether folded blocks are shown whole. */
  readonly isUnfolded: boolean;
  readonly activity: Activity;
  /** Shell lines of the user's own that are not in the log yet: they stand below all that is. */
  readonly pendingShellBlocks: readonly ShellBlock[];
  /** What waits to be heard, each in one line. */
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  /** What the footer tells. */
  readonly footer: FooterData;
  /** What extensions show. */
  readonly extensionWidgets: ExtensionWidgets;
  /** One line for who is new, or who has just done something. */
  readonly hint: string | null;
  /** Which key does what, for hints that name one; absent: as usual. */
  readonly keymap?: Keymap;
}

/** What is under way. */
export type Activity =
  | { readonly type: "idle" }
  | {
      readonly type: "running";
      readonly startedAt: number;
      readonly phase: "thinking" | "answering" | "working";
      /** Of the newest reply, so far. */
      readonly chars: number;
    }
  | { readonly type: "retrying"; readonly startedAt: number; readonly errorMessage: string; readonly retryAt: number }
  | {
      readonly type: "compacting";
      readonly startedAt: number;
      readonly reason: CompactionReason;
      /** For people, e.g. `tells it in short, 1,200 tokens so far`. */
      readonly step: string;
      /** In the middle of a run, which goes on afterwards. */
      readonly isWithinRun?: true;
    }
  | { readonly type: "summarising"; readonly startedAt: number; readonly step: string };

/** Before anything is known. */
export const initialScreenState: ScreenState = {
  blocks: [],
  serial: 0,
  lastPrintedKind: null,
  isUnfolded: false,
  activity: { type: "idle" },
  pendingShellBlocks: [],
  queue: { steering: [], followUp: [] },
  footer: {
    model: "",
    thinkingLevel: "",
    folder: "",
    gitBranch: null,
    sessionName: null,
    treePosition: null,
    cost: null,
    isSandboxed: null,
    permissionMode: null,
    meter: null,
  },
  extensionWidgets: emptyExtensionWidgets,
  hint: null,
};

export function toggleFolding(state: ScreenState): ScreenState {
  const isUnfolded = !state.isUnfolded;
  const hasFoldable = [...state.blocks, ...state.pendingShellBlocks].some(isExpandable);
  return { ...state, isUnfolded, hint: hasFoldable ? state.hint : describeFolding(isUnfolded, state) };
}

function isExpandable({ kind }: Block): boolean {
  return EXPANDABLE_KINDS.includes(kind);
}

const EXPANDABLE_KINDS: readonly Block["kind"][] = ["said", "thought", "called", "shell", "compacted", "branch-told"];

/** What stands above is printed, and the terminal's. */
function describeFolding(isUnfolded: boolean, { keymap }: ScreenState): string {
  const key = formatKeyHint("transcript", "opens what stands above.", keymap);
  return `What comes next is shown ${isUnfolded ? "whole" : "folded"}.${key && ` ${key}`}`;
}
