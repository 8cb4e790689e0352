/** Reads the text of an entry as the context has it, images only named, and determines who wrote it. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, UserMessage } from "../message.ts";
import { type MessageParts, splitContent } from "./attachments.ts";
import { entryMessage, latestEdit } from "./build-context.ts";

/** Empty for an entry without words, and for one that an edit has removed. */
export function entryText(entry: Entry, edits: readonly ContextEditEntry[] = []): string {
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message ? messageText(message) : "";
}

/** What a person typed and what they attached to it; nothing of an entry that no person wrote. */
export function splitUserEntry(entry: Entry, edits: readonly ContextEditEntry[] = []): MessageParts {
  if (authorOf(entry) !== "person") return EMPTY_MESSAGE_PARTS;
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message?.role === "user" ? splitUserMessage(message) : EMPTY_MESSAGE_PARTS;
}

// An entry always gives the same message, and a plan asks for the parts of each one several times.
function splitUserMessage(message: UserMessage): MessageParts {
  const cached = partsByMessage.get(message);
  if (cached) return cached;
  const parts = splitContent(message.content);
  partsByMessage.set(message, parts);
  return parts;
}

const partsByMessage = new WeakMap<UserMessage, MessageParts>();

const EMPTY_MESSAGE_PARTS: MessageParts = { typed: "", attachments: [] };

function messageText(message: AgentMessage): string {
  switch (message.role) {
    case "bashExecution":
      return `${message.command}\n${message.output}`;
    case "compactionSummary":
    case "branchSummary":
      return message.summary;
    case "system":
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return contentText(message.content);
  }
}

// Files are not checked block by block.
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap(blockTexts).join("\n");
}

function blockTexts(block: { readonly type?: unknown; readonly text?: unknown } | null): readonly string[] {
  if (block?.type === "text" && typeof block.text === "string") return [block.text];
  return block?.type === "image" ? ["[image]"] : [];
}

export type Author = "person" | "assistant" | "tool" | "program" | "summary" | "nobody";

/** Who speaks in an entry; only a person's words count as the user's. */
export function authorOf(entry: Entry): Author {
  switch (entry.type) {
    case "message":
      return messageAuthor(entry.message);
    case "custom_message":
      return "program";
    case "compaction":
    case "branch_summary":
      return "summary";
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
      return "nobody";
    // A note says that something was lost; it is nobody's word, least of all the user's.
    case "unknown":
    case "gap":
      return "nobody";
  }
}

function messageAuthor(message: Extract<Entry, { type: "message" }>["message"]): Author {
  switch (message.role) {
    case "user":
      return message.pith?.from === "program" ? "program" : "person";
    case "assistant":
      return "assistant";
    case "toolResult":
    case "bashExecution":
      return "tool";
    case "system":
    case "custom":
      return "program";
    case "compactionSummary":
    case "branchSummary":
      return "summary";
  }
}
