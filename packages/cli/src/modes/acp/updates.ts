/** Converts agent events, context usage and stored entries into session updates for an editor. All functions are pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Agent, AgentEvent, MessageDelta } from "@pith/agent";
import type { AgentMessage, AssistantMessage, CompactionEntry, Entry, UserMessage } from "@pith/context";
import { displayText } from "@pith/context/host";
import { formatSizes } from "../../text/compaction-text.ts";
import { formatProgressNote } from "../../text/event-text.ts";
import type { ClientFeatures, ClientView } from "./acp-context.ts";
import {
  contentBlocks,
  createNoticeUpdate,
  hasRunnableCalls,
  textBlock,
  toToolCall,
  toToolCallEnd,
} from "./tool-updates.ts";

export function toSessionUpdates(event: AgentEvent, view: ClientView, ids: UpdateIds): readonly SessionUpdate[] {
  if (!isShown(event)) return [];
  switch (event.type) {
    case "message_update":
      return toDeltaUpdates(event.delta, ids);
    case "message_end":
      return toMessageUpdates(event.message, view, ids);
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
      return [{ sessionUpdate: "tool_call_update", ...toToolCallEnd(event, event.result, view.cwd) }];
    case "compaction_start":
    case "compaction_end":
      return toCompactionUpdates(event, view.features, ids.compactionId);
    case "compaction_skipped":
    case "compaction_undone":
    case "compaction_redone":
    case "compaction_quality":
    case "auto_retry_start":
    case "model_notice":
    case "session_damaged":
    case "summarization_retry_scheduled":
      return toNotices(event, view, "warning");
    case "compaction_preparation":
      return [];
    case "outdated_results_removed":
    case "outdated_results_restored":
    case "compaction_soft_threshold":
    case "secrets_redacted":
      // Too minor for the conversation, which shows notices if the editor does not support them.
      return view.features.supportsNotices ? toNotices(event, view, "info") : [];
    case "extension_error":
      return [
        createNoticeUpdate(
          { text: `${event.extensionPath}, ${event.event}: ${event.error}`, severity: "warning" },
          view.features,
        ),
      ];
    case "session_info_changed":
      return [{ sessionUpdate: "session_info_update", title: event.name ?? null }];
  }
}

/** Events that an editor does not need. */
const IGNORED_EVENTS = [
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

type ShownEvent = Exclude<AgentEvent, { readonly type: (typeof IGNORED_EVENTS)[number] }>;

function isShown(event: AgentEvent): event is ShownEvent {
  const ignored: readonly string[] = IGNORED_EVENTS;
  return !ignored.includes(event.type);
}

function toDeltaUpdates(delta: MessageDelta, { messageId }: UpdateIds): readonly SessionUpdate[] {
  switch (delta.type) {
    case "text-delta":
      return [{ sessionUpdate: "agent_message_chunk", content: textBlock(delta.text), messageId }];
    case "thinking-delta":
      return [{ sessionUpdate: "agent_thought_chunk", content: textBlock(delta.text), messageId }];
    case "tool-call-delta":
      return [];
  }
}

/** The text of a reply was already sent in deltas. Its tool calls are sent when it is complete. */
function toMessageUpdates(
  message: AgentMessage,
  { cwd }: ClientView,
  { messageId }: UpdateIds,
): readonly SessionUpdate[] {
  if (message.role === "custom" && message.display)
    return contentBlocks(message.content).map((content) => ({
      sessionUpdate: "agent_message_chunk",
      content,
      messageId: `${messageId}-note`,
    }));
  if (message.role !== "assistant" || !hasRunnableCalls(message)) return [];
  return message.content.flatMap((block): SessionUpdate[] => {
    if (block.type !== "toolCall") return [];
    const call = { toolCallId: block.id, toolName: block.name, args: block.arguments };
    return [{ sessionUpdate: "tool_call", ...toToolCall(call, cwd) }];
  });
}

type CompactionEvent = Extract<AgentEvent, { type: "compaction_start" | "compaction_end" }>;

function toCompactionUpdates(
  event: CompactionEvent,
  features: ClientFeatures,
  compactionId: string,
): readonly SessionUpdate[] {
  if (!features.supportsCompactions) return createCompactionNotices(event, features);
  const sessionUpdate = "compaction_update";
  if (event.type === "compaction_start") return [{ sessionUpdate, compactionId, status: "in_progress" }];
  const { compaction, result, errorMessage } = event;
  if (compaction.type === "compacted" && result)
    return [{ sessionUpdate, compactionId, status: "completed", summary: [textBlock(result.summary)] }];
  const status = compaction.type === "failed" ? "failed" : "cancelled";
  return [{ sessionUpdate, compactionId, status, ...(errorMessage !== undefined && { error: errorMessage }) }];
}

function createCompactionNotices(event: CompactionEvent, features: ClientFeatures): readonly SessionUpdate[] {
  const text = formatProgressNote(event, []);
  if (event.type === "compaction_start" || text === null) return [];
  const isDone = event.compaction.type === "compacted";
  const message = isDone ? `compacted: ${text.trim()}` : text;
  return [createNoticeUpdate({ text: message, severity: isDone ? "info" : "warning" }, features)];
}

/** Converts a compaction that is stored in the session. */
function toStoredCompactionUpdate(entry: CompactionEntry, features: ClientFeatures): SessionUpdate {
  const status = "completed";
  if (features.supportsCompactions)
    return { sessionUpdate: "compaction_update", compactionId: entry.id, status, summary: [textBlock(entry.summary)] };
  const text = `· compacted here: ${formatSizes(entry)}; earlier messages are still in the session`;
  return { sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n${text}\n\n`), messageId: entry.id };
}

function toNotices(
  event: AgentEvent,
  { features }: ClientView,
  severity: "info" | "warning",
): readonly SessionUpdate[] {
  const text = formatProgressNote(event, []);
  return text === null ? [] : [createNoticeUpdate({ text, severity }, features)];
}

export interface UpdateIds {
  /** Differs each time the session is opened, so that no id is used twice. */
  readonly prefix: string;
  readonly messageId: string;
  readonly compactionId: string;
  readonly count: number;
}

export function createIds(prefix: string): UpdateIds {
  return { prefix, messageId: `${prefix}-0`, compactionId: `${prefix}-0`, count: 0 };
}

export function advanceIds(ids: UpdateIds, event: AgentEvent): UpdateIds {
  const isMessage = event.type === "message_start" && event.message.role === "assistant";
  if (!isMessage && event.type !== "compaction_start") return ids;
  const count = ids.count + 1;
  const id = `${ids.prefix}-${count}`;
  return isMessage ? { ...ids, count, messageId: id } : { ...ids, count, compactionId: id };
}

/** Returns null if the context window is unknown. `cost` is null if it was not counted. `_meta.isEstimate`: no reply has reported the size. */
export function createUsageUpdate(agent: Pick<Agent, "contextUsage">, cost: number | null): SessionUpdate | null {
  const { tokens, isEstimate, contextWindow } = agent.contextUsage();
  if (contextWindow <= 0) return null;
  const costPart = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
  return { sessionUpdate: "usage_update", used: tokens, size: contextWindow, ...costPart, _meta: { isEstimate } };
}

type Arguments = Readonly<Record<string, unknown>>;

export function* replayBranch(branch: readonly Entry[], view: ClientView): Generator<SessionUpdate> {
  const calls = new Map<string, Arguments>();
  for (const entry of branch) yield* toEntryUpdates(entry, view, calls);
  // The program ended before these calls returned a result.
  for (const toolCallId of calls.keys()) yield { sessionUpdate: "tool_call_update", toolCallId, status: "failed" };
}

function toEntryUpdates(entry: Entry, view: ClientView, calls: Map<string, Arguments>): readonly SessionUpdate[] {
  switch (entry.type) {
    case "message":
      return toStoredMessageUpdates(entry, view, calls);
    case "compaction":
      return [toStoredCompactionUpdate(entry, view.features)];
    case "branch_summary":
      return toChunks("agent_message_chunk", `\n\n· summary of the branch you left:\n\n${entry.summary}\n\n`, entry.id);
    case "custom_message":
      return entry.display ? toChunks("agent_message_chunk", entry.content, entry.id) : [];
    default:
      return [];
  }
}

function toStoredMessageUpdates(
  { id, message }: Extract<Entry, { type: "message" }>,
  { cwd }: ClientView,
  calls: Map<string, Arguments>,
): readonly SessionUpdate[] {
  switch (message.role) {
    case "user":
      return message.pith ? [] : toChunks("user_message_chunk", toDisplayContent(message.content), id);
    case "assistant":
      return message.content
        .filter(({ type }) => type !== "toolCall" || hasRunnableCalls(message))
        .flatMap((block) => toBlockUpdates(block, { id, cwd, calls }));
    case "toolResult": {
      const args = calls.get(message.toolCallId) ?? {};
      calls.delete(message.toolCallId);
      const update = toToolCallEnd({ toolCallId: message.toolCallId, args }, message, cwd);
      return [{ sessionUpdate: "tool_call_update", ...update }];
    }
    case "bashExecution": {
      const call = { toolCallId: id, toolName: "bash", args: { command: message.command } };
      const content = [{ type: "content" as const, content: textBlock(message.output) }];
      return [{ sessionUpdate: "tool_call", ...toToolCall(call, cwd), status: "completed", content }];
    }
    default:
      return [];
  }
}

/** Replaces attachments with their names, as the editor showed them when they were sent. */
function toDisplayContent(content: UserMessage["content"]): UserMessage["content"] {
  const text = displayText(content);
  const images = Array.isArray(content) ? content.filter((block) => block?.type === "image") : [];
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images];
}

function toBlockUpdates(
  block: AssistantMessage["content"][number],
  { id, cwd, calls }: { readonly id: string; readonly cwd: string; readonly calls: Map<string, Arguments> },
): readonly SessionUpdate[] {
  switch (block.type) {
    case "text":
      return toChunks("agent_message_chunk", block.text, id);
    case "thinking":
      return block.redacted ? [] : toChunks("agent_thought_chunk", block.thinking, id);
    case "toolCall": {
      calls.set(block.id, block.arguments);
      const call = { toolCallId: block.id, toolName: block.name, args: block.arguments };
      return [{ sessionUpdate: "tool_call", ...toToolCall(call, cwd) }];
    }
  }
}

function toChunks(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  content: Parameters<typeof contentBlocks>[0],
  messageId: string,
): readonly SessionUpdate[] {
  return contentBlocks(content).map((block) => ({ sessionUpdate, content: block, messageId }));
}
