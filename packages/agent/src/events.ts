/** What an agent tells while it works, in the names that pi's users know. */

import type {
  AssistantMessage,
  Compaction,
  Message,
  ModelEvent,
  ToolCallBlock,
  ToolResultMessage,
} from "@pith/context";

export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start" }
  | { readonly type: "message_start"; readonly message: Message }
  | { readonly type: "message_update"; readonly delta: Delta }
  | { readonly type: "message_end"; readonly message: Message }
  | { readonly type: "tool_execution_start"; readonly call: ToolCallBlock }
  | { readonly type: "tool_execution_update"; readonly callId: string; readonly text: string }
  | { readonly type: "tool_execution_end"; readonly callId: string; readonly result: ToolResultMessage }
  | { readonly type: "auto_retry_start"; readonly delayMs: number; readonly errorMessage: string }
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | { readonly type: "compaction_end"; readonly reason: CompactionReason; readonly result: Compaction }
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: "agent_end"; readonly end: RunEnd };

/** A piece of a reply, as it comes. */
export type Delta = Extract<ModelEvent, { type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

export type CompactionReason = "manual" | "threshold" | "overflow";

/** How a run ended: the model had no more to say, somebody stopped it, or why it could not go on. */
export type RunEnd =
  | { readonly type: "done" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly why: string };
