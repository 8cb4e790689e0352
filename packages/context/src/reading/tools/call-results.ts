/** Which result answers which call, also where ids come twice or hands have left anything in a file. */

import type { AgentMessage, AssistantMessage, ToolCallBlock, ToolResultMessage } from "../../message.ts";

/** A result answers the newest call before it that bears its id. */
export function callResults(messages: readonly AgentMessage[]): ReadonlyMap<ToolCallBlock, ToolResultMessage> {
  const open = new Map<string, ToolCallBlock>();
  const results = new Map<ToolCallBlock, ToolResultMessage>();
  for (const message of messages) {
    if (message.role === "assistant") for (const call of callsIn(message)) open.set(call.id, call);
    const call = message.role === "toolResult" ? open.get(message.toolCallId) : undefined;
    if (call && message.role === "toolResult" && !results.has(call)) results.set(call, message);
  }
  return results;
}

/** None where the message failed or was stopped: then nobody ran them. */
export function callsIn({ content, stopReason }: AssistantMessage): readonly ToolCallBlock[] {
  if (stopReason === "error" || stopReason === "aborted" || !Array.isArray(content)) return [];
  return content.filter((block): block is ToolCallBlock => block?.type === "toolCall");
}
