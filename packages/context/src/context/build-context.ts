/** Builds the context at a leaf: its messages with edits applied, each with its entry. It matches pi, plus a note where an entry was lost. */

import { createIncrementalFold, getOrCompute } from "../cache.ts";
import type { ContextEditEntry, Entry, ReplacementContent } from "../entry.ts";
import type { AgentMessage, Message, SystemMessage } from "../message.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { SessionState } from "../session/state.ts";
import { DAMAGE_TYPE, damageNote } from "./damage-note.ts";
import { summaryBlockLengths } from "./read-summary-parts.ts";

/** Builds the messages at the leaf of a branch, each with the entry it comes from. Depends on the branch alone. */
export function buildSessionContext(branch: LoadedBranch): SessionContext {
  const { messages, sources } = collectMessages(contextEntries(branch), branch.edits);
  // The fold appends to its own lists when the branch grows, so callers get copies.
  return { messages: messages.slice(), sources: sources.slice(), ...branch.state };
}

/** The messages that a model sees at a leaf, and the session state there. */
export interface SessionContext extends SessionState {
  readonly messages: readonly AgentMessage[];
  /** The id of the entry of each message. */
  readonly sources: readonly string[];
}

// CTX2, CTX13: the newest compaction, then the entries it kept, then later entries. Its system message replaces earlier ones.
function contextEntries({ entries, compactionIndex }: LoadedBranch): readonly Entry[] {
  const compaction = entries[compactionIndex];
  if (!compaction) return entries;
  const keptEntries = entries
    .slice(0, compactionIndex)
    .filter((entry) => !isSystemEntry(entry) && entry.type !== "compaction");
  return [compaction].concat(keptEntries, entries.slice(compactionIndex + 1));
}

function isSystemEntry(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "system";
}

interface ContextMessages {
  /** The latest edit of each entry, by entry id. */
  readonly edits: ReadonlyMap<string, ContextEditEntry>;
  readonly messages: AgentMessage[];
  readonly sources: string[];
}

const collectMessages = createIncrementalFold<Entry, ContextMessages, readonly ContextEditEntry[]>({
  start: (edits) => ({ edits: new Map(edits.map((edit) => [edit.targetId, edit])), messages: [], sources: [] }),
  add: ({ edits, messages, sources }, entry) => {
    for (const message of [compactionSystemMessage(entry), entryMessage(entry, edits.get(entry.id))]) {
      if (!message) continue;
      messages.push(message);
      sources.push(entry.id);
    }
  },
  isSame: (one, other) => one === other || (one.length === 0 && other.length === 0),
});

function compactionSystemMessage(entry: Entry): AgentMessage | null {
  return entry.type === "compaction" && entry.systemMessage?.role === "system" ? entry.systemMessage : null;
}

/** Returns the message of an entry, or null if it has none. The same entry and edit always give the same object. */
export function entryMessage(entry: Entry, edit: ContextEditEntry | undefined): AgentMessage | null {
  if (edit) return getOrCompute(messageByEdit, edit, () => applyEdit(entry, edit));
  if (entry.type === "message" && fillNullContent(entry.message) === entry.message) return entry.message;
  return getOrCompute(messageByEntry, entry, () => toAgentMessage(entry));
}

const messageByEntry = new WeakMap<Entry, AgentMessage | null>();
const messageByEdit = new WeakMap<ContextEditEntry, AgentMessage | null>();

function applyEdit(entry: Entry, { replacement }: ContextEditEntry): AgentMessage | null {
  const message = toAgentMessage(entry);
  return message && replacement && replaceContent(message, replacement.content);
}

function toAgentMessage(entry: Entry): AgentMessage | null {
  switch (entry.type) {
    case "message":
      return fillNullContent(entry.message);
    case "compaction": {
      const { summary, tokensBefore, timestamp } = entry;
      const blocks = summaryBlockLengths(entry);
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
      return null;
    case "unknown":
    case "gap": {
      const note = damageNote(entry);
      return note === null
        ? null
        : { role: "custom", customType: DAMAGE_TYPE, content: note, display: false, timestamp: 0 };
    }
  }
}

// Old versions, forks and manual edits may leave null as the content.
function fillNullContent(message: AgentMessage): AgentMessage {
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

function replaceContent(message: AgentMessage, content: ReplacementContent): AgentMessage {
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

/** Returns the latest edit of an entry, which decides its content in the context (CTX3). */
export function latestEdit(
  edits: readonly ContextEditEntry[],
  { id }: Pick<Entry, "id">,
): ContextEditEntry | undefined {
  if (edits.length === 0) return undefined;
  // The list of edits of a branch never changes, so its map is built once.
  return getOrCompute(editsByTarget, edits, () => new Map(edits.map((edit) => [edit.targetId, edit]))).get(id);
}

const editsByTarget = new WeakMap<readonly ContextEditEntry[], ReadonlyMap<string, ContextEditEntry>>();
