/** One message as it is sent, in words: who says it, and what. Pure. */

import type { AssistantMessage, Message, SystemMessage, UserMessage } from "@pith/context";

export interface SeenText {
  readonly who: string;
  readonly text: string;
}

export function seenText(message: Message): SeenText {
  switch (message.role) {
    case "system":
      return { who: "system", text: systemText(message) };
    case "user":
      return { who: isPrograms(message) ? "Pith, in your place" : "you", text: contentText(message.content) };
    case "assistant":
      return { who: "model", text: message.content.map(replyText).join("\n") };
    case "toolResult":
      return { who: `result of ${message.toolName}`, text: contentText(message.content) };
  }
}

function systemText({ content, sections = {}, toolsAdded = [] }: SystemMessage): string {
  const named = Object.entries(sections).map(([name, text]) => `[${name}]\n${text ?? "(gone)"}`);
  const tools = toolsAdded.map(({ name }) => name).join(", ");
  return [contentText(content), ...named, ...(tools === "" ? [] : [`Tools: ${tools}`])]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function isPrograms(message: UserMessage): boolean {
  return Object((message as { readonly pith?: unknown }).pith).from === "program";
}

function contentText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

function replyText(block: AssistantMessage["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.redacted ? "(thinking, not to be read)" : `(thinking) ${block.thinking}`;
    case "toolCall":
      return `calls ${block.name} ${JSON.stringify(block.arguments)}`;
  }
}
