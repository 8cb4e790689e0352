/** Converts a stored branch, compactions included, into the session updates that show it in an editor again. Pure. */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AssistantMessage, Entry, UserMessage } from "@pith/context";
import { displayText } from "@pith/context/host";
import type { Sight } from "./acp-context.ts";
import { callEnded, callShown, contentBlocks, isRun, textBlock } from "./tool-updates.ts";
import { pastCompaction } from "./updates.ts";

type Arguments = Readonly<Record<string, unknown>>;

export function* replay(branch: readonly Entry[], sight: Sight): Generator<SessionUpdate> {
  const calls = new Map<string, Arguments>();
  for (const entry of branch) yield* entryUpdates(entry, sight, calls);
  // Of these nothing more will come: the program ended before they had.
  for (const toolCallId of calls.keys()) yield { sessionUpdate: "tool_call_update", toolCallId, status: "failed" };
}

function entryUpdates(entry: Entry, sight: Sight, calls: Map<string, Arguments>): readonly SessionUpdate[] {
  switch (entry.type) {
    case "message":
      return messageUpdates(entry, sight, calls);
    case "compaction":
      return [pastCompaction(entry, sight.can)];
    case "branch_summary":
      return said("agent_message_chunk", `\n\n· of a branch that was left:\n\n${entry.summary}\n\n`, entry.id);
    case "custom_message":
      return entry.display ? said("agent_message_chunk", entry.content, entry.id) : [];
    default:
      return [];
  }
}

function messageUpdates(
  { id, message }: Extract<Entry, { type: "message" }>,
  { cwd }: Sight,
  calls: Map<string, Arguments>,
): readonly SessionUpdate[] {
  switch (message.role) {
    case "user":
      return message.pith ? [] : said("user_message_chunk", shownContent(message.content), id);
    case "assistant":
      return message.content
        .filter(({ type }) => type !== "toolCall" || isRun(message))
        .flatMap((block) => blockUpdates(block, { id, cwd, calls }));
    case "toolResult": {
      const args = calls.get(message.toolCallId) ?? {};
      calls.delete(message.toolCallId);
      const ended = callEnded({ toolCallId: message.toolCallId, args }, message, cwd);
      return [{ sessionUpdate: "tool_call_update", ...ended }];
    }
    case "bashExecution": {
      const called = { toolCallId: id, toolName: "bash", args: { command: message.command } };
      const content = [{ type: "content" as const, content: textBlock(message.output) }];
      return [{ sessionUpdate: "tool_call", ...callShown(called, cwd), status: "completed", content }];
    }
    default:
      return [];
  }
}

/** Attachments by their names, as the editor showed them when they were sent. */
function shownContent(content: UserMessage["content"]): UserMessage["content"] {
  const text = displayText(content);
  const images = Array.isArray(content) ? content.filter((block) => block?.type === "image") : [];
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images];
}

interface Past {
  readonly id: string;
  readonly cwd: string;
  readonly calls: Map<string, Arguments>;
}

function blockUpdates(block: AssistantMessage["content"][number], { id, cwd, calls }: Past): readonly SessionUpdate[] {
  switch (block.type) {
    case "text":
      return said("agent_message_chunk", block.text, id);
    case "thinking":
      return block.redacted ? [] : said("agent_thought_chunk", block.thinking, id);
    case "toolCall": {
      calls.set(block.id, block.arguments);
      const called = { toolCallId: block.id, toolName: block.name, args: block.arguments };
      return [{ sessionUpdate: "tool_call", ...callShown(called, cwd) }];
    }
  }
}

function said(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  content: Parameters<typeof contentBlocks>[0],
  messageId: string,
): readonly SessionUpdate[] {
  return contentBlocks(content).map((block) => ({ sessionUpdate, content: block, messageId }));
}
