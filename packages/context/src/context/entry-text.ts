/** Reads the text of an entry as it is in the context, with a placeholder for images, and determines its author. */

import { getOrCompute } from "../cache.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, UserMessage } from "../message.ts";
import { type MessageParts, splitContent } from "./attachments.ts";
import { entryMessage, latestEdit } from "./build-context.ts";

/** Returns the text of an entry. Empty for an entry without text, and for one that an edit removed. */
export function entryText(entry: Entry, edits: readonly ContextEditEntry[] = []): string {
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message ? messageText(message) : "";
}

/** Splits an entry that a person wrote into typed text and attachments. Returns empty parts for any other entry. */
export function splitUserEntry(entry: Entry, edits: readonly ContextEditEntry[] = []): MessageParts {
  if (authorOf(entry) !== "person") return EMPTY_MESSAGE_PARTS;
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message?.role === "user" ? splitUserMessage(message) : EMPTY_MESSAGE_PARTS;
}

/** Whether a user sent the entry, and it is not empty. */
export function isFromUser(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const { typed, attachments } = splitUserEntry(entry, edits);
  return attachments.length > 0 || /\S/.test(typed);
}

// Cached per message, because a compaction plan reads the parts of each message several times.
function splitUserMessage(message: UserMessage): MessageParts {
  return getOrCompute(partsByMessage, message, () => splitContent(message.content));
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

/** The author of an entry; `none` for an entry without text of its own. */
export type Author = "person" | "assistant" | "tool" | "program" | "summary" | "none";

/** Returns the author of an entry. Only a `person` counts as the user. */
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
      return "none";
    // The note about a damaged entry never counts as the user's text.
    case "unknown":
    case "gap":
      return "none";
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
