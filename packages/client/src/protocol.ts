/** Defines the RPC protocol for server and client: commands with parameters and results, responses, events and UI requests. */

import type { CompactionResult, PermissionMode, PermissionQuestion, UserContent } from "@pith/agent";
import type { AgentMessage, Entry, ImageBlock, ThinkingLevel, Usage } from "@pith/context";
import type { Pin } from "@pith/context/host";
import type { SessionItem } from "@pith/context/node";
import type { WireEvent } from "./events.ts";

/** Every command by its name, with its parameters and the data of its response (null for none). */
export interface RpcCommands {
  readonly prompt: Command<PromptParams & { readonly streamingBehavior?: "steer" | "followUp" }, PromptResult>;
  readonly steer: Command<PromptParams, PromptResult>;
  readonly follow_up: Command<PromptParams, PromptResult>;
  readonly abort: Command;
  readonly clear_queue: Command<
    NoParams,
    { readonly steering: readonly UserContent[]; readonly followUp: readonly UserContent[] }
  >;
  readonly run_command: Command<{ readonly command: string }, SlashCommandResult>;
  readonly get_commands: Command<NoParams, { readonly commands: readonly RpcSlashCommand[] }>;
  readonly get_state: Command<NoParams, RpcState>;
  readonly get_messages: Command<NoParams, { readonly messages: readonly AgentMessage[] }>;
  readonly get_last_assistant_text: Command<NoParams, { readonly text: string | null }>;
  readonly get_session_stats: Command<NoParams, RpcStats>;
  readonly set_model: Command<{ readonly provider: string; readonly modelId: string }, RpcModel>;
  readonly cycle_model: Command<NoParams, { readonly model: RpcModel; readonly thinkingLevel: string } | null>;
  readonly get_available_models: Command<NoParams, { readonly models: readonly RpcModel[] }>;
  readonly set_thinking_level: Command<{ readonly level: ThinkingLevel }>;
  readonly cycle_thinking_level: Command<NoParams, { readonly level: ThinkingLevel }>;
  readonly get_available_thinking_levels: Command<NoParams, { readonly levels: readonly ThinkingLevel[] }>;
  readonly set_steering_mode: Command<{ readonly mode: DeliveryMode }>;
  readonly set_follow_up_mode: Command<{ readonly mode: DeliveryMode }>;
  readonly compact: Command<
    { readonly customInstructions?: string } & CompactionParams,
    CompactionResult & { readonly usage?: Usage }
  >;
  readonly preview_compaction: Command<CompactionParams, unknown>;
  readonly undo_compaction: Command<NoParams, { readonly leafId: string | null }>;
  readonly redo_compaction: Command<NoParams, { readonly leafId: string | null }>;
  readonly set_auto_compaction: Command<{ readonly enabled: boolean }>;
  readonly context_usage: Command<NoParams, RpcUsage>;
  readonly pin: Command<{ readonly entryId?: string; readonly text?: string }, { readonly pins: readonly Pin[] }>;
  readonly unpin: Command<{ readonly pinId: string }, { readonly pins: readonly Pin[] }>;
  readonly set_auto_retry: Command<{ readonly enabled: boolean }>;
  readonly abort_retry: Command;
  readonly bash: Command<{ readonly command: string; readonly excludeFromContext?: boolean }, ShellResult>;
  readonly abort_bash: Command;
  readonly get_entries: Command<{ readonly since?: string }, LeafPosition & { readonly entries: readonly Entry[] }>;
  readonly get_tree: Command<NoParams, LeafPosition & { readonly tree: readonly RpcTreeNode[] }>;
  readonly navigate_tree: Command<NavigateParams, LeafPosition & Cancellable & { readonly editorText?: string }>;
  readonly abort_branch_summary: Command;
  readonly set_label: Command<{ readonly entryId: string; readonly label?: string }>;
  readonly new_session: Command<{ readonly parentSession?: string }, Cancellable>;
  readonly switch_session: Command<{ readonly sessionPath: string }, Cancellable>;
  readonly fork: Command<{ readonly entryId: string }, Cancellable & { readonly text: string }>;
  readonly clone: Command<NoParams, Cancellable>;
  readonly get_fork_messages: Command<NoParams, { readonly messages: readonly ForkMessage[] }>;
  readonly set_session_name: Command<{ readonly name: string }>;
  readonly list_sessions: Command<
    { readonly all?: boolean; readonly limit?: number },
    { readonly sessions: readonly SessionItem[] }
  >;
  readonly delete_session: Command<
    { readonly sessionPath?: string; readonly sessionId?: string },
    { readonly id: string; readonly path: string; readonly folder: string }
  >;
  readonly export_html: Command<{ readonly outputPath?: string }, { readonly path: string }>;
  readonly get_permission_mode: Command<NoParams, { readonly mode: PermissionMode }>;
  readonly set_permission_mode: Command<{ readonly mode: PermissionMode }>;
}

/** The name of a command. */
export type RpcCommandName = keyof RpcCommands;
/** The parameters of a command. */
export type RpcParams<Name extends RpcCommandName> = RpcCommands[Name]["params"];
/** The data of the response to a command. */
export type RpcResult<Name extends RpcCommandName> = RpcCommands[Name]["result"];
/** A command as it is sent, one per line. */
export type RpcCommand<Name extends RpcCommandName = RpcCommandName> = {
  readonly [Each in Name]: { readonly id?: string; readonly type: Each } & RpcParams<Each>;
}[Name];

interface Command<Params extends object = NoParams, Result = null> {
  readonly params: Params;
  readonly result: Result;
}

type NoParams = Readonly<Record<never, never>>;

interface PromptParams {
  readonly message: string;
  readonly images?: readonly ImageBlock[];
  /** Texts beside the message. The model reads them, but they never count as the user's own words. */
  readonly attachments?: readonly RpcAttachment[];
}

/** Which part of the branch a compaction summarizes, and from what. */
export interface CompactionParams {
  /** The first entry to keep. Default: chosen by size. */
  readonly firstKeptEntryId?: string;
  /** Whether to derive the summary from the original entries instead of from the last summary. */
  readonly fromOriginals?: boolean;
}

/** A text that is sent beside a message. */
export interface RpcAttachment {
  /** E.g. a path or a URL. */
  readonly name: string;
  readonly text: string;
}

/** What happened to a message: `handled` by a command or an extension, `queued` until the current turn ends, or `started` as a run. */
export interface PromptResult {
  readonly disposition: "handled" | "queued" | "started";
  /** Why the message is queued, as text, e.g. while a compaction is running. */
  readonly note?: string;
}

/** The result of a slash command. */
export interface SlashCommandResult extends PromptResult {
  /** The result as text. */
  readonly text?: string;
  /** The same result as data. */
  readonly data?: unknown;
  /** A prompt for the user to edit and send. */
  readonly draft?: string;
}

interface LeafPosition {
  readonly leafId: string | null;
}

/** Whether an extension cancelled the command; then nothing has changed. */
interface Cancellable {
  readonly cancelled: boolean;
}

interface NavigateParams {
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

interface ShellResult {
  readonly output: string;
  readonly exitCode: number | null;
  readonly cancelled: boolean;
  readonly truncated: boolean;
}

/** Whether queued messages are delivered all at once or one per turn. */
export type DeliveryMode = "all" | "one-at-a-time";

/** The state of the session. */
export interface RpcState {
  /** Null if no model is available. */
  readonly model: RpcModel | null;
  readonly thinkingLevel: string;
  readonly isStreaming: boolean;
  readonly isCompacting: boolean;
  readonly steeringMode: DeliveryMode;
  readonly followUpMode: DeliveryMode;
  /** Null if the session is not saved. */
  readonly sessionFile: string | null;
  readonly sessionId: string;
  readonly sessionName?: string;
  readonly autoCompactionEnabled: boolean;
  readonly messageCount: number;
  readonly pendingMessageCount: number;
  /** What was damaged when the session was opened, as text; absent if the whole file could be read. */
  readonly damage?: string;
}

/** A model that can be selected. */
export interface RpcModel {
  readonly provider: string;
  readonly id: string;
  readonly api?: string;
  /** 0 if it is unknown. */
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly reasoning?: boolean;
}

/** How much of the context window is in use. */
export interface RpcUsage {
  readonly tokens: number;
  /** Whether the provider has not measured any of the tokens yet, or none since a compaction or an edit. */
  readonly isEstimate: boolean;
  /** The part of `tokens` that the provider measured with its last reply; the rest is estimated. */
  readonly measured: number;
  readonly contextWindow: number;
  /** Share of the context window; null if the window is unknown. */
  readonly percent: number | null;
  /** A context above this is compacted; null if the window is unknown. */
  readonly limit: number | null;
}

/** Sums over all branches of the session. */
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

/** An entry of the session tree with its children. */
export interface RpcTreeNode {
  readonly entry: Entry;
  readonly children: readonly RpcTreeNode[];
  readonly label?: string;
}

/** A slash command that `run_command` can run. */
export interface RpcSlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly source: "pith" | "extension" | "prompt" | "skill";
}

/** The response to a command. A line that is not a command gets a response with the command `parse`. */
export type RpcResponse<Data = unknown> =
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

/** The response to the command of this name. */
export type RpcResponseTo<Name extends RpcCommandName> = RpcResponse<RpcResult<Name>>;

/** What the program sends without a command. */
export type RpcEvent = WireEvent | BashUpdate | RpcUiRequest | RpcCostEvent;

/** Sent by a sub-agent to the process that holds the cost limit: what a request cost, or the question whether the next one may be sent. */
export type RpcCostEvent =
  | { readonly type: "cost_update"; readonly cost: number }
  | { readonly type: "cost_check"; readonly id: string };

/** The answer to `cost_check`. `refusal` says why no request may be sent; null permits one. */
export interface RpcCostResponse {
  readonly type: "cost_check_response";
  readonly id: string;
  readonly refusal: string | null;
}

/** The newest output of a shell command that the user runs. */
export interface BashUpdate {
  readonly type: "bash_execution_update";
  readonly command: string;
  readonly output: string;
}

/** A question or a notice of an extension, or a permission question. */
export type RpcUiRequest = { readonly type: "extension_ui_request"; readonly id: string } & (
  | {
      readonly method: "select";
      readonly title: string;
      readonly options: readonly string[];
      readonly timeout?: number;
      /** The complete permission question, for clients that render their own dialog. */
      readonly permission?: Pick<PermissionQuestion, "tool" | "arguments" | "intent" | "text" | "yesLasts"> & {
        readonly rules: readonly string[];
      };
    }
  | { readonly method: "confirm"; readonly title: string; readonly message: string; readonly timeout?: number }
  | { readonly method: "input"; readonly title: string; readonly placeholder?: string; readonly timeout?: number }
  | { readonly method: "notify"; readonly message: string; readonly notifyType: "info" | "warning" | "error" }
  | { readonly method: "setStatus"; readonly statusKey: string; readonly statusText?: string }
  | { readonly method: "setWidget"; readonly widgetKey: string; readonly widgetLines?: readonly string[] }
);

/** The answer to a question of the program. */
export type RpcUiResponse = { readonly type: "extension_ui_response"; readonly id: string } & (
  | { readonly value: string }
  | { readonly confirmed: boolean }
  | { readonly cancelled: true }
);
