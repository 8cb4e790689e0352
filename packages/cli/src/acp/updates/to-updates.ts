/** What an event of the agent tells an editor: none, one or several updates of the session. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "@pith/agent";
import type { AgentMessage } from "@pith/context";
import { noteOn } from "../../printing/note-on.ts";
import { callEnded, callShown, isRun } from "./call-updates.ts";
import { compactionUpdates } from "./compaction-updates.ts";
import type { Ids } from "./ids.ts";
import type { Sight } from "./sight.ts";
import { contentBlocks, noteUpdate, textBlock } from "./words.ts";

export function toUpdates(event: AgentEvent, sight: Sight, ids: Ids): readonly SessionUpdate[] {
  if (!isTold(event)) return [];
  switch (event.type) {
    case "message_update":
      return deltaUpdates(event.delta, ids);
    case "message_end":
      return messageUpdates(event.message, sight, ids);
    case "tool_execution_start":
      return [{ sessionUpdate: "tool_call_update", toolCallId: event.toolCallId, status: "in_progress" }];
    case "tool_execution_update":
      return [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: event.toolCallId,
          content: [{ type: "content", content: textBlock(event.partialResult) }],
        },
      ];
    case "tool_execution_end":
      return [{ sessionUpdate: "tool_call_update", ...callEnded(event, event.result, sight.cwd) }];
    case "compaction_start":
    case "compaction_end":
      return compactionUpdates(event, sight.can, ids.compaction);
    case "compaction_skipped":
    case "compaction_undone":
    case "compaction_redone":
    case "compaction_quality":
    case "auto_retry_start":
    case "summarization_retry_scheduled":
      return noted(event, sight, "warning");
    case "compaction_soft_threshold":
    case "secrets_redacted":
      // Not worth a line among what was said.
      return sight.can.notices ? noted(event, sight, "info") : [];
    case "extension_error":
      return [
        noteUpdate({ text: `${event.extensionPath}, ${event.event}: ${event.error}`, severity: "warning" }, sight.can),
      ];
    case "session_info_changed":
      return [{ sessionUpdate: "session_info_update", title: event.name ?? null }];
  }
}

/** An editor has no use for these. */
const QUIET = [
  "compaction_progress",
  "compaction_failed",
  "summarization_retry_attempt_start",
  "summarization_retry_finished",
  "branch_summary_progress",
  "session_tree",
  "leaf_moved",
  "usage",
  "queue_update",
  "entry_appended",
  "thinking_level_changed",
  "auto_retry_end",
  "agent_start",
  "turn_start",
  "message_start",
  "turn_end",
  "agent_end",
  "agent_settled",
] as const satisfies readonly AgentEvent["type"][];

type Told = Exclude<AgentEvent, { readonly type: (typeof QUIET)[number] }>;

function isTold(event: AgentEvent): event is Told {
  const quiet: readonly string[] = QUIET;
  return !quiet.includes(event.type);
}

function deltaUpdates(
  delta: Extract<AgentEvent, { type: "message_update" }>["delta"],
  { message: messageId }: Ids,
): readonly SessionUpdate[] {
  switch (delta.type) {
    case "text-delta":
      return [{ sessionUpdate: "agent_message_chunk", content: textBlock(delta.text), messageId }];
    case "thinking-delta":
      return [{ sessionUpdate: "agent_thought_chunk", content: textBlock(delta.text), messageId }];
    case "tool-call-delta":
      return [];
  }
}

/** The words of a reply came before; its calls are known when it is whole. */
function messageUpdates(message: AgentMessage, { cwd }: Sight, { message: messageId }: Ids): readonly SessionUpdate[] {
  if (message.role === "custom" && message.display)
    return contentBlocks(message.content).map((content) => ({
      sessionUpdate: "agent_message_chunk",
      content,
      messageId: `${messageId}-note`,
    }));
  if (message.role !== "assistant" || !isRun(message)) return [];
  return message.content.flatMap((block): SessionUpdate[] => {
    if (block.type !== "toolCall") return [];
    const called = { toolCallId: block.id, toolName: block.name, args: block.arguments };
    return [{ sessionUpdate: "tool_call", ...callShown(called, cwd) }];
  });
}

function noted(event: AgentEvent, { can }: Sight, severity: "info" | "warning"): readonly SessionUpdate[] {
  const text = noteOn(event, []);
  return text === null ? [] : [noteUpdate({ text, severity }, can)];
}
