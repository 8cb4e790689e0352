/** What programs read of a session, line by line: pi's shapes where pi has one, ours beside them. */

import type { AgentEvent, CompactionResult, RunEnd } from "@pith/agent";
import type { AgentMessage, Header, TextBlock, ToolCallBlock, ToolResultMessage, Usage } from "@pith/context";

export type WireEvent =
  /** The first line: which session this is. */
  | Header
  | Exclude<AgentEvent, { type: Reshaped }>
  | MessageUpdate
  | (Call & {
      readonly type: "tool_execution_update";
      /** The newest of what it says, not all of it. */
      readonly partialResult: { readonly content: readonly TextBlock[] };
    })
  | (Call & {
      readonly type: "tool_execution_end";
      readonly result: Pick<ToolResultMessage, "content" | "details">;
      readonly isError: boolean;
    })
  | CompactionEndLine
  | {
      readonly type: "agent_end";
      readonly messages: readonly AgentMessage[];
      readonly willRetry: boolean;
      readonly end: RunEnd;
    }
  | CommandResult
  | ErrorLine;

type Reshaped = "message_update" | "tool_execution_update" | "tool_execution_end" | "compaction_end" | "agent_end";

type Call = Pick<Extract<AgentEvent, { type: "tool_execution_start" }>, "toolCallId" | "toolName" | "args">;

type CompactionEndLine = Omit<Extract<AgentEvent, { type: "compaction_end" }>, "compaction" | "result"> & {
  readonly result?: CompactionResult & { readonly usage?: Usage };
};

/** A piece of a reply. `usage` is what is known of it by then, mostly nothing: `message_end` has it. */
export interface MessageUpdate {
  readonly type: "message_update";
  readonly usage: Usage;
  readonly assistantMessageEvent: AssistantMessageEvent;
}

/** Only what is new: joined by `contentIndex` the deltas are the blocks of the message. */
export type AssistantMessageEvent = { readonly contentIndex: number } & (
  | { readonly type: "text_start" | "thinking_start" }
  | { readonly type: "text_delta" | "thinking_delta" | "toolcall_delta"; readonly delta: string }
  | { readonly type: "text_end" | "thinking_end"; readonly content: string }
  | { readonly type: "toolcall_start"; readonly id: string; readonly toolName: string }
  | { readonly type: "toolcall_end"; readonly toolCall: ToolCallBlock }
);

/** What a command such as /session answered. */
export interface CommandResult {
  readonly type: "command_result";
  /** As it was written. */
  readonly command: string;
  readonly success: boolean;
  /** For people. */
  readonly text?: string;
  /** The same for programs. */
  readonly data?: unknown;
  readonly error?: string;
  /** The session one stands in from now on. */
  readonly session?: { readonly id: string; readonly path: string };
  /** Words to change and say. */
  readonly draft?: string;
}

/** Whatever failed, for whoever looks for nothing else. */
export interface ErrorLine {
  readonly type: "error";
  readonly error: string;
}
