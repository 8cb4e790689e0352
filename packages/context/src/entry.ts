/** Defines the entries of a session file, one per line. Entries are appended and never changed or removed. */

import { isObject } from "./json.ts";
import type {
  AgentMessage,
  AssistantMessage,
  CustomMessage,
  SystemMessage,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./message.ts";

/** The first line of a session file. */
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

/** The fields that Pith adds to the header. */
export interface HeaderMark {
  /** Set if the lines have checksums. Absent in an export for other programs. */
  readonly format?: 1;
  /** The highest entry number of the file that this one was copied from, so that no number is reused. */
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

/** The fields of every entry: its position in the tree, its time and its type. */
export interface SessionEntryBase extends EntryIdentity {
  readonly type: string;
}

interface EntryIdentity {
  readonly id: string;
  /** Null for a root. */
  readonly parentId: string | null;
  /** ISO 8601, for display only: the order of entries is their order in the file. */
  readonly timestamp: string;
  /** A number that is never reused; a citation such as `[#412]` refers to it. A store also numbers lines of other programs. */
  readonly number?: number;
}

/** A message in the conversation. */
export interface MessageEntry extends EntryIdentity {
  readonly type: "message";
  readonly message: AgentMessage;
}

/** A compaction: the model now sees `summary` and the entries from `firstKeptEntryId` on. If that is its own id, nothing was kept. */
export interface CompactionEntry<Details = unknown> extends EntryIdentity {
  readonly type: "compaction";
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: Details;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
  /** The system messages up to this point, merged into one. */
  readonly systemMessage?: SystemMessage;
}

/** The summary of an abandoned branch. `fromId` is the leaf of that branch, or "root". */
export interface BranchSummaryEntry<Details = unknown> extends EntryIdentity {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: Details;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
}

/** The details of a compaction that no hook created: the files that were only read, and the files that were modified. */
export interface CompactionDetails {
  readonly readFiles: string[];
  readonly modifiedFiles: string[];
}

/** The details of a branch summary that no hook created. */
export type BranchSummaryDetails = CompactionDetails;

/** A message from an extension or from Pith itself; the model reads it as a user message. */
export interface CustomMessageEntry extends EntryIdentity {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: CustomMessage["content"];
  readonly display: boolean;
  readonly details?: unknown;
}

/** Replaces the content of an earlier entry in the context, or removes it (null). The entry itself does not change. */
export interface ContextEditEntry extends EntryIdentity {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: { readonly content: ReplacementContent } | null;
  /** Set if Pith shortened the entry, or removed it as `outdated` for this reason. A pin on the entry keeps the original text. */
  readonly pith?: { readonly reduced: true; readonly outdated?: string };
}

/** The content that a context edit puts in place of the original. */
export type ReplacementContent =
  | UserMessage["content"]
  | AssistantMessage["content"]
  | ToolResultMessage["content"]
  | CustomMessage["content"];

/** A change of the model. */
export interface ModelChangeEntry extends EntryIdentity {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
}

/** A change of the thinking level. */
export interface ThinkingLevelChangeEntry extends EntryIdentity {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: string;
}

/** A change of the active tools. */
export interface ActiveToolsChangeEntry extends EntryIdentity {
  readonly type: "active_tools_change";
  readonly activeToolNames: readonly string[];
}

/** Names an entry, or removes its name if `label` is absent. The last one in the file counts. */
export interface LabelEntry extends EntryIdentity {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

/** Names the session; an empty name removes it. The last one in the file counts. */
export interface SessionInfoEntry extends EntryIdentity {
  readonly type: "session_info";
  readonly name?: string;
}

/** Tokens spent outside the conversation, e.g. to keep a cache warm. */
export interface UsageEntry extends EntryIdentity {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly note?: string;
}

/** State of an extension or of Pith (`pith.…`). It is never in the context. */
export interface CustomEntry extends EntryIdentity {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: unknown;
}

/** A line of an unknown kind, or with invalid fields. It keeps its position in the tree. */
export interface UnknownEntry extends EntryIdentity {
  readonly type: "unknown";
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A placeholder for a lost entry, so that the entries before and after it stay connected. */
export interface GapEntry extends EntryIdentity {
  readonly type: "gap";
  readonly why: string;
  /** The kind of the lost entry, if its line still shows it. */
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

/** The content of an entry that is not in a session yet. The session adds id, parent and time. */
export type EntryContent = WithoutIdentity<Exclude<Entry, GapEntry>>;

type WithoutIdentity<Each> = Each extends Entry ? Omit<Each, keyof EntryIdentity> : never;

/** The type of the custom entry that stores a move. Its parent is the target, so the last line is on the active branch. */
export const MOVE_TYPE = "pith.leaf";

/** The type of the custom message with the working folder, the date and the git branch. */
export const ENVIRONMENT_TYPE = "pith.surroundings";

/** The type of the custom message with the current state of an extension. Other kinds of state add a suffix, as in `pith.state.files`. */
export const STATE_TYPE = "pith.state";

/** Returns the reference to an entry for the `read` tool: `#412`, or `entry:<id>` for an entry without a number. */
export function entryReference({ id, number }: Pick<Entry, "id" | "number">): string {
  return number === undefined ? `entry:${id}` : `#${number}`;
}

/** Whether an entry describes the current state. It is sent again after a compaction, so no summary repeats it. */
export function isStateEntry(entry: Entry): boolean {
  if (entry.type !== "custom_message") return false;
  return [ENVIRONMENT_TYPE, STATE_TYPE].includes(entry.customType) || entry.customType.startsWith(`${STATE_TYPE}.`);
}

/** The type of a pin: a custom entry that refers to another entry, or a custom message with its own text. */
export const PIN_TYPE = "pith.pin";
/** The type of the custom entry that removes a pin. */
export const UNPIN_TYPE = "pith.unpin";
/** The type of the custom entry that stops automatic compactions because they free too little. It lists what fills the context window. */
export const BREAKER_TYPE = "pith.breaker";

/** The kind of a usage entry for a compaction summary that was paid for but not used. */
export const COMPACTION_USAGE = "compaction";
/** The kind of a usage entry for a branch summary that was paid for but not used. */
export const BRANCH_USAGE = "branch_summary";
/** The kind of a usage entry for a reply that broke off and was requested again. */
export const RETRY_USAGE = "retry";

/** The fields of `details.pith`, where Pith stores its data in compactions, branch summaries and tool results. They come from a file, so each is checked by the code that uses it. */
export interface PithDetails {
  /** The parts of the summary message and their lengths (`context/read-summary-parts.ts`). */
  readonly front?: unknown;
  /** What the compaction did and cost (`compaction/receipt.ts`). */
  readonly receipt?: unknown;
  /** Files, commands and errors (`ledger/ledger.ts`). */
  readonly ledger?: unknown;
  /** A note per turn, for a summary without a model. */
  readonly turns?: unknown;
  /** The question that the first kept message answers. */
  readonly question?: unknown;
  /** The user's messages that are not shown word for word (`summary-parts/omitted-messages.ts`). */
  readonly messages?: unknown;
  /** Skills that are loaded (`context/loaded-skills.ts`). */
  readonly references?: unknown;
  /** A skill that a tool result loaded. */
  readonly reference?: unknown;
  /** The files that a tool reports it read or modified (`ledger/touched-files.ts`). */
  readonly touched?: unknown;
  /** The files that a host read again after a compaction. */
  readonly files?: unknown;
  /** How estimated tokens compare with reported tokens, by model (`context/calibration.ts`). */
  readonly calibration?: unknown;
  /** Whether the summary was checked against the log. */
  readonly checked?: unknown;
  /** How many model calls the summary took. */
  readonly ownCalls?: unknown;
  /** The cost of the summaries within the last hour. */
  readonly spending?: unknown;
  /** Model, thinking level, tools, pins and queue at this entry (`session/state.ts`). */
  readonly carried?: unknown;
  /** Which branch a branch summary covers (`branches/old-branch-summary.ts`). */
  readonly left?: unknown;
}

/** Returns the fields of `details.pith`, or an empty object if there are none. */
export function readPithDetails(details: unknown): PithDetails {
  return isObject(details) && isObject(details.pith) ? details.pith : {};
}

/** Whether a context edit can change the entry (TREE7). */
export function isEditable(entry: Entry): boolean {
  if (entry.type === "custom_message") return true;
  return entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message.role);
}

/** Whether the entry only records a move of the leaf. */
export function isMoveEntry(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE;
}

/** Whether the entry records an undo of a compaction. */
export function isUndoEntry(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}

/** Whether the entry is a message of the user or a program. Moving to it means editing it and sending it again. */
export function isEditableMessage(entry: Entry): boolean {
  return entry.type === "custom_message" || (entry.type === "message" && entry.message.role === "user");
}
