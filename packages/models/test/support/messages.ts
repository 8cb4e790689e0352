/** Creates short requests and messages for tests. */

import type { AssistantMessage, Message, ModelName, Request, ToolResultMessage, UserMessage } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";

export const anthropic: ModelName = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
export const responses: ModelName = { api: "openai-responses", provider: "openai", model: "gpt-5" };
export const completions: ModelName = { api: "openai-completions", provider: "local", model: "qwen" };
export const openaiChat: ModelName = { api: "openai-completions", provider: "openai", model: "gpt-5" };
export const gemini: ModelName = { api: "google-generative-ai", provider: "google", model: "gemini-2.5-pro" };

export const all: readonly ModelName[] = [anthropic, responses, completions, openaiChat, gemini];

export function requestOf(messages: readonly Message[], more: Partial<Request> = {}): Request {
  return { system: [], tools: [], messages, thinking: "off", toolChoice: "auto", cacheMarks: [], ...more };
}

export function tool(name: string): Request["tools"][number] {
  const parameters = { type: "object", properties: { path: { type: "string" } } };
  return { name, description: `The tool ${name}.`, parameters };
}

export const user = (content: UserMessage["content"]): UserMessage => ({ role: "user", content, timestamp: 0 });

export function says(content: AssistantMessage["content"], by: ModelName): AssistantMessage {
  const stopReason = content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
  return { role: "assistant", content, ...by, usage: emptyUsage, stopReason, timestamp: 0 };
}

export function calls(by: ModelName, ...ids: readonly string[]): AssistantMessage {
  return says(
    ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: id } })),
    by,
  );
}

export function result(
  toolCallId: string,
  content: ToolResultMessage["content"] | string,
  more: Partial<ToolResultMessage> = {},
): ToolResultMessage {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { role: "toolResult", toolCallId, toolName: "read", content: blocks, isError: false, timestamp: 0, ...more };
}

/** One pixel. */
export const picture = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
} as const;
