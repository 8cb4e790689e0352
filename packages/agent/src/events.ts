/** What an agent tells while it works, in the names that pi's users know. */

import type {
  AgentMessage,
  AssistantMessage,
  Compaction,
  CompactionEntry,
  Entry,
  ModelEvent,
  ThinkingLevel,
  ToolResultMessage,
} from "@pith/context";

export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start" }
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | { readonly type: "message_update"; readonly delta: Delta }
  | { readonly type: "message_end"; readonly message: AgentMessage }
  | (Call & { readonly type: "tool_execution_start" })
  /** `partialResult` is the newest of what it says, not all of it. */
  | (Call & { readonly type: "tool_execution_update"; readonly partialResult: string })
  | (Call & {
      readonly type: "tool_execution_end";
      readonly result: ToolResultMessage;
      readonly isError: boolean;
    })
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | RetryEvent
  | CompactionEvent
  /** What waits, as it was said. */
  | { readonly type: "queue_update"; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: "entry_appended"; readonly entry: Entry }
  | { readonly type: "thinking_level_changed"; readonly level: ThinkingLevel }
  | { readonly type: "agent_end"; readonly messages: readonly AgentMessage[]; readonly end: RunEnd }
  /** Nothing is under way any more, and nothing will begin by itself. */
  | { readonly type: "agent_settled"; readonly aborted: boolean };

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type RetryEvent =
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | {
      readonly type: "auto_retry_end";
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    };

type CompactionEvent =
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | {
      readonly type: "compaction_end";
      readonly reason: CompactionReason;
      readonly result?: CompactionResult;
      readonly aborted: boolean;
      /** Whether the request that was refused is sent again now. */
      readonly willRetry: boolean;
      readonly errorMessage?: string;
      /** All there is to know of it: the receipt, or why nothing came of it. */
      readonly compaction: Compaction;
    };

/** What a compaction put in place of what it covered. */
export type CompactionResult = Pick<CompactionEntry, "summary" | "firstKeptEntryId" | "tokensBefore" | "details">;

/** A piece of a reply, as it comes. */
export type Delta = Extract<ModelEvent, { type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

export type CompactionReason = "manual" | "threshold" | "overflow";

/** How a run ended: the model had no more to say, somebody stopped it, or why it could not go on. */
export type RunEnd =
  /** `isCut`: the last answer was longer than the model may answer, and broke off there. */
  | { readonly type: "done"; readonly isCut?: true }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly why: string };
