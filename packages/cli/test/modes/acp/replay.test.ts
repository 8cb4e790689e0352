/** A branch that an editor shows again. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { test } from "vitest";
import { replayBranch } from "../../../src/modes/acp/updates.ts";

const placed = (id: string) => ({ id, parentId: null, timestamp: "2026-11-15T19:11:24.034Z" });
const branch: readonly Entry[] = [
  { ...placed("e1"), type: "message", message: { role: "user", content: "Write it.", timestamp: 1 } },
  {
    ...{ ...placed("e2"), type: "message" },
    message: {
      ...{
        role: "assistant",
        api: "a",
        provider: "p",
        model: "m",
        usage: zeroUsage,
        stopReason: "toolUse",
        timestamp: 1,
      },
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "thinking", thinking: "", thinkingSignature: "s", redacted: true },
        { type: "text", text: "So be it." },
        { type: "toolCall", id: "c1", name: "write", arguments: { path: "n.txt", content: "x" } },
      ],
    },
  },
  {
    ...{ ...placed("e3"), type: "message" },
    message: {
      ...{ role: "toolResult", toolCallId: "c1", toolName: "write", isError: false, timestamp: 1 },
      ...{ content: [{ type: "text", text: "Created n.txt." }], details: { pith: { before: null } } },
    },
  },
  { ...placed("e4"), type: "compaction", summary: "All of it.", firstKeptEntryId: "e3", tokensBefore: 12345 },
  {
    ...{ ...placed("e5"), type: "message" },
    message: { role: "user", content: "a state", pith: { from: "program" }, timestamp: 1 },
  },
  { ...placed("e6"), type: "custom_message", customType: "x", content: "Seen by people.", display: true },
  { ...placed("e7"), type: "custom_message", customType: "x", content: "Not seen.", display: false },
];
const replayed = (compactions: boolean) => [
  ...replayBranch(branch, {
    cwd: "/code",
    features: { supportsCompactions: compactions, supportsNotices: false, supportsForms: false },
  }),
];

test("ACP14 a replay has the messages, thoughts, tool calls and compactions of the branch", () => {
  assert.deepEqual(
    replayed(true).map(({ sessionUpdate }) => sessionUpdate),
    [
      ...["user_message_chunk", "agent_thought_chunk", "agent_message_chunk", "tool_call", "tool_call_update"],
      ...["compaction_update", "agent_message_chunk"],
    ],
  );
  assert.deepEqual(replayed(true)[4], {
    ...{ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" },
    content: [{ type: "diff", path: "/code/n.txt", oldText: null, newText: "x" }],
  });
  assert.deepEqual(replayed(true)[5], {
    ...{ sessionUpdate: "compaction_update", compactionId: "e4", status: "completed" },
    summary: [{ type: "text", text: "All of it." }],
  });
});

test("ACP14 a call without a result is replayed as failed, and a call of a failed reply is left out", () => {
  const can = { supportsCompactions: true, supportsNotices: false, supportsForms: false };
  const begun = branch.slice(0, 2);
  assert.deepEqual([...replayBranch(begun, { cwd: "/code", features: can })].at(-1), {
    ...{ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" },
  });
  const broken = begun.map((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? { ...entry, message: { ...entry.message, stopReason: "aborted" as const } }
      : entry,
  );
  assert.ok(
    ![...replayBranch(broken, { cwd: "/code", features: can })].some(({ sessionUpdate }) => /tool/.test(sessionUpdate)),
  );
});

test("ACP14 an editor without compactions gets a message in their place", () => {
  assert.match(JSON.stringify(replayed(false)[5]), /compacted here: from 12,345 tokens/);
});
