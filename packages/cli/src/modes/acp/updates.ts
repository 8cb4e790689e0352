/** Converts agent events, compactions and context usage into session updates for an editor. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Agent, AgentEvent } from "@pith/agent";
import { type AgentMessage, type CompactionEntry, readReceipt } from "@pith/context";
import { noteOn } from "../../text/event-text.ts";
import { amount } from "../../text/format.ts";
import type { Abilities, Sight } from "./acp-context.ts";
import { callEnded, callShown, contentBlocks, isRun, noteUpdate, textBlock } from "./tool-updates.ts";

type CompactionEvent = Extract<AgentEvent, { type: "compaction_start" | "compaction_end" }>;

export function compactionUpdates(
  event: CompactionEvent,
  can: Abilities,
  compactionId: string,
): readonly SessionUpdate[] {
  if (!can.compactions) return notes(event, can);
  const sessionUpdate = "compaction_update";
  if (event.type === "compaction_start") return [{ sessionUpdate, compactionId, status: "in_progress" }];
  const { compaction, result, errorMessage } = event;
  if (compaction.type === "compacted" && result)
    return [{ sessionUpdate, compactionId, status: "completed", summary: [textBlock(result.summary)] }];
  const status = compaction.type === "failed" ? "failed" : "cancelled";
  return [{ sessionUpdate, compactionId, status, ...(errorMessage !== undefined && { error: errorMessage }) }];
}

function notes(event: CompactionEvent, can: Abilities): readonly SessionUpdate[] {
  const text = noteOn(event, []);
  if (event.type === "compaction_start" || text === null) return [];
  const isDone = event.compaction.type === "compacted";
  const said = isDone ? `compacted: ${text.trim()}` : text;
  return [noteUpdate({ text: said, severity: isDone ? "info" : "warning" }, can)];
}

/** One that stands in the log. */
export function pastCompaction(entry: CompactionEntry, can: Abilities): SessionUpdate {
  const status = "completed";
  if (can.compactions)
    return {
      sessionUpdate: "compaction_update",
      ...{ compactionId: entry.id, status, summary: [textBlock(entry.summary)] },
    };
  const after = readReceipt(entry)?.tokens.after;
  const told = after === undefined ? "" : ` to ${amount(after)}`;
  const text = `· compacted here: from ${amount(entry.tokensBefore)}${told} tokens; all that was said before stays readable`;
  return { sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n${text}\n\n`), messageId: entry.id };
}

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
    case "model_notice":
    case "session_damaged":
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

export interface Ids {
  /** Of this opening of the session, so that none comes twice. */
  readonly opening: string;
  readonly message: string;
  readonly compaction: string;
  readonly count: number;
}

export function firstIds(opening: string): Ids {
  return { opening, message: `${opening}-0`, compaction: `${opening}-0`, count: 0 };
}

export function idsAt(ids: Ids, event: AgentEvent): Ids {
  const isMessage = event.type === "message_start" && event.message.role === "assistant";
  if (!isMessage && event.type !== "compaction_start") return ids;
  const count = ids.count + 1;
  const id = `${ids.opening}-${count}`;
  return isMessage ? { ...ids, count, message: id } : { ...ids, count, compaction: id };
}

/** Null where nobody knows how much fits. `cost` is null where it was not counted. `_meta` says whether no reply has measured it. */
export function usageUpdate(agent: Pick<Agent, "contextUsage">, cost: number | null): SessionUpdate | null {
  const { tokens, isEstimate, contextWindow } = agent.contextUsage();
  if (contextWindow <= 0) return null;
  const paid = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
  return { sessionUpdate: "usage_update", used: tokens, size: contextWindow, ...paid, _meta: { isEstimate } };
}
