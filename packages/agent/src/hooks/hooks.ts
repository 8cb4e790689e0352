/** Defines the hooks of a run and of provider requests: their events, and the results they may return. */

import type {
  AgentMessage,
  AssistantMessage,
  ImageBlock,
  ModelName,
  Runtime,
  Session,
  TextBlock,
  ToolResultMessage,
  UserMessage,
} from "@pith/context";
import type { EntryContent, Hook, HookHost, splitContent } from "@pith/context/host";
import type { RunEnd } from "../events.ts";

/** What hooks run with. */
export interface HookContext<Hooks extends HookHost = RunHooks> {
  readonly session: Session;
  readonly hooks: Hooks;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** The hooks of a run, by event name. Each list runs in order. */
export interface RunHooks extends HookHost {
  readonly input?: readonly Hook<InputEvent, InputResult>[];
  readonly before_agent_start?: readonly Hook<BeforeAgentStartEvent, BeforeAgentStartResult>[];
  readonly message_end?: readonly Hook<MessageEndEvent, MessageEndResult>[];
  readonly tool_call?: readonly Hook<ToolCallEvent, ToolCallResult>[];
  readonly tool_result?: readonly Hook<ToolResultEvent, ToolResultResult>[];
  readonly turn_end?: readonly Hook<TurnEndEvent, BoundaryResult>[];
  readonly agent_before_settle?: readonly Hook<AgentBeforeSettleEvent, BoundaryResult>[];
}

/** Sent when the user enters a message, before it is recorded or sent to the model. */
export interface InputEvent {
  readonly type: "input";
  /** The typed text, or the text of the prompt template. */
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** Files, piped input and pastes beside the text. A hook cannot change them. */
  readonly attachments: ReturnType<typeof splitContent>["attachments"];
  /** `prompt` starts a run; `steer` and `followUp` arrive during a run. */
  readonly as: "prompt" | "steer" | "followUp";
}

/** `handled`: the hook has processed the input; no other hook and no model gets it. */
export type InputResult =
  | { readonly action: "continue" | "handled" }
  | { readonly action: "transform"; readonly text?: string; readonly images?: readonly ImageBlock[] };

/** Sent after the user message is recorded, and before the first request of the run. */
export interface BeforeAgentStartEvent {
  readonly type: "before_agent_start";
  readonly prompt: UserMessage["content"];
  /** The system prompt, by section name. */
  readonly sections: Readonly<Record<string, string>>;
}

/** What a `before_agent_start` hook adds to the run. */
export interface BeforeAgentStartResult {
  /** A message for the model, added after the user message. */
  readonly message?: Pick<Extract<EntryContent, { type: "custom_message" }>, "customType" | "display" | "details"> & {
    readonly content: string;
  };
  /** An additional section of the system prompt. It applies as long as a hook returns it; earlier requests are not rewritten. */
  readonly systemPrompt?: string;
}

/** Sent for every message before it is recorded. */
export interface MessageEndEvent {
  readonly type: "message_end";
  readonly message: AgentMessage;
}

/** A replacement with the same role. In an assistant message, tool calls and thinking must stay unchanged. */
export interface MessageEndResult {
  readonly message?: AgentMessage;
}

/** Sent for every tool call before its permission is checked. */
export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Blocks a tool call, or changes its arguments. */
export interface ToolCallResult {
  readonly block?: boolean;
  /** Why the call is blocked. The model reads it. */
  readonly reason?: string;
  /** New arguments. The permission check applies to these. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Sent for every tool result before it is recorded. */
export interface ToolResultEvent {
  readonly type: "tool_result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** Replaces parts of a tool result; an absent field stays unchanged. */
export interface ToolResultResult {
  readonly content?: readonly (TextBlock | ImageBlock)[];
  readonly details?: unknown;
  readonly isError?: boolean;
}

/** Sent after a reply and its tool results are recorded, before the next request. */
export interface TurnEndEvent {
  readonly type: "turn_end";
  readonly message: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
}

/** Sent when the model has finished and no message is queued, before the run ends. */
export interface AgentBeforeSettleEvent {
  readonly type: "agent_before_settle";
  readonly end: RunEnd;
}

/** What a hook at the end of a turn or a run may return. */
export interface BoundaryResult {
  /** Entries to append: messages for the model, custom state, edits, or a compaction, which is validated like any other. */
  readonly entries?: readonly BoundaryEntry[];
  /** Whether to send another request to the model. */
  readonly continue?: boolean;
}

/** The kinds of entries that a hook at the end of a turn or a run may append. */
export type BoundaryEntry = Extract<
  EntryContent,
  { type: "custom" | "custom_message" | "context_edit" | "compaction" }
>;

/** The hooks of provider requests, by event name. They may add headers and read responses; they cannot read or change the request body. */
export interface ProviderHooks extends HookHost {
  readonly before_provider_request?: readonly Hook<BeforeProviderRequestEvent, BeforeProviderRequestResult>[];
  readonly after_provider_response?: readonly Hook<AfterProviderResponseEvent>[];
  readonly provider_stream_event?: readonly Hook<ProviderStreamEvent>[];
}

/** Sent before every request of a run. */
export interface BeforeProviderRequestEvent {
  readonly type: "before_provider_request";
  readonly model: ModelName;
}

/** Headers to add to the request. Keys, hosts and transport headers are rejected. */
export interface BeforeProviderRequestResult {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sent when the response headers have arrived, before the stream starts. Headers with secrets are redacted. */
export interface AfterProviderResponseEvent {
  readonly type: "after_provider_response";
  readonly model: ModelName;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sent for each chunk of the stream, as the provider sent it. */
export interface ProviderStreamEvent {
  readonly type: "provider_stream_event";
  readonly model: ModelName;
  readonly event: unknown;
}
