/** Defines the hooks of a run and of provider requests: their events, and the results they may return. */

import type {
  AgentMessage,
  AssistantMessage,
  ImageBlock,
  ModelName,
  TextBlock,
  ToolResultMessage,
  UserMessage,
} from "@pith/context";
import type { Attachment, EntryContent, Hook, HookHost } from "@pith/context/host";
import type { RunEnd } from "../events.ts";

export interface RunHooks extends HookHost {
  readonly input?: readonly Hook<InputEvent, InputResult>[];
  readonly before_agent_start?: readonly Hook<BeforeAgentStartEvent, BeforeAgentStartResult>[];
  readonly message_end?: readonly Hook<MessageEndEvent, MessageEndResult>[];
  readonly tool_call?: readonly Hook<ToolCallEvent, ToolCallResult>[];
  readonly tool_result?: readonly Hook<ToolResultEvent, ToolResultResult>[];
  readonly turn_end?: readonly Hook<TurnEndEvent, BoundaryResult>[];
  readonly agent_before_settle?: readonly Hook<AgentBeforeSettleEvent, BoundaryResult>[];
}

/** Told of what a person says, before anything is kept or sent. */
export interface InputEvent {
  readonly type: "input";
  /** What the person typed; of a prompt template, its text. */
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** Files, piped input and pastes beside the text. They stay as they are, whatever a hook makes of the text. */
  readonly attachments: readonly Attachment[];
  /** How it comes in: at the beginning of a run, or while one is under way. */
  readonly as: "prompt" | "steer" | "followUp";
}

/** `handled`: the hook has taken care of it, so that nobody else hears it. */
export type InputResult =
  | { readonly action: "continue" | "handled" }
  | { readonly action: "transform"; readonly text?: string; readonly images?: readonly ImageBlock[] };

/** Told after what was said is in the log, and before the first request. */
export interface BeforeAgentStartEvent {
  readonly type: "before_agent_start";
  readonly prompt: UserMessage["content"];
  /** What the model is told first, by section. */
  readonly sections: Readonly<Record<string, string>>;
}

export interface BeforeAgentStartResult {
  /** For the model, behind what was said. */
  readonly message?: Pick<Extract<EntryContent, { type: "custom_message" }>, "customType" | "display" | "details"> & {
    readonly content: string;
  };
  /** Said as a section of its own as long as a hook answers with it; nothing that was sent is rewritten. */
  readonly systemPrompt?: string;
}

/** Told of every message before it is kept. */
export interface MessageEndEvent {
  readonly type: "message_end";
  readonly message: AgentMessage;
}

/** Another one in its place, with the same role; of a reply its calls and its thoughts stay as they came. */
export interface MessageEndResult {
  readonly message?: AgentMessage;
}

/** Told of a call before anybody is asked whether it may be run. */
export interface ToolCallEvent {
  readonly type: "tool_call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolCallResult {
  /** The model is told why. */
  readonly block?: boolean;
  readonly reason?: string;
  /** Other arguments to run it with; they are permitted like any. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Told of a result before it is kept. */
export interface ToolResultEvent {
  readonly type: "tool_result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly details?: unknown;
  readonly isError: boolean;
}

export interface ToolResultResult {
  readonly content?: readonly (TextBlock | ImageBlock)[];
  readonly details?: unknown;
  readonly isError?: boolean;
}

/** Told between two requests. */
export interface TurnEndEvent {
  readonly type: "turn_end";
  readonly message: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
}

/** Told when the model has no more to say and nothing waits. */
export interface AgentBeforeSettleEvent {
  readonly type: "agent_before_settle";
  readonly end: RunEnd;
}

export interface BoundaryResult {
  /** To stand in the log from here on: messages for the model, state of one's own, edits, or a compaction, which is checked like any other. */
  readonly entries?: readonly BoundaryEntry[];
  /** Whether the model is asked once more. */
  readonly continue?: boolean;
}

export type BoundaryEntry = Extract<
  EntryContent,
  { type: "custom" | "custom_message" | "context_edit" | "compaction" }
>;

/** Hooks may add headers and look at responses. The request body is neither shown to them nor theirs to change. */
export interface ProviderHooks extends HookHost {
  readonly before_provider_request?: readonly Hook<BeforeProviderRequestEvent, BeforeProviderRequestResult>[];
  readonly after_provider_response?: readonly Hook<AfterProviderResponseEvent>[];
  readonly provider_stream_event?: readonly Hook<ProviderStreamEvent>[];
}

/** Told before every request of a run. */
export interface BeforeProviderRequestEvent {
  readonly type: "before_provider_request";
  readonly model: ModelName;
}

/** Keys, hosts and what belongs to the transport cannot be said here. */
export interface BeforeProviderRequestResult {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Told when the provider has answered, before its words come. */
export interface AfterProviderResponseEvent {
  readonly type: "after_provider_response";
  readonly model: ModelName;
  readonly headers: Readonly<Record<string, string>>;
}

/** Told each piece as the provider sent it. */
export interface ProviderStreamEvent {
  readonly type: "provider_stream_event";
  readonly model: ModelName;
  readonly event: unknown;
}
