/** Defines the RPC protocol for server and client: commands with parameters and results, responses, events and UI requests. */

import type { CompactionResult, Content, Mode, Question } from "@pith/agent";
import type { AgentMessage, Entry, ImageBlock, Pin, ThinkingLevel, Usage } from "@pith/context";
import type { SessionItem } from "@pith/context/node";
import type { WireEvent } from "../json/events.ts";

/** By name: the fields it takes, and the data of its answer; null for none. */
export interface RpcCommands {
  readonly prompt: Taking<Saying & { readonly streamingBehavior?: "steer" | "followUp" }, Said>;
  readonly steer: Taking<Saying, Said>;
  readonly follow_up: Taking<Saying, Said>;
  readonly abort: Taking;
  readonly clear_queue: Taking<
    Nothing,
    { readonly steering: readonly Content[]; readonly followUp: readonly Content[] }
  >;
  readonly run_command: Taking<{ readonly command: string }, RanCommand>;
  readonly get_commands: Taking<Nothing, { readonly commands: readonly RpcSlashCommand[] }>;
  readonly get_state: Taking<Nothing, RpcState>;
  readonly get_messages: Taking<Nothing, { readonly messages: readonly AgentMessage[] }>;
  readonly get_last_assistant_text: Taking<Nothing, { readonly text: string | null }>;
  readonly get_session_stats: Taking<Nothing, RpcStats>;
  readonly set_model: Taking<{ readonly provider: string; readonly modelId: string }, RpcModel>;
  readonly cycle_model: Taking<Nothing, { readonly model: RpcModel; readonly thinkingLevel: string } | null>;
  readonly get_available_models: Taking<Nothing, { readonly models: readonly RpcModel[] }>;
  readonly set_thinking_level: Taking<{ readonly level: ThinkingLevel }>;
  readonly cycle_thinking_level: Taking<Nothing, { readonly level: ThinkingLevel }>;
  readonly get_available_thinking_levels: Taking<Nothing, { readonly levels: readonly ThinkingLevel[] }>;
  readonly set_steering_mode: Taking<{ readonly mode: Delivery }>;
  readonly set_follow_up_mode: Taking<{ readonly mode: Delivery }>;
  readonly compact: Taking<{ readonly customInstructions?: string }, CompactionResult & { readonly usage?: Usage }>;
  readonly preview_compaction: Taking<Nothing, unknown>;
  readonly undo_compaction: Taking<Nothing, { readonly leafId: string | null }>;
  readonly redo_compaction: Taking<Nothing, { readonly leafId: string | null }>;
  readonly set_auto_compaction: Taking<{ readonly enabled: boolean }>;
  readonly context_usage: Taking<Nothing, RpcUsage>;
  readonly pin: Taking<{ readonly entryId?: string; readonly text?: string }, { readonly pins: readonly Pin[] }>;
  readonly unpin: Taking<{ readonly pinId: string }, { readonly pins: readonly Pin[] }>;
  readonly set_auto_retry: Taking<{ readonly enabled: boolean }>;
  readonly abort_retry: Taking;
  readonly bash: Taking<{ readonly command: string; readonly excludeFromContext?: boolean }, RanShell>;
  readonly abort_bash: Taking;
  readonly get_entries: Taking<{ readonly since?: string }, Placed & { readonly entries: readonly Entry[] }>;
  readonly get_tree: Taking<Nothing, Placed & { readonly tree: readonly RpcTreeNode[] }>;
  readonly navigate_tree: Taking<Going, Placed & Cancellable & { readonly editorText?: string }>;
  readonly abort_branch_summary: Taking;
  readonly set_label: Taking<{ readonly entryId: string; readonly label?: string }>;
  readonly new_session: Taking<{ readonly parentSession?: string }, Cancellable>;
  readonly switch_session: Taking<{ readonly sessionPath: string }, Cancellable>;
  readonly fork: Taking<{ readonly entryId: string }, Cancellable & { readonly text: string }>;
  readonly clone: Taking<Nothing, Cancellable>;
  readonly get_fork_messages: Taking<Nothing, { readonly messages: readonly ForkMessage[] }>;
  readonly set_session_name: Taking<{ readonly name: string }>;
  readonly list_sessions: Taking<
    { readonly all?: boolean; readonly limit?: number },
    { readonly sessions: readonly SessionItem[] }
  >;
  readonly delete_session: Taking<
    { readonly sessionPath?: string; readonly sessionId?: string },
    { readonly id: string; readonly path: string; readonly folder: string }
  >;
  readonly export_html: Taking<{ readonly outputPath?: string }, { readonly path: string }>;
  readonly get_permission_mode: Taking<Nothing, { readonly mode: Mode }>;
  readonly set_permission_mode: Taking<{ readonly mode: Mode }>;
}

export type RpcName = keyof RpcCommands;
export type RpcTakes<Name extends RpcName> = RpcCommands[Name]["takes"];
export type RpcGives<Name extends RpcName> = RpcCommands[Name]["gives"];
/** As it is sent. */
export type RpcCommand<Name extends RpcName = RpcName> = {
  readonly [Each in Name]: { readonly id?: string; readonly type: Each } & RpcTakes<Each>;
}[Name];

interface Taking<Takes extends object = Nothing, Gives = null> {
  readonly takes: Takes;
  readonly gives: Gives;
}

type Nothing = Readonly<Record<never, never>>;

interface Saying {
  readonly message: string;
  readonly images?: readonly ImageBlock[];
  /** Texts beside the message: the model reads them, and they never count as what the user said. */
  readonly attachments?: readonly RpcAttachment[];
}

export interface RpcAttachment {
  /** Such as a path or an address. */
  readonly name: string;
  readonly text: string;
}

/** `handled`: by a command or an extension. `queued`: it waits. `started`: the model is asked. */
export interface Said {
  readonly disposition: "handled" | "queued" | "started";
  /** For people: why it waits, where a compaction is under way. */
  readonly note?: string;
}

export interface RanCommand extends Said {
  /** For people. */
  readonly text?: string;
  /** The same for programs. */
  readonly data?: unknown;
  /** Words to change and say. */
  readonly draft?: string;
}

interface Placed {
  readonly leafId: string | null;
}

/** By an extension; then nothing has changed. */
interface Cancellable {
  readonly cancelled: boolean;
}

interface Going {
  readonly entryId: string | null;
  readonly summarize?: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

interface ForkMessage {
  readonly entryId: string;
  readonly text: string;
}

interface RanShell {
  readonly output: string;
  readonly exitCode: number | null;
  readonly cancelled: boolean;
  readonly truncated: boolean;
}

/** How much of what waits is said at once. */
export type Delivery = "all" | "one-at-a-time";

export interface RpcState {
  /** Null where nobody can speak. */
  readonly model: RpcModel | null;
  readonly thinkingLevel: string;
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly steeringMode: Delivery;
  readonly followUpMode: Delivery;
  /** Null where nothing is kept. */
  readonly sessionFile: string | null;
  readonly sessionId: string;
  readonly sessionName?: string;
  readonly autoCompactionEnabled: boolean;
  readonly messageCount: number;
  readonly pendingMessageCount: number;
  /** What was damaged when it was opened, for people; absent where all of it could be read. */
  readonly damage?: string;
}

export interface RpcModel {
  readonly provider: string;
  readonly id: string;
  readonly api?: string;
  /** 0 where nobody knows it. */
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly reasoning?: boolean;
}

export interface RpcUsage {
  readonly tokens: number;
  /** Whether no reply has measured any of it yet, or none since a compaction or an edit. */
  readonly isEstimate: boolean;
  /** Of the tokens: what the last reply measured; the rest is estimated. */
  readonly measured: number;
  readonly contextWindow: number;
  /** Of the window; null where nobody knows it. */
  readonly percent: number | null;
  /** More than this is compacted; null where nobody knows the window. */
  readonly limit: number | null;
}

/** Over all branches. */
export interface RpcStats {
  readonly sessionFile: string | null;
  readonly sessionId: string;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly compactions: number;
  readonly tokens: Omit<Usage, "cost" | "totalTokens"> & { readonly total: number };
  /** In dollars. */
  readonly cost: number;
  readonly contextUsage: RpcUsage;
}

export interface RpcTreeNode {
  readonly entry: Entry;
  readonly children: readonly RpcTreeNode[];
  readonly label?: string;
}

export interface RpcSlashCommand {
  /** Without its slash. */
  readonly name: string;
  readonly description: string;
  readonly source: "pith" | "extension" | "prompt" | "skill";
}

/** What came of a command. A line that is no command is answered under the name `parse`. */
export type RpcAnswer<Data = unknown> =
  | {
      readonly id?: string;
      readonly type: "response";
      readonly command: string;
      readonly success: true;
      readonly data?: Data;
    }
  | {
      readonly id?: string;
      readonly type: "response";
      readonly command: string;
      readonly success: false;
      readonly error: string;
    };

export type RpcAnswerTo<Name extends RpcName> = RpcAnswer<RpcGives<Name>>;

/** Told without being asked for. */
export type RpcEvent = WireEvent | BashUpdate | RpcUiRequest;

/** The newest of what a shell line of the user's own says, not all of it. */
export interface BashUpdate {
  readonly type: "bash_execution_update";
  readonly command: string;
  readonly output: string;
}

export type RpcUiRequest = { readonly type: "extension_ui_request"; readonly id: string } & (
  | {
      readonly method: "select";
      readonly title: string;
      readonly options: readonly string[];
      readonly timeout?: number;
      /** Where a permission is asked for: the whole question, for whoever draws their own. */
      readonly permission?: Pick<Question, "tool" | "arguments" | "intent" | "text" | "yesLasts"> & {
        readonly rules: readonly string[];
      };
    }
  | { readonly method: "confirm"; readonly title: string; readonly message: string; readonly timeout?: number }
  | { readonly method: "input"; readonly title: string; readonly placeholder?: string; readonly timeout?: number }
  | { readonly method: "notify"; readonly message: string; readonly notifyType: "info" | "warning" | "error" }
  | { readonly method: "setStatus"; readonly statusKey: string; readonly statusText?: string }
  | { readonly method: "setWidget"; readonly widgetKey: string; readonly widgetLines?: readonly string[] }
);

export type RpcUiResponse = { readonly type: "extension_ui_response"; readonly id: string } & (
  | { readonly value: string }
  | { readonly confirmed: boolean }
  | { readonly cancelled: true }
);
