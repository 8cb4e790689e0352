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
    description: "the first line: which session this is",
    example: {
      type: "session",
      version: 3,
      id: "04a56dd4-d050-44a0-b0c9-2a46b806c735",
      timestamp: "…",
      cwd: "/code",
      pith: { format: 1 },
    },
  },
  agent_start: { description: "a run begins", example: { type: "agent_start" } },
  turn_start: { description: "before each request of the run", example: { type: "turn_start" } },
  message_start: {
    description: "a message begins: the user's, a reply of which nothing has come yet, or a result",
    example: { type: "message_start", message: userMessage },
  },
  message_update: {
    description: "a piece of the reply, only what is new; `usage` is what is known by then, mostly nothing",
    example: {
      type: "message_update",
      usage: zeroUsage,
      assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "Hel" },
    },
  },
  message_end: {
    description:
      "the message, whole; a reply that failed or was stopped says so in `stopReason`, and what it cost in `usage`",
    example: { type: "message_end", message: reply },
  },
  tool_execution_start: { description: "a tool begins", example: { type: "tool_execution_start", ...toolCall } },
  tool_execution_update: {
    description: "the newest of what it says while it runs, not all of it",
    example: { type: "tool_execution_update", ...toolCall, partialResult: { content: toolResult.content } },
  },
  tool_execution_end: {
    description: "its result, which follows as a message too",
    example: { type: "tool_execution_end", ...toolCall, result: toolResult, isError: false },
  },
  turn_end: {
    description: "a reply, also one that failed, and the results of its calls; its `usage` was told by `message_end`",
    example: { type: "turn_end", message: reply, toolResults: [] },
  },
  agent_end: {
    description:
      "the run is over; `messages` are all of it, results included; `end` is `done`, `aborted` or `failed` with `why`",
    example: { type: "agent_end", messages: [userMessage, reply], willRetry: false, end: { type: "done" } },
  },
  agent_settled: {
    description:
      "nothing is under way any more, and nothing will begin by itself, but for what an extension begins, such as a sub-agent that ended",
    example: { type: "agent_settled", aborted: false },
  },
  auto_retry_start: {
    description:
      "the provider was busy or the line broke: what came of the reply does not count, and it is asked again",
    example: { type: "auto_retry_start", attempt: 1, maxAttempts: 6, delayMs: 2000, errorMessage: "overloaded" },
  },
  auto_retry_end: {
    description: "what came of that; `finalError` where nothing did",
    example: { type: "auto_retry_end", attempt: 1, success: false, finalError: "overloaded" },
  },
  compaction_start: {
    description:
      "`reason`: `manual` (asked for), `threshold` (the context is full) or `overflow` (the provider refused it)",
    example: { type: "compaction_start", reason: "threshold" },
  },
  compaction_progress: {
    description:
      "`step`: `planning`, `asking` (`model`, and of a long session `part` of `parts`), `awaiting-first-token` (once a minute: `elapsedMs` of at most `limitMs`), `writing` (`tokens` so far), `auditing`, `repairing` (`flaws`), `falling-back` (`why`)",
    example: { type: "compaction_progress", reason: "threshold", step: "asking", model: "anthropic/claude-sonnet-4-5" },
  },
  compaction_end: {
    description:
      "`result` where one was done, `errorMessage` where none was; `usage` is of all its `calls`, those of which nothing came included",
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
      "behind the end of one that failed; `code` is `cannot-fit`, `leaf-moved` or what the disk had against it; an `error` follows",
    example: {
      type: "compaction_failed",
      reason: "overflow",
      code: "cannot-fit",
      errorMessage: "the pins fill the window by themselves; take some away, or use a larger window",
    },
  },
  model_notice: {
    description: "the request differs from what you asked for; `code` is `thinking-off`; once, until that changes",
    example: {
      type: "model_notice",
      code: "thinking-off",
      message:
        "Thinking is off until your next message: claude-sonnet-4-5 cannot start to think in the middle of a turn.",
    },
  },
  session_damaged: {
    description:
      "the session that was opened is damaged: behind its header, once per opening. `message` is for people; `damage` names the first 20 damaged lines; of `count` in all",
    example: {
      type: "session_damaged",
      message:
        "This session is damaged: 1 line cannot be read (line 12). Nothing was deleted, and everything else is used; where a message is missing, the model is told. To see the damaged lines, run: pith doctor 019a8b3c",
      damage: [
        {
          kind: "wrong-checksum",
          line: 12,
          note: "the checksum does not fit: the line has changed since it was written",
        },
      ],
      count: 1,
    },
  },
  compaction_skipped: {
    description:
      "it would have been time, but: `why` is `off`, `undone`, `breaker`, `postponed`, `empty`, `already-compacted`, `too-short` or `too-little`; once, until that changes",
    example: {
      type: "compaction_skipped",
      reason: "threshold",
      why: "off",
      note: "automatic compaction is off; compact with /compact, or agent.compact()",
    },
  },
  compaction_soft_threshold: {
    description: "it will soon be too much: once, when the context passes `compaction.softPercent` of the limit",
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
      "what a person should know of the one just done: `no-model-summary`, `repaired`, `user-messages-evicted`, `compacted-again`",
    example: {
      type: "compaction_quality",
      compactionId: "e9",
      findings: [
        { code: "user-messages-evicted", note: "2 messages of the user are no longer shown; they can be recalled" },
      ],
    },
  },
  compaction_undone: {
    description: "it was undone: the context is what it was",
    example: { type: "compaction_undone", compactionId: "e9", leafId: "e10" },
  },
  compaction_redone: {
    description: "the undo was taken back",
    example: { type: "compaction_redone", compactionId: "e9", leafId: "e11" },
  },
  summarization_retry_scheduled: {
    description:
      "the model that writes a summary was busy, fell silent, took too long or broke off, and is asked again after a while; `source` is `compaction` (with `reason`) or `branchSummary`",
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
    description: "the wait is over",
    example: { type: "summarization_retry_attempt_start", source: "branchSummary" },
  },
  summarization_retry_finished: {
    description: "whatever came of asking again",
    example: { type: "summarization_retry_finished", source: "branchSummary" },
  },
  branch_summary_progress: {
    description: "a branch that is left is told: the steps of `compaction_progress`",
    example: { type: "branch_summary_progress", step: "writing", tokens: 400 },
  },
  session_tree: {
    description: "one stands elsewhere in the tree now; `summaryEntry` tells what was left, where somebody wanted that",
    example: {
      type: "session_tree",
      newLeafId: "e7",
      oldLeafId: "e5",
      summaryEntry: { type: "branch_summary", ...entryBase, fromId: "e5", summary: "…" },
    },
  },
  usage: {
    description: "what was paid besides replies and compactions; `kind` is `branch_summary`, `handoff`, `retry`, …",
    example: { type: "usage", kind: "branch_summary", provider: "anthropic", model: "claude-sonnet-4-5", usage },
  },
  entry_appended: {
    description:
      "a line of the session's file, as it was written: the log itself, so that its usage is counted elsewhere already",
    example: { type: "entry_appended", entry: { type: "message", ...entryBase, message: userMessage } },
  },
  queue_update: {
    description: "what waits to be said",
    example: { type: "queue_update", steering: ["stop at the tests"], followUp: [] },
  },
  thinking_level_changed: {
    description: "from the next request on",
    example: { type: "thinking_level_changed", level: "high" },
  },
  session_info_changed: {
    description: "the session's name from now on; without `name` it has none any more",
    example: { type: "session_info_changed", name: "fix the login" },
  },
  leaf_moved: {
    description:
      "one stands elsewhere in the tree now, not behind what was written last: after a move, an undo or a redo",
    example: { type: "leaf_moved", leafId: "e7", oldLeafId: "e5" },
  },
  extension_error: {
    description: "something of an extension threw, hung or answered nonsense at `event`; all went on without it",
    example: { type: "extension_error", extensionPath: "todo.ts", event: "tool_call", error: "no answer within 30 s" },
  },
  secrets_redacted: {
    description: "secrets were found, and something else stands in their place from now on",
    example: { type: "secrets_redacted", secrets: [{ family: "GitHub token", placeholder: "…" }] },
  },
  command_result: {
    description:
      "what a command such as `/session` answered: `text` for people, `data` for programs, `error` where it failed, `session` where one stands in another now, `draft` for words to say",
    example: { type: "command_result", command: "/name fix the login", success: true, text: "…", data: {} },
  },
  error: {
    description:
      "whatever failed, in words that say what to do; the program ends with the code for it, unless it was a compaction",
    example: { type: "error", error: "no model: set a key such as ANTHROPIC_API_KEY" },
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
  text_start: { description: "a text begins", example: { type: "text_start", contentIndex: 0 } },
  text_delta: { description: "more of it", example: { type: "text_delta", contentIndex: 0, delta: "Hel" } },
  text_end: { description: "all of it", example: { type: "text_end", contentIndex: 0, content: "Hello." } },
  thinking_start: { description: "a thought begins", example: { type: "thinking_start", contentIndex: 0 } },
  thinking_delta: {
    description: "more of it",
    example: { type: "thinking_delta", contentIndex: 0, delta: "The user" },
  },
  thinking_end: {
    description: "all of it",
    example: { type: "thinking_end", contentIndex: 0, content: "The user greets." },
  },
  toolcall_start: {
    description: "a call begins",
    example: { type: "toolcall_start", contentIndex: 1, id: "c1", toolName: "bash" },
  },
  toolcall_delta: {
    description: "more of its arguments, as JSON text",
    example: { type: "toolcall_delta", contentIndex: 1, delta: '{"comm' },
  },
  toolcall_end: {
    description: "the call, whole; calls end with the reply",
    example: {
      type: "toolcall_end",
      contentIndex: 1,
      toolCall: { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } },
    },
  },
};
