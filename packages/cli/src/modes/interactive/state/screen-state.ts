/** Defines the state of the screen without its editor, changes the statuses and widgets of extensions, and toggles folding. Pure. */

import type { CompactionReason } from "@pith/agent";
import { toSafeLine, toSafeLines } from "@pith/host/text/safe-text";
import type { Keymap } from "../../../settings/keymap.ts";
import { formatKeyHint } from "../../../settings/keymap.ts";
import type { Block, ShellBlock } from "./blocks.ts";
import type { FooterData } from "./footer.ts";

export interface ExtensionWidgets {
  readonly statuses: Readonly<Record<string, string>>;
  readonly widgets: Readonly<Record<string, readonly string[]>>;
}

export const emptyExtensionWidgets: ExtensionWidgets = { statuses: {}, widgets: {} };

/** Undefined or empty text removes the status. */
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

/** Undefined or an empty list removes the widget. */
export function withWidget(
  extensionWidgets: ExtensionWidgets,
  key: string,
  lines: readonly string[] | undefined,
): ExtensionWidgets {
  const safeLines = lines && toSafeLines(lines.slice(0, MAX_WIDGET_LINES).join("\n"), MAX_WIDGET_LINES);
  return { ...extensionWidgets, widgets: setKey(extensionWidgets.widgets, key, lines?.length ? safeLines : undefined) };
}

/** Sorted by key, so that each status keeps its place. */
export function listStatuses({ statuses }: ExtensionWidgets): readonly string[] {
  return Object.entries(statuses)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, text]) => (text === "" ? [] : [text]));
}

/** In the order in which the widgets were added. */
export function listWidgetLines({ widgets }: ExtensionWidgets): readonly string[] {
  return Object.values(widgets).slice(0, MAX_WIDGETS).flat();
}

function setKey<Value>(record: Readonly<Record<string, Value>>, key: string, value: Value | "" | undefined) {
  const { [key]: previous, ...others } = record;
  if (value === undefined || value === "") return others;
  if (previous !== undefined) return { ...record, [key]: value };
  return Object.keys(record).length >= MAX_KEYS ? record : { ...record, [key]: value };
}

// Extensions may use only a part of the screen.
const MAX_STATUS_CHARS = 30;
const MAX_WIDGET_LINES = 10;
const MAX_WIDGETS = 3;
/** Limits the keys of an extension that creates new ones again and again. They are removed at the latest when the session is left. */
const MAX_KEYS = 50;

export interface ScreenState {
  /** Blocks that are not printed yet, oldest first. */
  readonly blocks: readonly Block[];
  /** The number of ids created for blocks without an entry or call. */
  readonly serial: number;
  /** The kind of the last printed block, directly above the first of `blocks`. Null if none was printed. */
  readonly lastPrintedKind: Block["kind"] | null;
  /** Whether foldable blocks are shown in full. */
  readonly isUnfolded: boolean;
  readonly activity: Activity;
  /** The user's shell lines that are not in the log yet. They are shown below all other blocks. */
  readonly pendingShellBlocks: readonly ShellBlock[];
  /** Queued messages, each as one line. */
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  readonly footer: FooterData;
  readonly extensionWidgets: ExtensionWidgets;
  /** One line of help, for a new user or after an action. */
  readonly hint: string | null;
  /** Used by hints that name a key. Default: the default keymap. */
  readonly keymap?: Keymap;
}

/** The current work. */
export type Activity =
  | { readonly type: "idle" }
  | {
      readonly type: "running";
      readonly startedAt: number;
      readonly phase: "thinking" | "answering" | "working" | "waiting for your answer";
      /** The length of the newest reply so far. */
      readonly chars: number;
    }
  | { readonly type: "retrying"; readonly startedAt: number; readonly errorMessage: string; readonly retryAt: number }
  | {
      readonly type: "compacting";
      readonly startedAt: number;
      readonly reason: CompactionReason;
      /** Shown to the user, for example `summarizing, 1,200 tokens so far`. */
      readonly step: string;
      /** The compaction interrupts a run, which continues afterwards. */
      readonly isWithinRun?: true;
    }
  | { readonly type: "summarizing"; readonly startedAt: number; readonly step: string };

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

const EXPANDABLE_KINDS: readonly Block["kind"][] = [
  "user",
  "thinking",
  "tool",
  "shell",
  "compaction",
  "branch-summary",
];

/** Blocks above are already printed and cannot be redrawn. */
function describeFolding(isUnfolded: boolean, { keymap }: ScreenState): string {
  const key = formatKeyHint("transcript", "shows earlier output.", keymap);
  return `${isUnfolded ? "Nothing to expand. New output appears in full." : "Nothing to collapse. New output will be collapsed."}${key && ` ${key}`}`;
}
