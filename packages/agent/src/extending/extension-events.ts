/** Every event an extension can listen to, with what it is told and what it may answer. */

import type {
  AddedContext,
  ContextEvent,
  ContextResult,
  ContextWithSystemEvent,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  SessionCompactEvent,
  SessionCompactFailedEvent,
  SessionTreeEvent,
} from "@pith/context";
import type { AgentEvent } from "../events.ts";
import type {
  AfterProviderResponseEvent,
  BeforeProviderRequestEvent,
  BeforeProviderRequestResult,
  ProviderStreamEvent,
} from "../hooks/provider-hooks.ts";
import type * as run from "../hooks/run-hooks.ts";
import type * as host from "./host-events.ts";

export interface ExtensionEvents {
  readonly project_trust: Row<host.ProjectTrustEvent, host.ProjectTrustResult>;
  readonly resources_discover: Row<host.ResourcesDiscoverEvent, host.ResourcesDiscoverResult>;
  readonly session_start: Row<host.SessionStartEvent>;
  readonly session_before_switch: Row<host.SessionBeforeSwitchEvent, host.CancelResult>;
  readonly session_before_fork: Row<host.SessionBeforeForkEvent, host.CancelResult>;
  readonly session_before_compact: Row<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
  readonly session_compact: Row<SessionCompactEvent, AddedContext>;
  readonly session_compact_failed: Row<SessionCompactFailedEvent>;
  readonly session_before_tree: Row<SessionBeforeTreeEvent, SessionBeforeTreeResult>;
  readonly session_tree: Row<SessionTreeEvent, AddedContext>;
  readonly session_shutdown: Row<host.SessionShutdownEvent>;
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
  readonly before_provider_request: Row<BeforeProviderRequestEvent, BeforeProviderRequestResult>;
  readonly after_provider_response: Row<AfterProviderResponseEvent>;
  readonly provider_stream_event: Row<ProviderStreamEvent>;
  readonly model_select: Row<host.ModelSelectEvent>;
  readonly thinking_level_select: Row<host.ThinkingLevelSelectEvent>;
  readonly user_bash: Row<host.UserBashEvent, host.UserBashResult>;
  readonly ui_prompt_start: Row<host.UiPromptEvent>;
  readonly ui_prompt_end: Row<host.UiPromptEvent>;
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
