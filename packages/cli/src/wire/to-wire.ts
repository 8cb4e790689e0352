/** What an agent tells, as programs read it: one event may be several lines. Pure, so that every mode can share it. */

import type { AgentEvent } from "@pith/agent";
import { noUsage, type Usage } from "@pith/context";
import { endsOf, grown, nothingCame, type ReplyDraft } from "./reply-draft.ts";
import type { AssistantMessageEvent, MessageUpdate, WireEvent } from "./wire-event.ts";

/** What is known of the reply that comes in. */
export interface WireState {
  readonly reply: ReplyDraft;
  readonly usage: Usage;
}

export const atRest: WireState = { reply: nothingCame, usage: noUsage };

export interface Wired {
  readonly state: WireState;
  readonly lines: readonly WireEvent[];
}

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
