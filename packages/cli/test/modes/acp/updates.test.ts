/** Tests which updates an editor gets for every event. */

import assert from "node:assert/strict";
import type { AgentEvent } from "@pith/agent";
import type { AssistantMessage, ToolResultMessage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { test } from "vitest";
import type { ClientView } from "../../../src/modes/acp/acp-context.ts";
import { toToolCall } from "../../../src/modes/acp/tool-updates.ts";
import { advanceIds, createIds, toSessionUpdates } from "../../../src/modes/acp/updates.ts";

const plain: ClientView = {
  cwd: "/code",
  features: { supportsCompactions: false, supportsNotices: false, supportsForms: false },
};
const able: ClientView = {
  cwd: "/code",
  features: { supportsCompactions: true, supportsNotices: true, supportsForms: true },
};
const ids = createIds("o");
const reply: AssistantMessage = {
  ...{ role: "assistant", api: "a", provider: "p", model: "m", usage: zeroUsage, stopReason: "toolUse", timestamp: 1 },
  content: [
    { type: "text", text: "Looking." },
    { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts", offset: 3 } },
  ],
};
const called = { toolCallId: "c1", toolName: "bash", args: { command: "ls" } };
const result: ToolResultMessage = {
  ...{ role: "toolResult", toolCallId: "c1", toolName: "bash", isError: false, timestamp: 1 },
  content: [{ type: "text", text: "a.ts" }],
  details: { exitCode: 0, pith: { ours: true } },
};
const diff = "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n";
const edited = { ...result, toolName: "edit", details: { diff, pith: {} } };
const chunk = (kind: string, text: string, messageId?: string) => ({
  sessionUpdate: kind,
  content: { type: "text", text },
  ...(messageId && { messageId }),
});
const entry = { id: "e2", parentId: "e1", timestamp: "2026-11-15T19:11:24.034Z" };
const callUpdate = { sessionUpdate: "tool_call_update", toolCallId: "c1" };
const skipped = { type: "compaction_skipped", reason: "threshold", why: "off", note: "it is off" } as const;
const notDone: AgentEvent = {
  ...{ type: "compaction_end", reason: "manual", aborted: false, willRetry: false, calls: 0, durationMs: 1 },
  compaction: { type: "nothing-to-do", why: "too-short" },
};

/** What an editor that knows little is told, and one that knows all where that differs. */
const rows: readonly (readonly [AgentEvent, readonly object[], (readonly object[])?])[] = [
  [{ type: "message_update", delta: { type: "text-delta", text: "Hi" } }, [chunk("agent_message_chunk", "Hi", "o-0")]],
  [
    { type: "message_update", delta: { type: "thinking-delta", text: "hm" } },
    [chunk("agent_thought_chunk", "hm", "o-0")],
  ],
  [{ type: "message_update", delta: { type: "tool-call-delta", index: 0, json: "{" } }, []],
  [
    { type: "message_end", message: reply },
    [
      {
        ...{ sessionUpdate: "tool_call", toolCallId: "c1", title: "read a.ts from 3", name: "read", kind: "read" },
        ...{ status: "pending", locations: [{ path: "/code/a.ts", line: 3 }] },
        rawInput: { path: "a.ts", offset: 3 },
      },
    ],
  ],
  [{ type: "message_end", message: { ...reply, stopReason: "aborted" } }, []],
  [{ type: "message_end", message: { role: "user", content: "hello", timestamp: 1 } }, []],
  [
    {
      type: "message_end",
      message: { role: "custom", customType: "x", content: "Note.", display: true, timestamp: 1 },
    },
    [chunk("agent_message_chunk", "Note.", "o-0-note")],
  ],
  [{ type: "tool_execution_start", ...called }, [{ ...callUpdate, status: "in_progress" }]],
  [
    { type: "tool_execution_update", ...called, partialResult: "a" },
    [{ ...callUpdate, content: [{ type: "content", content: { type: "text", text: "a" } }] }],
  ],
  [
    { type: "tool_execution_end", ...called, result, isError: false, durationMs: 1 },
    [
      {
        ...{ ...callUpdate, status: "completed", rawOutput: { exitCode: 0 } },
        content: [{ type: "content", content: { type: "text", text: "a.ts" } }],
      },
    ],
  ],
  [
    {
      type: "tool_execution_end",
      toolCallId: "c1",
      toolName: "edit",
      args: { path: "a.ts" },
      result: edited,
      durationMs: 1,
      isError: false,
    },
    [
      {
        ...{ ...callUpdate, status: "completed", rawOutput: { diff } },
        content: [{ type: "diff", path: "/code/a.ts", oldText: "same\nold\n", newText: "same\nnew\n" }],
      },
    ],
  ],
  [
    { type: "compaction_start", reason: "manual" },
    [],
    [{ sessionUpdate: "compaction_update", compactionId: "o-0", status: "in_progress" }],
  ],
  [notDone, [], [{ sessionUpdate: "compaction_update", compactionId: "o-0", status: "cancelled" }]],
  [
    skipped,
    [chunk("agent_message_chunk", "\n\n· not compacted: it is off\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "not compacted: it is off" }],
  ],
  [
    { type: "compaction_undone", compactionId: "e1", leafId: null },
    [chunk("agent_message_chunk", "\n\n· compaction undone; /redo restores it\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "compaction undone; /redo restores it" }],
  ],
  [
    { type: "auto_retry_start", attempt: 1, maxAttempts: 6, delayMs: 2000, errorMessage: "overloaded" },
    [chunk("agent_message_chunk", "\n\n· overloaded; retrying in 2 s\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "overloaded; retrying in 2 s" }],
  ],
  [
    { type: "secrets_redacted", secrets: [{ family: "github", handle: "h" }] as never },
    [],
    [{ sessionUpdate: "notice", severity: "info", title: "redacted: github" }],
  ],
  [
    { type: "extension_error", extensionPath: "x.ts", event: "input", error: "it threw" },
    [chunk("agent_message_chunk", "\n\n· x.ts, input: it threw\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "x.ts, input: it threw" }],
  ],
  [{ type: "session_info_changed", name: "n" }, [{ sessionUpdate: "session_info_update", title: "n" }]],
  [{ type: "session_info_changed" }, [{ sessionUpdate: "session_info_update", title: null }]],
  [
    { type: "compaction_redone", compactionId: "e1", leafId: null },
    [chunk("agent_message_chunk", "\n\n· compaction restored\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "compaction restored" }],
  ],
  [
    { type: "compaction_quality", compactionId: "e1", findings: [{ code: "repaired", note: "it was mended" }] },
    [chunk("agent_message_chunk", "\n\n· note: it was mended\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "note: it was mended" }],
  ],
  [
    { type: "model_notice", code: "thinking-off", message: "Thinking is off." },
    [chunk("agent_message_chunk", "\n\n· Thinking is off.\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "Thinking is off." }],
  ],
  [
    { type: "session_damaged", message: "This session is damaged.", damage: [], count: 1 },
    [chunk("agent_message_chunk", "\n\n· This session is damaged.\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "This session is damaged." }],
  ],
  [
    { type: "outdated_results_removed", removalId: "e9", count: 1, tokens: 4_200 },
    [],
    [
      {
        ...{ sessionUpdate: "notice", severity: "info" },
        title: "removed 1 outdated tool result from the context: −4.2k tokens; /undo brings it back",
      },
    ],
  ],
  [
    { type: "outdated_results_restored", removalId: "e9", count: 2, tokens: 4_200 },
    [],
    [
      {
        ...{ sessionUpdate: "notice", severity: "info" },
        title: "brought 2 outdated tool results back into the context: +4.2k tokens; /redo removes them again",
      },
    ],
  ],
  [
    { type: "compaction_soft_threshold", tokens: 60, isEstimate: false, limit: 100, contextWindow: 200 },
    [],
    [{ sessionUpdate: "notice", severity: "info", title: "the context is 60% full (60 of 100 tokens)" }],
  ],
  [
    {
      ...{ type: "summarization_retry_scheduled", source: "compaction", reason: "manual" },
      ...{ attempt: 1, delayMs: 1000, errorMessage: "busy" },
    },
    [chunk("agent_message_chunk", "\n\n· busy; retrying in 1 s\n\n")],
    [{ sessionUpdate: "notice", severity: "warning", title: "busy; retrying in 1 s" }],
  ],
  [{ type: "summarization_retry_attempt_start", source: "branchSummary" }, []],
  [{ type: "summarization_retry_finished", source: "branchSummary" }, []],
  [{ type: "compaction_progress", reason: "manual", step: "writing", tokens: 200 }, []],
  [{ type: "branch_summary_progress", step: "writing", tokens: 200 }, []],
  [{ type: "compaction_preparation", state: "ready", durationMs: 20_000 }, []],
  [{ type: "compaction_failed", reason: "manual", code: "cannot-fit", errorMessage: "no" }, []],
  [{ type: "usage", kind: "handoff", provider: "p", model: "m", usage: zeroUsage }, []],
  [{ type: "auto_retry_end", success: true, attempt: 1 }, []],
  [{ type: "entry_appended", entry: { ...entry, type: "label", targetId: "e1", label: "l" } }, []],
  [{ type: "agent_start" }, []],
  [{ type: "turn_start" }, []],
  [{ type: "message_start", message: reply }, []],
  [{ type: "turn_end", message: reply, toolResults: [] }, []],
  [{ type: "queue_update", steering: [], followUp: [] }, []],
  [{ type: "leaf_moved", leafId: "e1", oldLeafId: "e2" }, []],
  [{ type: "session_tree", newLeafId: "e1", oldLeafId: "e2" }, []],
  [{ type: "thinking_level_changed", level: "high" }, []],
  [{ type: "agent_end", messages: [], end: { type: "done" } }, []],
  [{ type: "agent_settled", aborted: false }, []],
];

test.each(rows.map(([event, ...updates], at) => [`${at} ${event.type}`, event, ...updates] as const))(
  "ACP13 an agent event becomes the expected session updates: %s",
  (_, event, updates, updatesForAble = updates) => {
    assert.deepEqual(toSessionUpdates(event, plain, ids), updates);
    assert.deepEqual(toSessionUpdates(event, able, ids), updatesForAble);
  },
);

test("ACP13 the table contains every agent event", () => {
  const all: Readonly<Record<AgentEvent["type"], true>> = {
    ...{ agent_start: true, turn_start: true, message_start: true, message_update: true, message_end: true },
    ...{ tool_execution_start: true, tool_execution_update: true, tool_execution_end: true, turn_end: true },
    ...{ auto_retry_start: true, auto_retry_end: true, compaction_start: true, compaction_progress: true },
    ...{ compaction_end: true, compaction_failed: true, compaction_skipped: true, compaction_undone: true },
    ...{ compaction_redone: true, outdated_results_removed: true, outdated_results_restored: true },
    ...{ compaction_preparation: true, compaction_soft_threshold: true, compaction_quality: true },
    ...{ summarization_retry_scheduled: true, summarization_retry_attempt_start: true },
    ...{
      summarization_retry_finished: true,
      branch_summary_progress: true,
      session_tree: true,
      usage: true,
      model_notice: true,
      session_damaged: true,
    },
    ...{ queue_update: true, entry_appended: true, secrets_redacted: true, thinking_level_changed: true },
    ...{ session_info_changed: true, leaf_moved: true, extension_error: true, agent_end: true, agent_settled: true },
  };
  assert.deepEqual(Object.keys(all).toSorted(), [...new Set(rows.map(([event]) => event.type))].toSorted());
});

test("ACP13 every reply and every compaction has its own id", () => {
  const after = advanceIds(advanceIds(ids, { type: "message_start", message: reply }), {
    type: "compaction_start",
    reason: "manual",
  });
  assert.deepEqual([after.messageId, after.compactionId], ["o-1", "o-2"]);
  assert.equal(advanceIds(after, { type: "turn_start" }), after);
});

test("ACP16 the title of a call says that it runs outside the sandbox, even if its command is long", () => {
  const command = "x".repeat(400);
  const title = (args: object): string => toToolCall({ ...called, args: { command, ...args } }, "/code").title;
  assert.equal(title({ outside: true }), `bash outside the sandbox: ${command}`);
  assert.equal(title({ outside: false }), `bash ${command}`);
});
