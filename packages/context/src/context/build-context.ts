/** Builds the context at a leaf: its messages, edits applied, each with its entry. What pi shows for the same branch, and a note where an entry was lost. */

import type { ContextEditEntry, EditedContent, Entry } from "../entry.ts";
import type { AgentMessage, Message, SystemMessage } from "../message.ts";
import type { Window } from "../session/loaded-branch.ts";
import type { Carried } from "../session/state.ts";
import { DAMAGE, damageNote } from "./damage-note.ts";
import { frontBlocks } from "./summary-parts.ts";

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
      return null;
    case "unknown":
    case "gap": {
      const note = damageNote(entry);
      return note === null ? null : { role: "custom", customType: DAMAGE, content: note, display: false, timestamp: 0 };
    }
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

export interface Fold<Item extends object, State, Setting> {
  start(setting: Setting): State;
  /** May change the state in place; nobody else holds it. */
  take(state: State, item: Item): void;
  isSame(one: Setting, other: Setting): boolean;
}

/**
 * Folds a list that mostly grows at its end: continues where it stopped when the list begins with the very same items. From
 * the outside a pure function of items and setting. Items are immutable, so the same object means the same content, and
 * looking at pointers alone spares a walk through memory that is cold by the time of the next request.
 */
export function growing<Item extends object, State, Setting>(
  fold: Fold<Item, State, Setting>,
): (items: readonly Item[], setting: Setting) => State {
  const underWay = new WeakMap<Item, Progress<Item, State, Setting>>();
  return (items, setting) => {
    const [first] = items;
    if (!first) return fold.start(setting);
    const before = underWay.get(first);
    const goesOn = before && fold.isSame(before.setting, setting) && isBeginningOf(before.taken, items);
    const progress = goesOn ? before : { setting, taken: [], state: fold.start(setting) };
    // Whatever throws in the middle leaves a state that nobody goes on with.
    underWay.delete(first);
    for (const item of items.slice(progress.taken.length)) {
      fold.take(progress.state, item);
      progress.taken.push(item);
    }
    underWay.set(first, progress);
    return progress.state;
  };
}

interface Progress<Item, State, Setting> {
  readonly setting: Setting;
  readonly taken: Item[];
  readonly state: State;
}

function isBeginningOf(taken: readonly unknown[], items: readonly unknown[]): boolean {
  if (taken.length > items.length) return false;
  for (let at = 0; at < taken.length; at++) if (taken[at] !== items[at]) return false;
  return true;
}

export interface SessionContext extends Carried {
  readonly messages: readonly AgentMessage[];
  /** For each message the id of its entry. */
  readonly sources: readonly string[];
}

/** The messages at the leaf of a window, each with the entry it came from; depends on the branch alone. */
export function buildSessionContext(window: Window): SessionContext {
  const { messages, sources } = gathering(contextEntries(window), window.edits);
  // Copies, because the gathering goes on with its own when the window has grown.
  return { messages: messages.slice(), sources: sources.slice(), ...window.state };
}

// CTX2, CTX13: the newest compaction, then what it kept, then what came after. Its system message replaces those it covers.
function contextEntries({ entries, compactionAt }: Window): readonly Entry[] {
  const compaction = entries[compactionAt];
  if (!compaction) return entries;
  const kept = entries.slice(0, compactionAt).filter((entry) => !isSystem(entry) && entry.type !== "compaction");
  return [compaction].concat(kept, entries.slice(compactionAt + 1));
}

interface Gathering {
  /** By the entry they change; of several the latest. */
  readonly edits: ReadonlyMap<string, ContextEditEntry>;
  readonly messages: AgentMessage[];
  readonly sources: string[];
}

const gathering = growing<Entry, Gathering, readonly ContextEditEntry[]>({
  start: (edits) => ({ edits: new Map(edits.map((edit) => [edit.targetId, edit])), messages: [], sources: [] }),
  take: ({ edits, messages, sources }, entry) => {
    for (const message of [foldedSystem(entry), entryMessage(entry, edits.get(entry.id))]) {
      if (!message) continue;
      messages.push(message);
      sources.push(entry.id);
    }
  },
  isSame: (one, other) => one === other || (one.length === 0 && other.length === 0),
});

function foldedSystem(entry: Entry): AgentMessage | null {
  return entry.type === "compaction" && entry.systemMessage?.role === "system" ? entry.systemMessage : null;
}

function isSystem(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "system";
}

/** The edit that decides what an entry gives to the context: of several, the latest (CTX3). */
export function latestEdit(
  edits: readonly ContextEditEntry[],
  { id }: Pick<Entry, "id">,
): ContextEditEntry | undefined {
  return edits.length === 0 ? undefined : byTarget(edits).get(id);
}

// A window's list of edits is never changed, so it is gone through once.
function byTarget(edits: readonly ContextEditEntry[]): ReadonlyMap<string, ContextEditEntry> {
  const known = maps.get(edits);
  if (known) return known;
  const map = new Map(edits.map((edit) => [edit.targetId, edit]));
  maps.set(edits, map);
  return map;
}

const maps = new WeakMap<readonly ContextEditEntry[], ReadonlyMap<string, ContextEditEntry>>();
