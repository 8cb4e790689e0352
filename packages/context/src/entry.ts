/** Defines the entries of a session file, one per line. Entries are never changed or removed, only appended. */

import type {
  AgentMessage,
  AssistantMessage,
  CustomMessage,
  SystemMessage,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./message.ts";

/** The first line of a session file. `pith` marks a file whose lines carry checksums. */
export interface Header {
  readonly type: "session";
  /** Absent means 1. */
  readonly version?: number;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  /** The file this session was forked from. */
  readonly parentSession?: string;
  readonly pith?: HeaderMark;
}

export interface HeaderMark {
  /** Lines carry checksums. Absent in an export for other programs. */
  readonly format?: 1;
  /** The highest number of the log that this file was copied from: entries that did not come along keep theirs. */
  readonly lastNumber?: number;
}

/** One line of a session file. */
export type Entry =
  | MessageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomMessageEntry
  | ContextEditEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | ActiveToolsChangeEntry
  | LabelEntry
  | SessionInfoEntry
  | UsageEntry
  | CustomEntry
  | UnknownEntry
  | GapEntry;

/** What every entry has: its place in the tree, its time and its kind. */
export interface SessionEntryBase extends EntryIdentity {
  readonly type: string;
}

interface EntryIdentity {
  readonly id: string;
  /** Null for a root. */
  readonly parentId: string | null;
  /** ISO. For people: order comes from the place in the file, never from here. */
  readonly timestamp: string;
  /** Given once and never reused; a citation `[#412]` names it. A store gives one also to lines that other programs wrote. */
  readonly number?: number;
}

export interface MessageEntry extends EntryIdentity {
  readonly type: "message";
  readonly message: AgentMessage;
}

/** From here on the model sees `summary` and what was kept, beginning with `firstKeptEntryId`; its own id keeps nothing. */
export interface CompactionEntry<Details = unknown> extends EntryIdentity {
  readonly type: "compaction";
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: Details;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
  /** System state at this point, folded into one message. */
  readonly systemMessage?: SystemMessage;
}

/** What happened on a branch that was left; `fromId` is the leaf it was left at, or "root". */
export interface BranchSummaryEntry<Details = unknown> extends EntryIdentity {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: Details;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
}

/** The details of a compaction that no hook made: the files that were only read, and those that were written or edited. */
export interface CompactionDetails {
  readonly readFiles: string[];
  readonly modifiedFiles: string[];
}

/** The same for the summary of a branch that was left. */
export type BranchSummaryDetails = CompactionDetails;

export interface CustomMessageEntry extends EntryIdentity {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: CustomMessage["content"];
  readonly display: boolean;
  readonly details?: unknown;
}

/** Changes what one earlier entry gives to the context; null removes it from there. The entry itself stays. */
export interface ContextEditEntry extends EntryIdentity {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: { readonly content: ReplacementContent } | null;
  /** A compaction made it, for want of room: what the user pinned stays pinned as it was. */
  readonly pith?: { readonly reduced: true };
}

export type ReplacementContent =
  | UserMessage["content"]
  | AssistantMessage["content"]
  | ToolResultMessage["content"]
  | CustomMessage["content"];

export interface ModelChangeEntry extends EntryIdentity {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
}

export interface ThinkingLevelChangeEntry extends EntryIdentity {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: string;
}

export interface ActiveToolsChangeEntry extends EntryIdentity {
  readonly type: "active_tools_change";
  readonly activeToolNames: readonly string[];
}

/** A name for an entry; without `label` the name is taken away. The latest in the file counts. */
export interface LabelEntry extends EntryIdentity {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

/** The session's name; the latest in the file counts, an empty one takes the name away. */
export interface SessionInfoEntry extends EntryIdentity {
  readonly type: "session_info";
  readonly name?: string;
}

/** Tokens spent beside the conversation, e.g. to keep a cache warm. */
export interface UsageEntry extends EntryIdentity {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly note?: string;
}

/** Anyone's state; never in the context. Pith's own begin with `pith.`. */
export interface CustomEntry extends EntryIdentity {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: unknown;
}

/** A line of a kind we do not know, or whose fields are not what its kind promises. It keeps its place in the tree. */
export interface UnknownEntry extends EntryIdentity {
  readonly type: "unknown";
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Where an entry was lost: it takes the lost one's place, so that what lies before and after stays connected. */
export interface GapEntry extends EntryIdentity {
  readonly type: "gap";
  readonly why: string;
  /** What the lost entry was, where its line still says so. */
  readonly kind?: LostKind;
}

/** The role of a lost message, or the kind of another lost entry. */
export type LostKind =
  | "user"
  | "assistant"
  | "toolResult"
  | "system"
  | "bashExecution"
  | Exclude<Entry["type"], "message" | "unknown" | "gap">;

/** An entry before it has a place: a session adds id, parent and time. Gaps are found, never said. */
export type EntryContent = WithoutIdentity<Exclude<Entry, GapEntry>>;

type WithoutIdentity<Each> = Each extends Entry ? Omit<Each, keyof EntryIdentity> : never;

/** The custom entry that stores a move: its parent is the place moved to, so the last line lies on the active branch. */
export const MOVE_TYPE = "pith.leaf";

/** The kind of the custom message that states working folder, date and git branch. */
export const ENVIRONMENT_TYPE = "pith.surroundings";

/** The kind of the custom message that states how things are, in the words of an extension. */
export const STATE_TYPE = "pith.state";

/** Whether it states how things are now: that is stated anew after a compaction, so no summary repeats it. */
export function isStateEntry(entry: Entry): boolean {
  return entry.type === "custom_message" && (entry.customType === ENVIRONMENT_TYPE || entry.customType === STATE_TYPE);
}

/** The kind of what the user pinned: a custom entry that names another one, or a custom message with words of its own. */
export const PIN_TYPE = "pith.pin";

/** The custom entry that takes a pin away. */
export const UNPIN_TYPE = "pith.unpin";

/** The custom entry that stops automatic compactions because they no longer help; it says what fills the window. */
export const BREAKER_TYPE = "pith.breaker";

/** The kind of a usage entry for a summary that was paid for and not used. */
export const COMPACTION_USAGE = "compaction";

/** The same for the summary of a branch that was left. */
export const BRANCH_USAGE = "branch_summary";

/** The kind of a usage entry for a reply that broke off and was asked for again. */
export const RETRY_USAGE = "retry";
