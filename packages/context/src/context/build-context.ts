/** Builds the context at a leaf: its messages, edits applied, each with its entry. What pi shows for the same branch, and a note where an entry was lost. */

import type { ContextEditEntry, Entry, ReplacementContent } from "../entry.ts";
import type { AgentMessage, Message, SystemMessage } from "../message.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { SessionState } from "../session/state.ts";
import { DAMAGE_TYPE, damageNote } from "./damage-note.ts";
import { summaryBlockLengths } from "./summary-parts.ts";

/** Null for an entry that gives none. The same entry always gives the same object, so that nothing need be compared by content. */
export function entryMessage(entry: Entry, edit: ContextEditEntry | undefined): AgentMessage | null {
  if (edit) return getOrCreateMessage(messageByEdit, edit, () => applyEdit(entry, edit));
  if (entry.type === "message" && hasContent(entry.message)) return entry.message;
  return getOrCreateMessage(messageByEntry, entry, () => toAgentMessage(entry));
}

type MessageCache = WeakMap<Entry, AgentMessage | null>;

const messageByEntry: MessageCache = new WeakMap();
const messageByEdit: MessageCache = new WeakMap();

function getOrCreateMessage(cache: MessageCache, entry: Entry, create: () => AgentMessage | null): AgentMessage | null {
  const cached = cache.get(entry);
  if (cached !== undefined) return cached;
  const message = create();
  cache.set(entry, message);
  return message;
}

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

function hasContent(message: AgentMessage): boolean {
  return !("content" in message) ? message.role === "bashExecution" : message.content != null;
}

// Files hold null where old versions, forks or hands left no content.
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

export interface IncrementalFold<Item extends object, State, Setting> {
  start(setting: Setting): State;
  /** May change the state in place; nobody else holds it. */
  add(state: State, item: Item): void;
  isSame(one: Setting, other: Setting): boolean;
}

/**
 * Folds a list that mostly grows at its end: continues where it stopped when the list begins with the very same items. From
 * the outside a pure function of items and setting. Items are immutable, so the same object means the same content, and
 * looking at pointers alone spares a walk through memory that is cold by the time of the next request.
 */
export function createIncrementalFold<Item extends object, State, Setting>(
  fold: IncrementalFold<Item, State, Setting>,
): (items: readonly Item[], setting: Setting) => State {
  const progressByFirstItem = new WeakMap<Item, FoldProgress<Item, State, Setting>>();
  return (items, setting) => {
    const [first] = items;
    if (!first) return fold.start(setting);
    const previous = progressByFirstItem.get(first);
    const canContinue = previous && fold.isSame(previous.setting, setting) && isPrefix(previous.items, items);
    const progress = canContinue ? previous : { setting, items: [], state: fold.start(setting) };
    // Whatever throws in the middle leaves a state that nobody goes on with.
    progressByFirstItem.delete(first);
    for (const item of items.slice(progress.items.length)) {
      fold.add(progress.state, item);
      progress.items.push(item);
    }
    progressByFirstItem.set(first, progress);
    return progress.state;
  };
}

interface FoldProgress<Item, State, Setting> {
  readonly setting: Setting;
  readonly items: Item[];
  readonly state: State;
}

function isPrefix(prefix: readonly unknown[], items: readonly unknown[]): boolean {
  if (prefix.length > items.length) return false;
  for (let index = 0; index < prefix.length; index++) if (prefix[index] !== items[index]) return false;
  return true;
}

export interface SessionContext extends SessionState {
  readonly messages: readonly AgentMessage[];
  /** For each message the id of its entry. */
  readonly sources: readonly string[];
}

/** The messages at the leaf of a window, each with the entry it came from; depends on the branch alone. */
export function buildSessionContext(branch: LoadedBranch): SessionContext {
  const { messages, sources } = collectMessages(contextEntries(branch), branch.edits);
  // Copies, because the gathering goes on with its own when the window has grown.
  return { messages: messages.slice(), sources: sources.slice(), ...branch.state };
}

// CTX2, CTX13: the newest compaction, then what it kept, then what came after. Its system message replaces those it covers.
function contextEntries({ entries, compactionIndex: compactionAt }: LoadedBranch): readonly Entry[] {
  const compaction = entries[compactionAt];
  if (!compaction) return entries;
  const keptEntries = entries
    .slice(0, compactionAt)
    .filter((entry) => !isSystemEntry(entry) && entry.type !== "compaction");
  return [compaction].concat(keptEntries, entries.slice(compactionAt + 1));
}

interface ContextMessages {
  /** By the entry they change; of several the latest. */
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

function isSystemEntry(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "system";
}

/** The edit that decides what an entry gives to the context: of several, the latest (CTX3). */
export function latestEdit(
  edits: readonly ContextEditEntry[],
  { id }: Pick<Entry, "id">,
): ContextEditEntry | undefined {
  return edits.length === 0 ? undefined : editsByTarget(edits).get(id);
}

// A window's list of edits is never changed, so it is gone through once.
function editsByTarget(edits: readonly ContextEditEntry[]): ReadonlyMap<string, ContextEditEntry> {
  const cached = editMapCache.get(edits);
  if (cached) return cached;
  const map = new Map(edits.map((edit) => [edit.targetId, edit]));
  editMapCache.set(edits, map);
  return map;
}

const editMapCache = new WeakMap<readonly ContextEditEntry[], ReadonlyMap<string, ContextEditEntry>>();
