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
  readonly project_trust: Row<ProjectTrustEvent, ProjectTrustResult>;
  readonly resources_discover: Row<ResourcesDiscoverEvent, ResourcesDiscoverResult>;
  readonly session_start: Row<SessionStartEvent>;
  readonly session_before_switch: Row<SessionBeforeSwitchEvent, CancelResult>;
  readonly session_before_fork: Row<SessionBeforeForkEvent, CancelResult>;
  readonly session_before_compact: Row<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
  readonly session_compact: Row<SessionCompactEvent, AddedContext>;
  readonly session_compact_failed: Row<SessionCompactFailedEvent>;
  readonly session_before_tree: Row<SessionBeforeTreeEvent, SessionBeforeTreeResult>;
  readonly session_tree: Row<SessionTreeEvent, AddedContext>;
  readonly session_shutdown: Row<SessionShutdownEvent>;
  readonly session_info_changed: Told<"session_info_changed">;
  readonly input: Row<run.InputEvent, run.InputResult>;
  readonly before_agent_start: Row<run.BeforeAgentStartEvent, run.BeforeAgentStartResult>;
  readonly agent_start: Told<"agent_start">;
  readonly agent_end: Told<"agent_end">;
  readonly agent_before_settle: Row<run.AgentBeforeSettleEvent, run.BoundaryResult>;
  readonly agent_settled: Told<"agent_settled">;
  readonly turn_start: Told<"turn_start">;
  readonly turn_end: Row<run.TurnEndEvent, run.BoundaryResult>;
  readonly message_start: Told<"message_start">;
  readonly message_update: Told<"message_update">;
  readonly message_end: Row<run.MessageEndEvent, run.MessageEndResult>;
  readonly tool_execution_start: Told<"tool_execution_start">;
  readonly tool_execution_update: Told<"tool_execution_update">;
  readonly tool_execution_end: Told<"tool_execution_end">;
  readonly tool_call: Row<run.ToolCallEvent, run.ToolCallResult>;
  readonly tool_result: Row<run.ToolResultEvent, run.ToolResultResult>;
  readonly context: Row<ContextEvent, ContextResult>;
  readonly context_with_system: Row<ContextWithSystemEvent, ContextResult>;
  readonly before_provider_request: Row<run.BeforeProviderRequestEvent, run.BeforeProviderRequestResult>;
  readonly after_provider_response: Row<run.AfterProviderResponseEvent>;
  readonly provider_stream_event: Row<run.ProviderStreamEvent>;
  readonly model_select: Row<ModelSelectEvent>;
  readonly thinking_level_select: Row<ThinkingLevelSelectEvent>;
  readonly user_bash: Row<UserBashEvent, UserBashResult>;
  readonly ui_prompt_start: Row<UiPromptEvent>;
  readonly ui_prompt_end: Row<UiPromptEvent>;
}

export type ExtensionEventName = keyof ExtensionEvents;

export type EventOf<Name extends ExtensionEventName> = ExtensionEvents[Name]["event"];
export type ResultOf<Name extends ExtensionEventName> = ExtensionEvents[Name]["result"];

interface Row<Event, Result = never> {
  readonly event: Event;
  readonly result: Result;
}

/** As every listener is told it: nobody is waited for. */
type Told<Type extends AgentEvent["type"]> = Row<Extract<AgentEvent, { type: Type }>>;

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
