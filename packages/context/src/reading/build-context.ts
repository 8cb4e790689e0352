/** Window to context: the messages at the leaf, each with the entry it came from. Exactly what pi shows for the same branch. */

import type { ContextEditEntry, EditedContent, Entry } from "../entry.ts";
import type { AgentMessage, Message, SystemMessage } from "../message.ts";
import type { Carried } from "../session/carried.ts";
import type { Window } from "../session/window.ts";
import { growing } from "./growing.ts";

export interface SessionContext extends Carried {
  readonly messages: readonly AgentMessage[];
  /** For each message the id of its entry. */
  readonly sources: readonly string[];
}

/** CTX1: depends on the branch alone. A pass over the window, whatever the history before it. */
export function buildSessionContext(window: Window): SessionContext {
  const { messages, sources } = reading(contextEntries(window), window.edits);
  return { messages: messages.slice(), sources: sources.slice(), ...window.state };
}

interface Reading {
  /** By the entry they change; of several the latest. */
  readonly edits: ReadonlyMap<string, ContextEditEntry>;
  readonly messages: AgentMessage[];
  readonly sources: string[];
}

const reading = growing<Entry, Reading, readonly ContextEditEntry[]>({
  start: (edits) => ({ edits: new Map(edits.map((edit) => [edit.targetId, edit])), messages: [], sources: [] }),
  take: ({ edits, messages, sources }, entry) => {
    const system = entry.type === "compaction" ? entry.systemMessage : undefined;
    for (const message of [system, messageOf(entry, edits)]) {
      if (!message) continue;
      messages.push(message);
      sources.push(entry.id);
    }
  },
  isSame: (one, other) => one === other || (one.length === 0 && other.length === 0),
});

// B58: the newest compaction first, then what it kept, then what came after it. Its own system message replaces those it covers.
function contextEntries({ entries, compactionAt }: Window): readonly Entry[] {
  const compaction = entries[compactionAt];
  if (!compaction) return entries;
  const kept = entries.slice(0, compactionAt).filter((entry) => !isSystem(entry) && entry.type !== "compaction");
  return [compaction, ...kept, ...entries.slice(compactionAt + 1)];
}

function messageOf(entry: Entry, edits: ReadonlyMap<string, ContextEditEntry>): AgentMessage | null {
  const edit = edits.size === 0 ? undefined : edits.get(entry.id);
  if (edit) return edit.replacement && remembered(edit, () => edited(entry, edit.replacement?.content ?? ""));
  if (entry.type === "message") return withoutNull(entry.message);
  return SPEAKS.has(entry.type) ? remembered(entry, () => spokenBy(entry)) : null;
}

// One entry, one message object: what follows can tell by identity that nothing has changed.
const made = new WeakMap<Entry, AgentMessage | null>();

function remembered(entry: Entry, make: () => AgentMessage | null): AgentMessage | null {
  const known = made.get(entry);
  if (known !== undefined) return known;
  const message = make();
  made.set(entry, message);
  return message;
}

function edited(entry: Entry, content: EditedContent): AgentMessage | null {
  const message = spokenBy(entry);
  return message && withContent(message, content);
}

function spokenBy(entry: Entry): AgentMessage | null {
  switch (entry.type) {
    case "message":
      return withoutNull(entry.message);
    case "compaction": {
      const { summary, tokensBefore, timestamp } = entry;
      return { role: "compactionSummary", summary, tokensBefore, timestamp: Date.parse(timestamp) };
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
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content } as AgentMessage;
    case "assistant":
    case "toolResult":
      return { ...message, content: blocks } as AgentMessage;
    case "system":
    case "bashExecution":
    case "compactionSummary":
    case "branchSummary":
      return message;
  }
}

function isSystem(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "system";
}

const SPEAKS: ReadonlySet<Entry["type"]> = new Set(["compaction", "branch_summary", "custom_message"]);
