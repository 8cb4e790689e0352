/** Window to context: the messages at the leaf, each with the entry it came from. Exactly what pi shows for the same branch. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage } from "../message.ts";
import type { Carried } from "../session/carried.ts";
import type { Window } from "../session/window.ts";
import { entryMessage } from "./entry-message.ts";
import { growing } from "./growing.ts";

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
