/** Documents every wire event with an example, for the generated documentation. A missing event is a compile error. */

import type { AssistantMessageEvent, WireEvent } from "@pith/client";
import { zeroUsage } from "@pith/context/host";

const usage = {
  ...zeroUsage,
  input: 3,
  output: 5,
  totalTokens: 8,
  cost: { ...zeroUsage.cost, input: 0.1, total: 0.1 },
};
const reply = {
  role: "assistant",
  content: [{ type: "text", text: "Hello." }],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  usage,
  stopReason: "stop",
  timestamp: 1794769884209,
} as const;
const userMessage = { role: "user", content: [{ type: "text", text: "Hi" }], timestamp: 1794769884042 } as const;
const toolCall = { toolCallId: "c1", toolName: "bash", args: { command: "ls" } } as const;
const toolResult = { content: [{ type: "text", text: "a.ts" }], details: { exitCode: 0 } } as const;
const entryBase = { id: "e7", parentId: "e6", timestamp: "2026-11-15T19:11:24.034Z" } as const;

/** In the order in which the events occur in a session. */
export const eventTable: EventDocs<WireEvent> = {
  session: {
    description: "the first line: identifies the session",
    example: {
      type: "session",
      version: 3,
      id: "04a56dd4-d050-44a0-b0c9-2a46b806c735",
      timestamp: "…",
      cwd: "/code",
      pith: { format: 1 },
    },
  },
  agent_start: { description: "a run starts", example: { type: "agent_start" } },
  turn_start: { description: "before each request in the run", example: { type: "turn_start" } },
  message_start: {
    description: "a message starts: a user message, a reply that is still empty, or a tool result",
    example: { type: "message_start", message: userMessage },
  },
  message_update: {
    description: "a new part of the reply; `usage` is what is known so far, usually all zeros",
    example: {
      type: "message_update",
      usage: zeroUsage,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "Hel" },
    },
  },
  message_end: {
    description:
      "the complete message; for a reply that failed or was stopped, `stopReason` says so, and `usage` is what it cost",
    example: { type: "message_end", message: reply },
  },
  tool_execution_start: {
    description: "a tool starts, after its call is permitted",
    example: { type: "tool_execution_start", ...toolCall },
  },
  tool_execution_update: {
    description: "the latest output of a running tool, not all of it",
    example: { type: "tool_execution_update", ...toolCall, partialResult: { content: toolResult.content } },
  },
  tool_execution_end: {
    description:
      "the tool's result, which is also sent as a message afterwards; `durationMs` excludes questions to the user",
    example: { type: "tool_execution_end", ...toolCall, result: toolResult, isError: false, durationMs: 240 },
  },
  turn_end: {
    description:
      "a reply, even if it failed, and the results of its tool calls; `message_end` has already reported its `usage`",
    example: { type: "turn_end", message: reply, toolResults: [] },
  },
  agent_end: {
    description:
      "the run has ended; `messages` are all its messages, including results; `end` is `done`, `aborted` or `failed` with `why`",
    example: { type: "agent_end", messages: [userMessage, reply], willRetry: false, end: { type: "done" } },
  },
  agent_settled: {
    description:
      "no work is in progress, and none starts automatically, except what an extension starts, for example when a sub-agent has finished",
    example: { type: "agent_settled", aborted: false },
  },
  auto_retry_start: {
    description:
      "the provider was busy or the connection broke: the partial reply is discarded, and the request is sent again",
    example: { type: "auto_retry_start", attempt: 1, maxAttempts: 6, delayMs: 2000, errorMessage: "overloaded" },
  },
  auto_retry_end: {
    description: "the result of the retries; `finalError` if they failed",
    example: { type: "auto_retry_end", attempt: 1, success: false, finalError: "overloaded" },
  },
  compaction_start: {
    description:
      "a compaction starts; `reason` is `manual` (requested), `threshold` (the context is full) or `overflow` (the provider refused the request as too long)",
    example: { type: "compaction_start", reason: "threshold" },
  },
  compaction_progress: {
    description:
      "the progress of a compaction; `step` is `planning`, `asking` (`model`, and for a long session `part` of `parts`), `awaiting-first-token` (once a minute: `elapsedMs` of at most `limitMs`), `writing` (`tokens` so far), `auditing`, `repairing` (`flaws`) or `falling-back` (`why`)",
    example: { type: "compaction_progress", reason: "threshold", step: "asking", model: "anthropic/claude-sonnet-4-5" },
  },
  compaction_end: {
    description:
      "a compaction has ended: `result` if the context was compacted, `errorMessage` if not; `usage` is the sum over all its `calls`, including those without a usable result",
    example: {
      type: "compaction_end",
      reason: "threshold",
      result: {
        summary: "…",
        firstKeptEntryId: "e7",
        tokensBefore: 160000,
        estimatedTokensAfter: 24000,
        details: {},
        usage,
      },
      aborted: false,
      willRetry: false,
      usage,
      calls: 1,
      durationMs: 14200,
    },
  },
  compaction_failed: {
    description:
      "after the `compaction_end` of a compaction that failed; `code` is `cannot-fit`, `invalid-cut` (`firstKeptEntryId` cannot be the first kept entry), `no-summary` (no model could rewrite the summary from the originals), `leaf-moved` or the reason why the session could not be written; an `error` follows",
    example: {
      type: "compaction_failed",
      reason: "overflow",
      code: "cannot-fit",
      errorMessage: "the pins alone fill the context window; remove some, or use a model with a larger window",
    },
  },
  model_notice: {
    description:
      "the request differs from what you asked for; `code` is `thinking-off`; sent again only after a change",
    example: {
      type: "model_notice",
      code: "thinking-off",
      message:
        "Thinking is off until your next message: claude-sonnet-4-5 cannot start thinking in the middle of a turn.",
    },
  },
  session_damaged: {
    description:
      "the opened session is damaged; sent after its header, once per opening. `message` is for users; `damage` lists the first 20 damaged lines; `count` is the total",
    example: {
      type: "session_damaged",
      message:
        "This session is damaged: 1 line cannot be read (line 12). Nothing was deleted, and the rest of the session is used. The model is told where messages are missing. To see the damaged lines, run: pith doctor 019a8b3c",
      damage: [
        {
          kind: "wrong-checksum",
          line: 12,
          note: "the checksum does not match: the line has changed since it was written",
        },
      ],
      count: 1,
    },
  },
  compaction_skipped: {
    description:
      "a compaction was due but was not done; `why` is `off`, `undone`, `breaker`, `postponed`, `empty`, `already-compacted`, `too-short` or `too-little`; sent again only after a change",
    example: {
      type: "compaction_skipped",
      reason: "threshold",
      why: "off",
      note: "automatic compaction is off; run /compact, or call agent.compact()",
    },
  },
  compaction_preparation: {
    description:
      "the summary of the next automatic compaction is prepared in the background; `state` is `started`, `ready` (the compaction will call no model), `failed` or `dropped` (it will not be used). `usage` and `calls` are the model calls that no other event has. It may be sent outside of a run",
    example: { type: "compaction_preparation", state: "ready", durationMs: 21400 },
  },
  outdated_results_removed: {
    description:
      "outdated tool results were removed from the context, outside a compaction; `tokens` is an estimate of what this freed, and `removalId` is the id of the entry that records the removal. An undo brings the results back",
    example: { type: "outdated_results_removed", removalId: "e9", count: 14, tokens: 23000 },
  },
  outdated_results_restored: {
    description: "an undo brought removed tool results back into the context",
    example: { type: "outdated_results_restored", removalId: "e9", count: 14, tokens: 23000 },
  },
  compaction_soft_threshold: {
    description:
      "the context is nearly full: sent once, when it passes `compaction.softPercent` of the compaction threshold",
    example: {
      type: "compaction_soft_threshold",
      tokens: 148000,
      isEstimate: false,
      limit: 183616,
      contextWindow: 200000,
    },
  },
  compaction_quality: {
    description:
      "what a user should know about the compaction that just ended; `code` is `no-model-summary`, `repaired` (lines of the summary are marked), `compacted-again`, or the code of a finding in the receipt, such as `user-messages-hidden`",
    example: {
      type: "compaction_quality",
      compactionId: "e9",
      findings: [
        {
          code: "user-messages-hidden",
          note: "Not shown and not carried over: 2 messages, #4–#9; `read #N` opens one.",
        },
      ],
    },
  },
  compaction_undone: {
    description: "a compaction was undone: the context is the same as before it",
    example: { type: "compaction_undone", compactionId: "e9", leafId: "e10" },
  },
  compaction_redone: {
    description: "an undone compaction was redone",
    example: { type: "compaction_redone", compactionId: "e9", leafId: "e11" },
  },
  summarization_retry_scheduled: {
    description:
      "the model that writes a summary was busy, stopped responding, took too long or broke off, and the request is sent again after a delay; `source` is `compaction` (with `reason`) or `branchSummary`",
    example: {
      type: "summarization_retry_scheduled",
      source: "compaction",
      reason: "threshold",
      attempt: 1,
      delayMs: 2000,
      errorMessage: "overloaded",
    },
  },
  summarization_retry_attempt_start: {
    description: "the delay is over, and the request is sent again",
    example: { type: "summarization_retry_attempt_start", source: "branchSummary" },
  },
  summarization_retry_finished: {
    description: "the retries have ended, successfully or not",
    example: { type: "summarization_retry_finished", source: "branchSummary" },
  },
  branch_summary_progress: {
    description: "the progress of a branch summary, with the same steps as `compaction_progress`",
    example: { type: "branch_summary_progress", step: "writing", tokens: 400 },
  },
  session_tree: {
    description:
      "the position in the tree has changed; `summaryEntry` summarizes the branch that was left, if a summary was requested",
    example: {
      type: "session_tree",
      newLeafId: "e7",
      oldLeafId: "e5",
      summaryEntry: { type: "branch_summary", ...entryBase, fromId: "e5", summary: "…" },
    },
  },
  usage: {
    description:
      "the usage of model calls other than replies and compactions; `kind` is `branch_summary`, `handoff`, `retry`, …",
    example: { type: "usage", kind: "branch_summary", provider: "anthropic", model: "claude-sonnet-4-5", usage },
  },
  entry_appended: {
    description:
      "a line of the session file, exactly as written; another event reports its usage, so do not count it again",
    example: { type: "entry_appended", entry: { type: "message", ...entryBase, message: userMessage } },
  },
  queue_update: {
    description: "the queue has changed; `steering` and `followUp` contain the text of the queued messages",
    example: { type: "queue_update", steering: ["stop at the tests"], followUp: [] },
  },
  thinking_level_changed: {
    description: "the thinking level has changed, starting with the next request",
    example: { type: "thinking_level_changed", level: "high" },
  },
  session_info_changed: {
    description: "the session's name has changed; without `name`, it was removed",
    example: { type: "session_info_changed", name: "fix the login" },
  },
  leaf_moved: {
    description:
      "the position in the tree has changed to one that does not follow the last written entry: after going to another entry, an undo or a redo",
    example: { type: "leaf_moved", leafId: "e7", oldLeafId: "e5" },
  },
  extension_error: {
    description:
      "an extension threw an error, timed out or returned an invalid value at `event`; the work continued without it",
    example: { type: "extension_error", extensionPath: "todo.ts", event: "tool_call", error: "no answer within 30 s" },
  },
  secrets_redacted: {
    description: "secrets were found, and are replaced by placeholders from now on",
    example: { type: "secrets_redacted", secrets: [{ family: "GitHub token", placeholder: "…" }] },
  },
  command_result: {
    description:
      "the result of a command such as `/session`: `text` for users, `data` for programs, `error` if it failed, `session` if another session is open now, `draft` for a prompt to edit and send",
    example: { type: "command_result", command: "/name fix the login", success: true, text: "…", data: {} },
  },
  error: {
    description:
      "a failure, with a message that says what to do; the program exits with the matching code, unless it was a compaction that failed",
    example: { type: "error", error: "no model is configured: set an environment variable such as ANTHROPIC_API_KEY" },
  },
};

export const eventNames: readonly string[] = Object.keys(eventTable);

export interface EventDoc<Event> {
  /** Describes when the event is emitted and what its fields mean. */
  readonly description: string;
  readonly example: Event;
}

/** One entry per event type, so that a missing one is a compile error. */
export type EventDocs<Event extends { readonly type: string }> = {
  readonly [Type in Event["type"]]: EventDoc<EventOfType<Event, Type>>;
};

/** Like `Extract`, but also finds an event whose `type` is a union of several types. */
type EventOfType<Event, Type> = Event extends { readonly type: infer EventType }
  ? Type extends EventType
    ? Event
    : never
  : never;

/** The events of a streamed reply, which `message_update` contains. */
export const replyTable: EventDocs<AssistantMessageEvent> = {
  text_start: { description: "a text block starts", example: { type: "text_start", contentIndex: 0 } },
  text_delta: {
    description: "the next part of the text",
    example: { type: "text_delta", contentIndex: 0, delta: "Hel" },
  },
  text_end: { description: "the complete text", example: { type: "text_end", contentIndex: 0, content: "Hello." } },
  thinking_start: { description: "a thinking block starts", example: { type: "thinking_start", contentIndex: 0 } },
  thinking_delta: {
    description: "the next part of the thinking",
    example: { type: "thinking_delta", contentIndex: 0, delta: "The user" },
  },
  thinking_end: {
    description: "the complete thinking",
    example: { type: "thinking_end", contentIndex: 0, content: "The user greets." },
  },
  toolcall_start: {
    description: "a tool call starts",
    example: { type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "bash" },
  },
  toolcall_delta: {
    description: "the next part of its arguments, as JSON text",
    example: { type: "toolcall_delta", contentIndex: 1, delta: '{"comm' },
  },
  toolcall_end: {
    description: "the complete tool call; tool calls end with the reply",
    example: {
      type: "toolcall_end",
      contentIndex: 1,
      toolCall: { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
    },
  },
};
