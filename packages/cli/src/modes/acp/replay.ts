/** Converts a stored branch, compactions included, into the session updates that show it in an editor again. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AssistantMessage, Entry, UserMessage } from "@pith/context";
import { displayText } from "@pith/context/host";
import type { ClientView } from "./acp-context.ts";
import { contentBlocks, hasRunnableCalls, textBlock, toToolCall, toToolCallEnd } from "./tool-updates.ts";
import { toPastCompactionUpdate } from "./updates.ts";

type Arguments = Readonly<Record<string, unknown>>;

export function* replay(branch: readonly Entry[], view: ClientView): Generator<SessionUpdate> {
  const calls = new Map<string, Arguments>();
  for (const entry of branch) yield* entryUpdates(entry, view, calls);
  // Of these nothing more will come: the program ended before they had.
  for (const toolCallId of calls.keys()) yield { sessionUpdate: "tool_call_update", toolCallId, status: "failed" };
}

function entryUpdates(entry: Entry, view: ClientView, calls: Map<string, Arguments>): readonly SessionUpdate[] {
  switch (entry.type) {
    case "message":
      return messageUpdates(entry, view, calls);
    case "compaction":
      return [toPastCompactionUpdate(entry, view.features)];
    case "branch_summary":
      return toChunks("agent_message_chunk", `\n\n· of a branch that was left:\n\n${entry.summary}\n\n`, entry.id);
    case "custom_message":
      return entry.display ? toChunks("agent_message_chunk", entry.content, entry.id) : [];
    default:
      return [];
  }
}

function messageUpdates(
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
        .flatMap((block) => blockUpdates(block, { id, cwd, calls }));
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

/** Attachments by their names, as the editor showed them when they were sent. */
function toDisplayContent(content: UserMessage["content"]): UserMessage["content"] {
  const text = displayText(content);
  const images = Array.isArray(content) ? content.filter((block) => block?.type === "image") : [];
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images];
}

interface BlockContext {
  readonly id: string;
  readonly cwd: string;
  readonly calls: Map<string, Arguments>;
}

function blockUpdates(
  block: AssistantMessage["content"][number],
  { id, cwd, calls }: BlockContext,
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
