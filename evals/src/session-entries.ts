/** Creates the session entries that the evals append: user messages, assistant messages and tool results. */

import type { NewEntry } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";

export type Message = Extract<NewEntry, { type: "message" }>["message"];
type AssistantContent = Extract<Message, { role: "assistant" }>["content"];

export const SESSION_MODEL = { api: "anthropic-messages", provider: "anthropic", model: "session" };

export function createEntry(message: Message): NewEntry {
  return { type: "message", message };
}

export function userMessage(content: string): NewEntry {
  return createEntry({ role: "user", content, timestamp: 1 });
}

export function assistantMessage(content: string | AssistantContent, model = SESSION_MODEL): NewEntry {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const stopReason = blocks.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return createEntry({ role: "assistant", ...model, content: blocks, usage: emptyUsage, stopReason, timestamp: 1 });
}

/** A reply that reports its tokens, so that the request before it can be found. */
export function measuredReply(model: typeof SESSION_MODEL, tokens: number): NewEntry {
  const usage = { ...emptyUsage, cacheRead: tokens, output: 1, totalTokens: tokens + 1 };
  const content = [{ type: "text" as const, text: "…" }];
  return createEntry({ role: "assistant", ...model, content, usage, stopReason: "stop", timestamp: 1 });
}

export interface ToolResultOptions {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly isError?: boolean;
  readonly details?: object | undefined;
}

export function toolResult(
  text: string,
  { toolCallId, toolName, isError = false, details }: ToolResultOptions,
): NewEntry {
  const content = [{ type: "text" as const, text }];
  return createEntry({
    role: "toolResult",
    toolCallId,
    toolName,
    content,
    isError,
    timestamp: 1,
    ...(details && { details }),
  });
}

/** The text of a message's content. Blocks are joined with line breaks. */
export function contentText({ content }: { readonly content: unknown }): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((block: { readonly text?: string }) => block.text ?? "").join("\n");
}
