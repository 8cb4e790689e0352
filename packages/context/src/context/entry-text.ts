/** Reads the text of an entry as the context has it, images only named, and determines who wrote it. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, UserMessage } from "../message.ts";
import { type MessageParts, splitContent } from "./attachments.ts";
import { entryMessage, latestEdit } from "./build-context.ts";

/** Empty for an entry without words, and for one that an edit has removed. */
export function entryWords(entry: Entry, edits: readonly ContextEditEntry[] = []): string {
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message ? messageWords(message) : "";
}

/** What a person typed and what they attached to it; nothing of an entry that no person wrote. */
export function userParts(entry: Entry, edits: readonly ContextEditEntry[] = []): MessageParts {
  if (provenance(entry) !== "person") return NOTHING;
  const message = entryMessage(entry, latestEdit(edits, entry));
  return message?.role === "user" ? contentParts(message) : NOTHING;
}

// An entry always gives the same message, and a plan asks for the parts of each one several times.
function contentParts(message: UserMessage): MessageParts {
  const known = partsOf.get(message);
  if (known) return known;
  const parts = splitContent(message.content);
  partsOf.set(message, parts);
  return parts;
}

const partsOf = new WeakMap<UserMessage, MessageParts>();

const NOTHING: MessageParts = { typed: "", attachments: [] };

function messageWords(message: AgentMessage): string {
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
      return contentWords(message.content);
  }
}

// Files are not checked block by block.
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap(blockWords).join("\n");
}

function blockWords(block: { readonly type?: unknown; readonly text?: unknown } | null): readonly string[] {
  if (block?.type === "text" && typeof block.text === "string") return [block.text];
  return block?.type === "image" ? ["[image]"] : [];
}

export type Provenance = "person" | "assistant" | "tool" | "program" | "summary" | "nobody";

/** Who speaks in an entry; only a person's words count as the user's. */
export function provenance(entry: Entry): Provenance {
  switch (entry.type) {
    case "message":
      return speaker(entry.message);
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

function speaker(message: Extract<Entry, { type: "message" }>["message"]): Provenance {
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
