/** The one message an entry gives to the context, as it is or as an edit has changed it. */

import type { ContextEditEntry, EditedContent, Entry } from "../entry.ts";
import type { AgentMessage, Message, SystemMessage } from "../message.ts";
import { frontBlocks } from "./front-parts.ts";

/** Null for an entry that gives none. The same entry always gives the same object, so that nothing need be compared by content. */
export function entryMessage(entry: Entry, edit: ContextEditEntry | undefined): AgentMessage | null {
  if (edit) return remembered(ofEdits, edit, () => edited(entry, edit));
  if (entry.type === "message" && hasContent(entry.message)) return entry.message;
  return remembered(ofEntries, entry, () => said(entry));
}

type Memory = WeakMap<Entry, AgentMessage | null>;

const ofEntries: Memory = new WeakMap();
const ofEdits: Memory = new WeakMap();

function remembered(memory: Memory, entry: Entry, make: () => AgentMessage | null): AgentMessage | null {
  const known = memory.get(entry);
  if (known !== undefined) return known;
  const message = make();
  memory.set(entry, message);
  return message;
}

function edited(entry: Entry, { replacement }: ContextEditEntry): AgentMessage | null {
  const message = said(entry);
  return message && replacement && withContent(message, replacement.content);
}

function said(entry: Entry): AgentMessage | null {
  switch (entry.type) {
    case "message":
      return withoutNull(entry.message);
    case "compaction": {
      const { summary, tokensBefore, timestamp } = entry;
      const blocks = frontBlocks(entry);
      return {
        role: "compactionSummary",
        summary,
        tokensBefore,
        ...(blocks.length > 1 && { blocks }),
        timestamp: Date.parse(timestamp),
      };
    }
    case "branch_summary": {
      const { summary, fromId, timestamp } = entry;
      return summary === "" ? null : { role: "branchSummary", summary, fromId, timestamp: Date.parse(timestamp) };
    }
    case "custom_message": {
      const { customType, content, display, details, timestamp } = entry;
      return { role: "custom", customType, content: content ?? [], display, details, timestamp: Date.parse(timestamp) };
    }
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
    case "gap":
      return null;
  }
}

function hasContent(message: AgentMessage): boolean {
  return !("content" in message) ? message.role === "bashExecution" : message.content != null;
}

// Files hold null where old versions, forks or hands left no content.
function withoutNull(message: AgentMessage): AgentMessage {
  switch (message.role) {
    case "system":
      return message.content == null ? { ...(message as SystemMessage), content: "" } : message;
    case "user":
    case "assistant":
    case "toolResult":
      return message.content == null ? ({ ...(message as Message), content: [] } as Message) : message;
    case "bashExecution":
    case "custom":
    case "compactionSummary":
    case "branchSummary":
      return message;
  }
}

function withContent(message: AgentMessage, content: EditedContent): AgentMessage {
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content } as AgentMessage;
    case "assistant":
    case "toolResult":
      return {
        ...message,
        content: typeof content === "string" ? [{ type: "text", text: content }] : content,
      } as AgentMessage;
    case "system":
    case "bashExecution":
    case "compactionSummary":
    case "branchSummary":
      return message;
  }
}
