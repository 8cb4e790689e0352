/** Converts agent events and command results to the wire events of JSON and RPC mode. */

import type { AgentEvent, MessageDelta } from "@pith/agent";
import type {
  AssistantMessageEvent,
  CommandResult as CommandResultEvent,
  MessageUpdate,
  WireEvent,
} from "@pith/client";
import type { AssistantMessage, ToolCallBlock, Usage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import type { CommandResult } from "../commands/command.ts";

/** The blocks of a reply that is being streamed. */
export interface ReplyDraft {
  /** The content index of the next block. */
  readonly nextIndex: number;
  /** The text or thinking block that is being streamed; null if there is none. */
  readonly openBlock: {
    readonly kind: "text" | "thinking";
    readonly contentIndex: number;
    readonly content: string;
  } | null;
  /** The tool calls, in the order of the reply. */
  readonly calls: readonly { readonly contentIndex: number; readonly id: string }[];
}

const emptyDraft: ReplyDraft = { nextIndex: 0, openBlock: null, calls: [] };

export interface DraftUpdate {
  readonly draft: ReplyDraft;
  readonly events: readonly AssistantMessageEvent[];
}

function applyDelta(draft: ReplyDraft, delta: MessageDelta): DraftUpdate {
  switch (delta.type) {
    case "text-delta":
      return appendText(draft, "text", delta.text);
    case "thinking-delta":
      return appendText(draft, "thinking", delta.text);
    case "tool-call-delta":
      return appendArguments(draft, delta);
  }
}

/** Ends the open block, and each tool call with its final content from the reply. */
function createEndEvents(draft: ReplyDraft, { content }: AssistantMessage): readonly AssistantMessageEvent[] {
  const calls = content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  const callEnds = draft.calls.flatMap(({ contentIndex, id }, callIndex) => {
    const toolCall = calls.find((call) => call.id === id) ?? calls[callIndex];
    return toolCall ? [{ type: "toolcall_end" as const, contentIndex, toolCall }] : [];
  });
  return [...closeOpenBlock(draft), ...callEnds];
}

function appendText(draft: ReplyDraft, kind: "text" | "thinking", delta: string): DraftUpdate {
  const { openBlock, nextIndex } = draft;
  const createDelta = (contentIndex: number): AssistantMessageEvent => ({ type: `${kind}_delta`, contentIndex, delta });
  if (openBlock?.kind === kind)
    return {
      draft: { ...draft, openBlock: { ...openBlock, content: openBlock.content + delta } },
      events: [createDelta(openBlock.contentIndex)],
    };
  const startEvent: AssistantMessageEvent = { type: `${kind}_start`, contentIndex: nextIndex };
  return {
    draft: { ...draft, nextIndex: nextIndex + 1, openBlock: { kind, contentIndex: nextIndex, content: delta } },
    events: [...closeOpenBlock(draft), startEvent, createDelta(nextIndex)],
  };
}

function appendArguments(
  draft: ReplyDraft,
  { index, json, call }: Extract<MessageDelta, { type: "tool-call-delta" }>,
): DraftUpdate {
  const knownCall = draft.calls[index];
  const createDelta = (contentIndex: number): AssistantMessageEvent => ({
    type: "toolcall_delta",
    contentIndex,
    delta: json,
  });
  if (knownCall) return { draft, events: [createDelta(knownCall.contentIndex)] };
  const { id = "", name = "" } = call ?? {};
  const { nextIndex } = draft;
  const startEvent: AssistantMessageEvent = { type: "toolcall_start", contentIndex: nextIndex, id, toolName: name };
  return {
    draft: { nextIndex: nextIndex + 1, openBlock: null, calls: [...draft.calls, { contentIndex: nextIndex, id }] },
    events: [...closeOpenBlock(draft), startEvent, createDelta(nextIndex)],
  };
}

function closeOpenBlock({ openBlock }: ReplyDraft): readonly AssistantMessageEvent[] {
  return openBlock
    ? [{ type: `${openBlock.kind}_end`, contentIndex: openBlock.contentIndex, content: openBlock.content }]
    : [];
}

/** The state of the reply that is being streamed. */
export interface WireState {
  readonly reply: ReplyDraft;
  readonly usage: Usage;
}

export const initialWireState: WireState = { reply: emptyDraft, usage: zeroUsage };

export interface WireResult {
  readonly state: WireState;
  readonly events: readonly WireEvent[];
}

/** A pure reducer, shared by JSON and RPC mode. One agent event may become several wire events. */
export function toWireEvents(state: WireState, event: AgentEvent): WireResult {
  switch (event.type) {
    case "message_start":
      return { state: startReply(event), events: [{ type: "message_start", message: event.message }] };
    case "auto_retry_start":
      // The partial reply is discarded: the reply starts again.
      return { state: { ...state, reply: emptyDraft }, events: [event] };
    case "message_update": {
      const { draft, events } = applyDelta(state.reply, event.delta);
      return { state: { ...state, reply: draft }, events: toMessageUpdates(events, state) };
    }
    case "message_end": {
      const endEvents = event.message.role === "assistant" ? createEndEvents(state.reply, event.message) : [];
      const endEvent = { type: "message_end", message: event.message } as const;
      return { state: initialWireState, events: [...toMessageUpdates(endEvents, state), endEvent] };
    }
    default:
      return { state, events: convertStatelessEvent(event) };
  }
}

function startReply({ message }: Extract<AgentEvent, { type: "message_start" }>): WireState {
  return message.role === "assistant" ? { reply: emptyDraft, usage: message.usage } : initialWireState;
}

function toMessageUpdates(events: readonly AssistantMessageEvent[], { usage }: WireState): readonly MessageUpdate[] {
  return events.map((assistantMessageEvent) => ({ type: "message_update", usage, assistantMessageEvent }));
}

function convertStatelessEvent(
  event: Exclude<AgentEvent, { type: "message_start" | "message_update" | "message_end" | "auto_retry_start" }>,
): readonly WireEvent[] {
  switch (event.type) {
    case "tool_execution_update": {
      const { partialResult: text, ...call } = event;
      return [{ ...call, partialResult: { content: [{ type: "text", text }] } }];
    }
    case "tool_execution_end":
      return toToolResultEvents(event);
    case "compaction_end":
      return [toCompactionEndEvent(event)];
    case "compaction_failed":
      return [event, { type: "error", error: `the compaction failed: ${event.errorMessage}` }];
    case "agent_end":
      return [{ type: "agent_end", messages: event.messages, willRetry: false, end: event.end }];
    default:
      return [event];
  }
}

/** A tool result is also sent as a message. */
function toToolResultEvents(event: Extract<AgentEvent, { type: "tool_execution_end" }>): readonly WireEvent[] {
  const { result: message, ...call } = event;
  const { content, details } = message;
  const result = { content, ...(details !== undefined && { details }) };
  return [
    { ...call, result },
    { type: "message_start", message },
    { type: "message_end", message },
  ];
}

/** Omits the compaction entry: its receipt is in the details of the result. */
function toCompactionEndEvent(event: Extract<AgentEvent, { type: "compaction_end" }>): WireEvent {
  const { compaction: _, result, ...fields } = event;
  const { usage } = event;
  return { ...fields, ...(result && { result: { ...result, ...(usage && { usage }) } }) };
}

export function toCommandResultEvent(command: string, result: CommandResult): CommandResultEvent {
  const base = { type: "command_result", command } as const;
  switch (result.type) {
    case "success":
      return { ...base, success: true, text: result.text, data: result.data };
    case "mistake":
    case "failed":
      return { ...base, success: false, error: result.message };
    case "opened": {
      const { id, path, text, draft } = result;
      return { ...base, success: true, text, session: { id, path }, ...(draft !== undefined && { draft }) };
    }
    case "draft":
      return { ...base, success: true, text: result.text, draft: result.draft };
    case "prompt":
    case "quit":
      return { ...base, success: true };
  }
}
