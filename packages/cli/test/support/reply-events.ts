/** Creates the events of replies: the deltas of a model, and the entries of the log. */

import type { AgentEvent } from "@pith/agent";
import type { AssistantMessage, Entry, StopReason, ToolResultMessage } from "@pith/context";
import type { Block } from "../../src/modes/interactive/state/blocks.ts";
import { splitFinished } from "../../src/modes/interactive/state/finished-blocks.ts";
import { reduceEvent } from "../../src/modes/interactive/state/reduce.ts";
import { initialScreenState, type ScreenState } from "../../src/modes/interactive/state/screen-state.ts";

export type Part = AssistantMessage["content"][number];

const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

export function messageOf(content: readonly Part[], stopReason: StopReason = "stop"): AssistantMessage {
  const usage = { ...free, totalTokens: 0, cost: free };
  return { role: "assistant", content, api: "x", provider: "p", model: "m", usage, stopReason, timestamp: 0 };
}

export function appended(id: string, message: Extract<Entry, { type: "message" }>["message"]): AgentEvent {
  return { type: "entry_appended", entry: { type: "message", id, parentId: null, timestamp: "", message } };
}

export function started(): AgentEvent {
  return { type: "message_start", message: messageOf([]) };
}

/** A reply in pieces of so many letters; not yet in the log. */
export function pieces(content: readonly Part[], length: number): readonly AgentEvent[] {
  return content.flatMap((part, index): readonly AgentEvent[] => {
    if (part.type === "toolCall") {
      const call = { id: part.id, name: part.name };
      return [{ type: "message_update", delta: { type: "tool-call-delta", index, json: "{}", call } }];
    }
    const type = part.type === "text" ? "text-delta" : "thinking-delta";
    const words = part.type === "text" ? part.text : part.thinking;
    return slices(words, length).map((text) => ({ type: "message_update", delta: { type, text } }));
  });
}

export function callEvents(call: Extract<Part, { type: "toolCall" }>, output: string): readonly AgentEvent[] {
  const { id: toolCallId, name: toolName, arguments: args } = call;
  const result: ToolResultMessage = {
    ...{ role: "toolResult", toolCallId, toolName, content: [{ type: "text", text: output }] },
    ...{ isError: false, timestamp: 0 },
  };
  return [
    { type: "tool_execution_start", toolCallId, toolName, args },
    { type: "tool_execution_update", toolCallId, toolName, args, partialResult: output.slice(0, 3) },
    { type: "tool_execution_end", toolCallId, toolName, args, result, isError: false, durationMs: 1 },
    appended(`result-${toolCallId}`, result),
  ];
}

export const restart: AgentEvent = {
  type: "auto_retry_start",
  attempt: 1,
  maxAttempts: 6,
  delayMs: 10,
  errorMessage: "busy",
};

export const ended: AgentEvent = { type: "agent_end", messages: [], end: { type: "done" } };

export const settled: AgentEvent = { type: "agent_settled", aborted: false };

export interface AppliedEvents {
  readonly printed: readonly Block[];
  readonly state: ScreenState;
}

/** As a screen does it: after each event what is finished is printed. */
export function applyEvents(events: readonly AgentEvent[], start: ScreenState = initialScreenState): AppliedEvents {
  const printed: Block[] = [];
  let state = start;
  for (const event of events) {
    const { blocks, rest } = splitFinished(reduceEvent(state, event, 0));
    printed.push(...blocks);
    state = rest;
  }
  return { printed, state };
}

/** All that somebody has read by now, in order: what is printed, then what still changes. */
export function listVisibleTexts({ printed, state }: AppliedEvents): readonly string[] {
  return [...printed, ...state.blocks].flatMap((block): readonly string[] => {
    if (block.kind === "assistant") return [block.text.slice(block.printed)];
    if (block.kind === "thinking") return block.isPrinted ? [] : [block.text];
    if (block.kind === "user" || block.kind === "note") return [block.text];
    return block.kind === "tool" ? [`${block.tool}:${block.id.replace("draft:", "")}`] : [];
  });
}

function slices(text: string, length: number): readonly string[] {
  const count = Math.ceil(text.length / length);
  return Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length));
}
