/** What the model saw, one line per message: `3 assistant  [c1: read path=a.ts]`. */

import type { AgentMessage, Block, Message } from "../message.ts";

export function show(messages: readonly (Message | AgentMessage)[]): string {
  return messages.map((message, at) => `${at} ${label(message).padEnd(9)} ${text(message)}`.trimEnd()).join("\n");
}

function label({ role }: AgentMessage): string {
  return SHORT[role] ?? role;
}

const SHORT: Readonly<Partial<Record<AgentMessage["role"], string>>> = {
  toolResult: "tool",
  bashExecution: "shell",
  compactionSummary: "summary",
  branchSummary: "left",
};

function text(message: AgentMessage): string {
  switch (message.role) {
    case "toolResult":
      return `${message.toolCallId} -> ${message.isError ? "(error) " : ""}${content(message.content)}`;
    case "bashExecution":
      return oneLine(`${message.command} -> ${message.output}`);
    case "compactionSummary":
    case "branchSummary":
      return oneLine(message.summary);
    case "system":
    case "user":
    case "assistant":
    case "custom":
      return content(message.content);
  }
}

function content(content: string | readonly Block[]): string {
  if (typeof content === "string") return oneLine(content);
  return content.map(blockText).join(" ");
}

function blockText(block: Block): string {
  switch (block.type) {
    case "text":
      return oneLine(block.text);
    case "thinking":
      return `(thinks: ${oneLine(block.thinking)})`;
    case "image":
      return `[${block.mimeType}]`;
    case "toolCall": {
      const args = Object.entries(block.arguments).map(([name, value]) => ` ${name}=${value}`);
      return `[${block.id}: ${block.name}${args.join("")}]`;
    }
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
