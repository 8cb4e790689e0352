/** Defines and documents every event an extension can listen to, with the result its handler may return. */

import type {
  ContextEvent,
  ContextResult,
  ModelName,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  SessionCompactEvent,
  SessionCompactFailedEvent,
  SessionTreeEvent,
} from "@pith/context";
import type { AddedContext, ContextWithSystemEvent } from "@pith/context/host";
import type { AgentEvent } from "../events.ts";
import type * as run from "../hooks/hooks.ts";

/** Every event by its name, with the result its handler may return. */
export interface ExtensionEvents {
  readonly project_trust: EventDefinition<ProjectTrustEvent, ProjectTrustResult>;
  readonly resources_discover: EventDefinition<ResourcesDiscoverEvent, ResourcesDiscoverResult>;
  readonly session_start: EventDefinition<SessionStartEvent>;
  readonly session_before_switch: EventDefinition<SessionBeforeSwitchEvent, CancelResult>;
  readonly session_before_fork: EventDefinition<SessionBeforeForkEvent, CancelResult>;
  readonly session_before_compact: EventDefinition<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
  readonly session_compact: EventDefinition<SessionCompactEvent, AddedContext>;
  readonly session_compact_failed: EventDefinition<SessionCompactFailedEvent>;
  readonly session_before_tree: EventDefinition<SessionBeforeTreeEvent, SessionBeforeTreeResult>;
  readonly session_tree: EventDefinition<SessionTreeEvent, AddedContext>;
  readonly session_shutdown: EventDefinition<SessionShutdownEvent>;
  readonly session_info_changed: NotificationDefinition<"session_info_changed">;
  readonly input: EventDefinition<run.InputEvent, run.InputResult>;
  readonly before_agent_start: EventDefinition<run.BeforeAgentStartEvent, run.BeforeAgentStartResult>;
  readonly agent_start: NotificationDefinition<"agent_start">;
  readonly agent_end: NotificationDefinition<"agent_end">;
  readonly agent_before_settle: EventDefinition<run.AgentBeforeSettleEvent, run.BoundaryResult>;
  readonly agent_settled: NotificationDefinition<"agent_settled">;
  readonly turn_start: NotificationDefinition<"turn_start">;
  readonly turn_end: EventDefinition<run.TurnEndEvent, run.BoundaryResult>;
  readonly message_start: NotificationDefinition<"message_start">;
  readonly message_update: NotificationDefinition<"message_update">;
  readonly message_end: EventDefinition<run.MessageEndEvent, run.MessageEndResult>;
  readonly tool_execution_start: NotificationDefinition<"tool_execution_start">;
  readonly tool_execution_update: NotificationDefinition<"tool_execution_update">;
  readonly tool_execution_end: NotificationDefinition<"tool_execution_end">;
  readonly tool_call: EventDefinition<run.ToolCallEvent, run.ToolCallResult>;
  readonly tool_result: EventDefinition<run.ToolResultEvent, run.ToolResultResult>;
  readonly context: EventDefinition<ContextEvent, ContextResult>;
  readonly context_with_system: EventDefinition<ContextWithSystemEvent, ContextResult>;
  readonly before_provider_request: EventDefinition<run.BeforeProviderRequestEvent, run.BeforeProviderRequestResult>;
  readonly after_provider_response: EventDefinition<run.AfterProviderResponseEvent>;
  readonly provider_stream_event: EventDefinition<run.ProviderStreamEvent>;
  readonly model_select: EventDefinition<ModelSelectEvent>;
  readonly thinking_level_select: EventDefinition<ThinkingLevelSelectEvent>;
  readonly user_bash: EventDefinition<UserBashEvent, UserBashResult>;
  readonly ui_prompt_start: EventDefinition<UiPromptEvent>;
  readonly ui_prompt_end: EventDefinition<UiPromptEvent>;
}

/** The name of an event, as `on` takes it. */
export type ExtensionEventName = keyof ExtensionEvents;

/** The event that a handler gets. */
export type EventOf<Name extends ExtensionEventName> = ExtensionEvents[Name]["event"];
/** The result that a handler may return. */
export type ResultOf<Name extends ExtensionEventName> = ExtensionEvents[Name]["result"];

interface EventDefinition<Event, Result = never> {
  readonly event: Event;
  readonly result: Result;
}

/** An event of the agent that has no result. Nothing waits for its handlers. */
type NotificationDefinition<Type extends AgentEvent["type"]> = EventDefinition<Extract<AgentEvent, { type: Type }>>;

/** Why a session starts. */
export type SessionReason = "startup" | "reload" | "new" | "resume" | "fork";

/** Sent if a project has files that are used only in trusted projects. Only the user's own extensions get it. */
export interface ProjectTrustEvent {
  readonly type: "project_trust";
  readonly cwd: string;
  /** The names of these files. */
  readonly files: readonly string[];
}

/** Whether the project is trusted. */
export interface ProjectTrustResult {
  /** Applies to this start only; it is not stored. */
  readonly trusted?: boolean;
}

/** Sent when skills and prompt templates are looked up. */
export interface ResourcesDiscoverEvent {
  readonly type: "resources_discover";
  readonly cwd: string;
  readonly reason: "startup" | "reload";
}

/** Additional folders of skills and prompt templates, as absolute paths. */
export interface ResourcesDiscoverResult {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
}

/** Sent when the session has started. */
export interface SessionStartEvent {
  readonly type: "session_start";
  readonly reason: SessionReason;
  /** The session that was open before in the same interface. */
  readonly previousSessionFile?: string;
}

/** Sent before another session replaces this one. */
export interface SessionBeforeSwitchEvent {
  readonly type: "session_before_switch";
  readonly reason: "new" | "resume";
  readonly targetSessionFile?: string;
}

/** Sent before a new session is created from a part of this one. */
export interface SessionBeforeForkEvent {
  readonly type: "session_before_fork";
  readonly entryId: string | null;
  readonly position: "before" | "at";
}

/** Whether to cancel the operation. */
export interface CancelResult {
  readonly cancel?: boolean;
}

/** Sent before the session ends. */
export interface SessionShutdownEvent {
  readonly type: "session_shutdown";
  readonly reason: "quit" | "reload" | "new" | "resume" | "fork";
  readonly targetSessionFile?: string;
}

/** Sent when the user selects another model. */
export interface ModelSelectEvent {
  readonly type: "model_select";
  readonly model: ModelName;
  readonly previousModel: ModelName;
}

/** Sent when the user selects another thinking level. */
export interface ThinkingLevelSelectEvent {
  readonly type: "thinking_level_select";
  readonly level: string;
  readonly previousLevel: string;
}

/** Sent when the user enters a shell command, before it is run. */
export interface UserBashEvent {
  readonly type: "user_bash";
  readonly command: string;
  readonly excludeFromContext: boolean;
  readonly cwd: string;
}

/** With a `result`, the command is not run, and the result is used instead. */
export interface UserBashResult {
  readonly result?: { readonly output: string; readonly exitCode: number | null };
}

/** Sent when a question of an extension to the user opens or closes. */
export interface UiPromptEvent {
  readonly type: "ui_prompt_start" | "ui_prompt_end";
  readonly method: "select" | "confirm" | "input";
  readonly title: string;
}

/** The documentation of one event. */
export interface EventRow<Name extends ExtensionEventName> {
  /** When it is sent, and what a handler may return. */
  readonly description: string;
  /** Whether Pith waits for the handlers. If not, their results are ignored. */
  readonly isAwaited: boolean;
  /** A result; absent if results are ignored. */
  readonly example?: ResultOf<Name>;
}

/** The documentation of all events. The compiler checks that none is missing. */
export type EventTable = { readonly [Name in ExtensionEventName]: EventRow<Name> };

/** One row per event, in the order of a session. */
export const extensionEventTable: EventTable = {
  project_trust: {
    description:
      "The project has files that are used only if it is trusted. Return whether it is trusted, for this run only. Only the user's own extensions get this event.",
    isAwaited: true,
    example: { trusted: true },
  },
  resources_discover: {
    description: "Skills and prompt templates are looked up. Return more folders, as absolute paths.",
    isAwaited: true,
    example: { skillPaths: ["/home/ada/skills"] },
  },
  session_start: { description: "The session has started. The extension can now act on it.", isAwaited: true },
  session_before_switch: {
    description: "Another session is about to replace this one. Return `cancel` to prevent it.",
    isAwaited: true,
    example: { cancel: true },
  },
  session_before_fork: {
    description: "A new session is about to be created from part of this one. Return `cancel` to prevent it.",
    isAwaited: true,
    example: { cancel: true },
  },
  session_before_compact: {
    description:
      "A compaction is about to start. Return a result to cancel it, to postpone it once, to add instructions, or to provide the summary, which is validated like any other. `event.setResult(compaction)` and `event.cancel()` do the same.",
    isAwaited: true,
    example: { customInstructions: "Keep every decision about the database." },
  },
  session_compact: {
    description: "A compaction is complete. Return entries to append after it.",
    isAwaited: true,
    example: {
      entries: [{ type: "custom_message", customType: "mine", content: "The plan is in PLAN.md.", display: true }],
    },
  },
  session_compact_failed: {
    description: "A compaction was cancelled or failed. The session is unchanged.",
    isAwaited: true,
  },
  session_before_tree: {
    description:
      "The session is about to go to another entry in its tree. Return a result to cancel this, to provide a summary of the branch being left, to choose whether one is written (`summarize`), to give instructions for it, or to set a label. `event.setSummarize(true)`, `event.setCustomInstructions(text)`, `event.setReplaceInstructions(false)` and `event.cancel()` do the same.",
    isAwaited: true,
    example: { label: "before the rewrite" },
  },
  session_tree: {
    description: "The session is now at another entry in its tree. Return entries to append there.",
    isAwaited: true,
    example: { entries: [{ type: "custom", customType: "mine", data: { checkpoint: "4f2a" } }] },
  },
  session_shutdown: { description: "The session is about to end. Later actions have no effect.", isAwaited: true },
  session_info_changed: { description: "The session's name has changed.", isAwaited: false },
  input: {
    description:
      "The user has entered a message, which is not yet recorded or sent. Return different text, or say that you have handled the message.",
    isAwaited: true,
    example: { action: "transform", text: "Answer in one sentence: what is a monad?" },
  },
  before_agent_start: {
    description:
      "The user message is recorded, and the first request is about to be sent. Return a message for the model, or a section for the system prompt.",
    isAwaited: true,
    example: { message: { customType: "mine", content: "The build has been broken since noon.", display: true } },
  },
  agent_start: { description: "A run has started.", isAwaited: false },
  agent_end: { description: "A run has ended. The event has all of its messages.", isAwaited: false },
  agent_before_settle: {
    description:
      "The model has finished, and no message is queued. Return entries, or `continue` to send another request.",
    isAwaited: true,
    example: { continue: true },
  },
  agent_settled: {
    description: "The agent is idle. No run starts until a user or an extension starts one.",
    isAwaited: false,
  },
  turn_start: { description: "A request is about to be sent.", isAwaited: false },
  turn_end: {
    description:
      "A reply and the results of its tool calls are recorded. Return entries to append after them, or `continue` to send another request. This event is not sent if the run failed or was aborted; `agent_end` is.",
    isAwaited: true,
    example: { entries: [{ type: "custom_message", customType: "mine", content: "Two tests fail.", display: true }] },
  },
  message_start: { description: "A message has started.", isAwaited: false },
  message_update: { description: "Part of a reply has arrived.", isAwaited: false },
  message_end: {
    description: "A message is complete and about to be recorded. Return a replacement with the same role.",
    isAwaited: true,
    example: { message: { role: "user", content: "Shorter, please.", timestamp: 0 } },
  },
  tool_execution_start: { description: "A tool is about to run.", isAwaited: false },
  tool_execution_update: { description: "A running tool has reported progress.", isAwaited: false },
  tool_execution_end: { description: "A tool has ended. The event has its result.", isAwaited: false },
  tool_call: {
    description:
      "The model calls a tool, and its permission is not yet checked. Return `block` to refuse the call, or other arguments as `input`. If the handler fails, the call is not run, because the handler may be a guard.",
    isAwaited: true,
    example: { block: true, reason: "The folder dist is written by the build." },
  },
  tool_result: {
    description: "A tool has returned a result, which is not yet recorded. Return other content or details.",
    isAwaited: true,
    example: { content: [{ type: "text", text: "3 lines" }] },
  },
  context: {
    description:
      "A request is about to be sent. The event has a copy of its messages without system messages. Return other messages. The session is not changed.",
    isAwaited: true,
    example: { messages: [{ role: "user", content: "Continue.", timestamp: 0 }] },
  },
  context_with_system: {
    description: "Like `context`, with system messages.",
    isAwaited: true,
    example: { messages: [{ role: "user", content: "Continue.", timestamp: 0 }] },
  },
  before_provider_request: {
    description:
      "A request is about to be sent. Return headers to add. Keys, hosts and transport headers cannot be set.",
    isAwaited: true,
    example: { headers: { "x-team": "compilers" } },
  },
  after_provider_response: {
    description: "The response headers have arrived, and the stream is about to start.",
    isAwaited: true,
  },
  provider_stream_event: {
    description: "A chunk of the stream has arrived. The event contains it exactly as the provider sent it.",
    isAwaited: true,
  },
  model_select: {
    description: "The user has selected another model. It is used starting with the next request.",
    isAwaited: true,
  },
  thinking_level_select: {
    description: "The user has selected another thinking level. It is used starting with the next request.",
    isAwaited: true,
  },
  user_bash: {
    description: "The user has entered a shell command. If you return a result, the command is not run.",
    isAwaited: true,
    example: { result: { output: "nothing to do\n", exitCode: 0 } },
  },
  ui_prompt_start: { description: "An extension asks the user a question.", isAwaited: false },
  ui_prompt_end: { description: "The question is closed, with or without an answer.", isAwaited: false },
};
