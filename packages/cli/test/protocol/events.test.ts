/** From what an agent tells to what programs read. */

import type { AgentEvent } from "@pith/agent";
import type { AssistantMessageEvent, WireEvent } from "@pith/client";
import type { AssistantMessage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import fc from "fast-check";
import { expect, test } from "vitest";
import { initialWireState, toWireEvents } from "../../src/protocol/events.ts";

const reply = (content: AssistantMessage["content"] = []): AssistantMessage => ({
  role: "assistant",
  content,
  api: "a",
  provider: "p",
  model: "m",
  usage: { ...zeroUsage, input: 7 },
  stopReason: "stop",
  timestamp: 0,
});

function wired(...events: readonly AgentEvent[]): readonly WireEvent[] {
  let state = initialWireState;
  return events.flatMap((event) => {
    const { state: next, events: lines } = toWireEvents(state, event);
    state = next;
    return lines;
  });
}

const pieces = (lines: readonly WireEvent[]): readonly AssistantMessageEvent[] =>
  lines.flatMap((line) => (line.type === "message_update" ? [line.assistantMessageEvent] : []));

const start: AgentEvent = { type: "message_start", message: reply() };
const text = (words: string): AgentEvent => ({ type: "message_update", delta: { type: "text-delta", text: words } });
const thought = (words: string): AgentEvent => ({
  type: "message_update",
  delta: { type: "thinking-delta", text: words },
});
const json = (index: number, words: string): AgentEvent => ({
  type: "message_update",
  delta: { type: "tool-call-delta", index, json: words, call: { id: `c${index}`, name: "bash" } },
});
const toolCall = (index: number) => ({ type: "toolCall", id: `c${index}`, name: "bash", arguments: {} }) as const;

test("JSON1 blocks of a reply begin and end in order, and each delta has only new content", () => {
  const end: AgentEvent = { type: "message_end", message: reply([toolCall(0), toolCall(1)]) };
  const events = pieces(
    wired(start, thought("hm"), text("a"), text("b"), json(0, "{"), json(1, "["), json(0, "}"), end),
  );
  expect(events).toEqual([
    { type: "thinking_start", contentIndex: 0 },
    { type: "thinking_delta", contentIndex: 0, delta: "hm" },
    { type: "thinking_end", contentIndex: 0, content: "hm" },
    { type: "text_start", contentIndex: 1 },
    { type: "text_delta", contentIndex: 1, delta: "a" },
    { type: "text_delta", contentIndex: 1, delta: "b" },
    { type: "text_end", contentIndex: 1, content: "ab" },
    { type: "toolcall_start", contentIndex: 2, id: "c0", toolName: "bash" },
    { type: "toolcall_delta", contentIndex: 2, delta: "{" },
    { type: "toolcall_start", contentIndex: 3, id: "c1", toolName: "bash" },
    { type: "toolcall_delta", contentIndex: 3, delta: "[" },
    { type: "toolcall_delta", contentIndex: 2, delta: "}" },
    { type: "toolcall_end", contentIndex: 2, toolCall: toolCall(0) },
    { type: "toolcall_end", contentIndex: 3, toolCall: toolCall(1) },
  ]);
});

test("JSON1 a retry starts the blocks of a reply again", () => {
  const retry: AgentEvent = { type: "auto_retry_start", attempt: 1, maxAttempts: 6, delayMs: 1, errorMessage: "busy" };
  const events = pieces(wired(start, text("half"), retry, text("whole"), { type: "message_end", message: reply() }));
  expect(events.filter(({ type }) => type === "text_start").map(({ contentIndex }) => contentIndex)).toEqual([0, 0]);
  expect(events.at(-1)).toEqual({ type: "text_end", contentIndex: 0, content: "whole" });
});

test("JSON1 for any events, the deltas of a block join to its content, and each block begins and ends once", () => {
  const piece = fc.oneof(
    fc.string().map(text),
    fc.string().map(thought),
    fc.tuple(fc.nat(2), fc.string()).map(([index, words]) => json(index, words)),
  );
  fc.assert(
    fc.property(fc.array(piece), (all) => {
      const message = reply([toolCall(0), toolCall(1), toolCall(2)]);
      const events = pieces(wired(start, ...inOrder(all), { type: "message_end", message }));
      const starts = events.filter(({ type }) => type.endsWith("_start")).map(({ contentIndex }) => contentIndex);
      const ends = events.filter(({ type }) => type.endsWith("_end")).map(({ contentIndex }) => contentIndex);
      expect(starts).toEqual(starts.map((_, at) => at));
      expect([...ends].sort((one, other) => one - other)).toEqual(starts);
      for (const end of events) {
        if (!("content" in end)) continue;
        const deltas = events.filter((each) => each.contentIndex === end.contentIndex && "delta" in each);
        expect(deltas.map((each) => ("delta" in each ? each.delta : "")).join("")).toBe(end.content);
      }
    }),
  );
});

// A call begins after those before it.
function inOrder(events: readonly AgentEvent[]): readonly AgentEvent[] {
  let begun = 0;
  return events.filter((event) => {
    if (event.type !== "message_update" || event.delta.type !== "tool-call-delta") return true;
    if (event.delta.index > begun) return false;
    begun = Math.max(begun, event.delta.index + 1);
    return true;
  });
}

test("JSON1 a tool result is also a message, a receipt stays in its details, and a failure is also an error", () => {
  const call = { toolCallId: "c", toolName: "bash", args: {} };
  const result = {
    role: "toolResult",
    toolCallId: "c",
    toolName: "bash",
    content: [],
    isError: false,
    timestamp: 0,
  } as const;
  expect(wired({ type: "tool_execution_end", ...call, result, isError: false, durationMs: 7 })).toEqual([
    { type: "tool_execution_end", ...call, result: { content: [] }, isError: false, durationMs: 7 },
    { type: "message_start", message: result },
    { type: "message_end", message: result },
  ]);
  expect(wired({ type: "tool_execution_update", ...call, partialResult: "so far" })).toEqual([
    { type: "tool_execution_update", ...call, partialResult: { content: [{ type: "text", text: "so far" }] } },
  ]);
  const compaction = { type: "failed", why: "cannot-fit" } as never;
  const ended = { type: "compaction_end", reason: "manual", aborted: false, willRetry: false, calls: 1 } as const;
  const cost = { usage: zeroUsage, durationMs: 3, errorMessage: "cannot-fit" };
  expect(wired({ ...ended, ...cost, compaction })).toEqual([{ ...ended, ...cost }]);
  const failed = { type: "compaction_failed", reason: "manual", code: "cannot-fit", errorMessage: "too much" } as const;
  expect(wired(failed)).toEqual([failed, { type: "error", error: "the compaction failed: too much" }]);
});
