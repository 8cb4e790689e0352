/** Defines every event an extension can listen to, with the result its handler may return. */

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

export type ExtensionEventName = keyof ExtensionEvents;

export type EventOf<Name extends ExtensionEventName> = ExtensionEvents[Name]["event"];
export type ResultOf<Name extends ExtensionEventName> = ExtensionEvents[Name]["result"];

interface EventDefinition<Event, Result = never> {
  readonly event: Event;
  readonly result: Result;
}

/** As every listener is told it: nobody is waited for. */
type NotificationDefinition<Type extends AgentEvent["type"]> = EventDefinition<Extract<AgentEvent, { type: Type }>>;

export type SessionReason = "startup" | "reload" | "new" | "resume" | "fork";

/** A folder holds what is only used where it is trusted; told to extensions of the user alone. */
export interface ProjectTrustEvent {
  readonly type: "project_trust";
  readonly cwd: string;
  /** What it holds, by name. */
  readonly files: readonly string[];
}

export interface ProjectTrustResult {
  /** For this call alone; nothing of it is kept. */
  readonly trusted?: boolean;
}

export interface ResourcesDiscoverEvent {
  readonly type: "resources_discover";
  readonly cwd: string;
  readonly reason: "startup" | "reload";
}

/** Folders, by absolute paths. */
export interface ResourcesDiscoverResult {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
}

export interface SessionStartEvent {
  readonly type: "session_start";
  readonly reason: SessionReason;
  /** The one before it on this screen or line. */
  readonly previousSessionFile?: string;
}

export interface SessionBeforeSwitchEvent {
  readonly type: "session_before_switch";
  readonly reason: "new" | "resume";
  readonly targetSessionFile?: string;
}

export interface SessionBeforeForkEvent {
  readonly type: "session_before_fork";
  readonly entryId: string | null;
  readonly position: "before" | "at";
}

export interface CancelResult {
  readonly cancel?: boolean;
}

export interface SessionShutdownEvent {
  readonly type: "session_shutdown";
  readonly reason: "quit" | "reload" | "new" | "resume" | "fork";
  readonly targetSessionFile?: string;
}

export interface ModelSelectEvent {
  readonly type: "model_select";
  readonly model: ModelName;
  readonly previousModel: ModelName;
}

export interface ThinkingLevelSelectEvent {
  readonly type: "thinking_level_select";
  readonly level: string;
  readonly previousLevel: string;
}

/** A shell line of the user's own, before it is run. */
export interface UserBashEvent {
  readonly type: "user_bash";
  readonly command: string;
  readonly excludeFromContext: boolean;
  readonly cwd: string;
}

/** With `result` it is not run: this is what came of it. */
export interface UserBashResult {
  readonly result?: { readonly output: string; readonly exitCode: number | null };
}

export interface UiPromptEvent {
  readonly type: "ui_prompt_start" | "ui_prompt_end";
  readonly method: "select" | "confirm" | "input";
  readonly title: string;
}
