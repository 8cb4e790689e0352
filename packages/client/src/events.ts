/** Defines the events that JSON and RPC mode write, one per line. An event that pi has too has pi's shape. */

import type { AgentEvent, CompactionResult, RunEnd } from "@pith/agent";
import type { AgentMessage, Header, TextBlock, ToolCallBlock, ToolResultMessage, Usage } from "@pith/context";

/** One line of JSON or RPC mode. */
export type WireEvent =
  /** The first line, with the id of the session. */
  | Header
  | Exclude<AgentEvent, { type: WireShapeType }>
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | MessageUpdate
  | { readonly type: "message_end"; readonly message: AgentMessage }
  | (ToolExecution & {
      readonly type: "tool_execution_update";
      /** Only the newest output. */
      readonly partialResult: { readonly content: readonly TextBlock[] };
    })
  | (ToolExecution & {
      readonly type: "tool_execution_end";
      readonly result: Pick<ToolResultMessage, "content" | "details">;
      readonly isError: boolean;
      /** The time that the tool ran, without questions to the user. */
      readonly durationMs: number;
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

type WireShapeType =
  | ("message_start" | "message_update" | "message_end")
  | ("tool_execution_update" | "tool_execution_end" | "compaction_end" | "agent_end");

type ToolExecution = Pick<Extract<AgentEvent, { type: "tool_execution_start" }>, "toolCallId" | "toolName" | "args">;

type CompactionEndLine = Omit<Extract<AgentEvent, { type: "compaction_end" }>, "compaction" | "result"> & {
  readonly result?: CompactionResult & { readonly usage?: Usage };
};

/** A part of a reply. `usage` is what is known so far, which may be zero; `message_end` has the final one. */
export interface MessageUpdate {
  readonly type: "message_update";
  readonly usage: Usage;
  readonly assistantMessageEvent: AssistantMessageEvent;
}

/** The new part of a message. The joined deltas of one `contentIndex` are one block of the message. */
export type AssistantMessageEvent = { readonly contentIndex: number } & (
  | { readonly type: "text_start" | "thinking_start" }
  | { readonly type: "text_delta" | "thinking_delta" | "toolcall_delta"; readonly delta: string }
  | { readonly type: "text_end" | "thinking_end"; readonly content: string }
  | { readonly type: "toolcall_start"; readonly id: string; readonly toolName: string }
  | { readonly type: "toolcall_end"; readonly toolCall: ToolCallBlock }
);

/** The result of a slash command such as /session. */
export interface CommandResult {
  readonly type: "command_result";
  /** The command as it was typed. */
  readonly command: string;
  readonly success: boolean;
  /** The result as text. */
  readonly text?: string;
  /** The same result as data. */
  readonly data?: unknown;
  readonly error?: string;
  /** The session that is open from now on. */
  readonly session?: { readonly id: string; readonly path: string };
  /** A prompt for the user to edit and send. */
  readonly draft?: string;
}

/** A failure as text, for clients that handle no other event. */
export interface ErrorLine {
  readonly type: "error";
  readonly error: string;
}
