/** Converts agent events to the wire events of JSON and RPC mode. */

import type { AgentEvent, MessageDelta } from "@pith/agent";
import type { AssistantMessageEvent, CommandResult, MessageUpdate, WireEvent } from "@pith/client";
import type { AssistantMessage, ToolCallBlock, Usage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import type { Answer } from "../commands/command.ts";

export interface ReplyDraft {
  /** Of the block that is yet to begin. */
  readonly next: number;
  /** The text or thought that grows; null where none does. */
  readonly open: { readonly kind: "text" | "thinking"; readonly at: number; readonly content: string } | null;
  /** By the order of the calls, where each stands. */
  readonly calls: readonly { readonly at: number; readonly id: string }[];
}

export const nothingCame: ReplyDraft = { next: 0, open: null, calls: [] };

export interface Grown {
  readonly draft: ReplyDraft;
  readonly events: readonly AssistantMessageEvent[];
}

export function grown(draft: ReplyDraft, delta: MessageDelta): Grown {
  switch (delta.type) {
    case "text-delta":
      return withWords(draft, "text", delta.text);
    case "thinking-delta":
      return withWords(draft, "thinking", delta.text);
    case "tool-call-delta":
      return withArguments(draft, delta);
  }
}

/** What is still open ends with the reply; a call ends whole, as the reply has it. */
export function endsOf(draft: ReplyDraft, { content }: AssistantMessage): readonly AssistantMessageEvent[] {
  const calls = content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  const ends = draft.calls.flatMap(({ at, id }, order) => {
    const toolCall = calls.find((call) => call.id === id) ?? calls[order];
    return toolCall ? [{ type: "toolcall_end" as const, contentIndex: at, toolCall }] : [];
  });
  return [...closing(draft), ...ends];
}

function withWords(draft: ReplyDraft, kind: "text" | "thinking", delta: string): Grown {
  const { open, next } = draft;
  const more = (at: number): AssistantMessageEvent => ({ type: `${kind}_delta`, contentIndex: at, delta });
  if (open?.kind === kind)
    return { draft: { ...draft, open: { ...open, content: open.content + delta } }, events: [more(open.at)] };
  const begun: AssistantMessageEvent = { type: `${kind}_start`, contentIndex: next };
  return {
    draft: { ...draft, next: next + 1, open: { kind, at: next, content: delta } },
    events: [...closing(draft), begun, more(next)],
  };
}

function withArguments(
  draft: ReplyDraft,
  { index, json, call }: Extract<MessageDelta, { type: "tool-call-delta" }>,
): Grown {
  const known = draft.calls[index];
  const more = (at: number): AssistantMessageEvent => ({ type: "toolcall_delta", contentIndex: at, delta: json });
  if (known) return { draft, events: [more(known.at)] };
  const { id = "", name = "" } = call ?? {};
  const { next } = draft;
  const begun: AssistantMessageEvent = { type: "toolcall_start", contentIndex: next, id, toolName: name };
  return {
    draft: { next: next + 1, open: null, calls: [...draft.calls, { at: next, id }] },
    events: [...closing(draft), begun, more(next)],
  };
}

function closing({ open }: ReplyDraft): readonly AssistantMessageEvent[] {
  return open ? [{ type: `${open.kind}_end`, contentIndex: open.at, content: open.content }] : [];
}

/** What is known of the reply that comes in. */
export interface WireState {
  readonly reply: ReplyDraft;
  readonly usage: Usage;
}

export const atRest: WireState = { reply: nothingCame, usage: zeroUsage };

export interface Wired {
  readonly state: WireState;
  readonly lines: readonly WireEvent[];
}

/** Pure, so that JSON and RPC mode share it. One event may become several lines. */
export function toWire(state: WireState, event: AgentEvent): Wired {
  switch (event.type) {
    case "message_start":
      return { state: begun(event), lines: [event] };
    case "auto_retry_start":
      // What came so far does not count: the reply begins anew.
      return { state: { ...state, reply: nothingCame }, lines: [event] };
    case "message_update": {
      const { draft, events } = grown(state.reply, event.delta);
      return { state: { ...state, reply: draft }, lines: updates(events, state) };
    }
    case "message_end": {
      const ends = event.message.role === "assistant" ? endsOf(state.reply, event.message) : [];
      return { state: atRest, lines: [...updates(ends, state), event] };
    }
    default:
      return { state, lines: linesOf(event) };
  }
}

function begun({ message }: Extract<AgentEvent, { type: "message_start" }>): WireState {
  return message.role === "assistant" ? { reply: nothingCame, usage: message.usage } : atRest;
}

function updates(events: readonly AssistantMessageEvent[], { usage }: WireState): readonly MessageUpdate[] {
  return events.map((assistantMessageEvent) => ({ type: "message_update", usage, assistantMessageEvent }));
}

type Stateless = Exclude<AgentEvent, { type: "message_start" | "message_update" | "message_end" | "auto_retry_start" }>;

function linesOf(event: Stateless): readonly WireEvent[] {
  switch (event.type) {
    case "tool_execution_update": {
      const { partialResult: text, ...call } = event;
      return [{ ...call, partialResult: { content: [{ type: "text", text }] } }];
    }
    case "tool_execution_end":
      return resultLines(event);
    case "compaction_end":
      return [compactionEnd(event)];
    case "compaction_failed":
      return [event, { type: "error", error: `the compaction failed: ${event.errorMessage}` }];
    case "agent_end":
      return [{ type: "agent_end", messages: event.messages, willRetry: false, end: event.end }];
    default:
      return [event];
  }
}

/** A result is a message, too. */
function resultLines(event: Extract<AgentEvent, { type: "tool_execution_end" }>): readonly WireEvent[] {
  const { result: message, ...call } = event;
  const { content, details } = message;
  const result = { content, ...(details !== undefined && { details }) };
  return [
    { ...call, result },
    { type: "message_start", message },
    { type: "message_end", message },
  ];
}

/** The receipt lies in the details of the result. */
function compactionEnd(event: Extract<AgentEvent, { type: "compaction_end" }>): WireEvent {
  const { compaction: _, result, ...told } = event;
  const { usage } = event;
  return { ...told, ...(result && { result: { ...result, ...(usage && { usage }) } }) };
}

export function commandResult(command: string, answer: Answer): CommandResult {
  const told = { type: "command_result", command } as const;
  switch (answer.type) {
    case "told":
      return { ...told, success: true, text: answer.text, data: answer.data };
    case "mistake":
    case "failed":
      return { ...told, success: false, error: answer.message };
    case "opened": {
      const { id, path, text, draft } = answer;
      return { ...told, success: true, text, session: { id, path }, ...(draft !== undefined && { draft }) };
    }
    case "draft":
      return { ...told, success: true, text: answer.text, draft: answer.draft };
    case "prompt":
    case "quit":
      return { ...told, success: true };
  }
}
