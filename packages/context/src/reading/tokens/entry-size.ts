/** What one entry adds to a request, before any calibration: its message, as the model that said it would get it back. */

import type { ContextEditEntry, Entry } from "../../entry.ts";
import type { AgentMessage } from "../../message.ts";
import { entryMessage } from "../entry-message.ts";
import { sendable } from "../sendable.ts";
import { spoken } from "../spoken.ts";
import { messageBytes, messageTokens } from "./message-tokens.ts";

export interface EntrySize {
  readonly tokens: number;
  /** How many of them say what the system is. */
  readonly system: number;
  /** On the wire. */
  readonly bytes: number;
}

export function entrySize(entry: Entry, edit: ContextEditEntry | undefined): EntrySize {
  return edit
    ? remembered(ofEdits, edit, () => sizeOf(entry, edit))
    : remembered(ofEntries, entry, () => sizeOf(entry));
}

type Memory = WeakMap<Entry, EntrySize>;

const ofEntries: Memory = new WeakMap();
const ofEdits: Memory = new WeakMap();

function remembered(memory: Memory, entry: Entry, make: () => EntrySize): EntrySize {
  const known = memory.get(entry);
  if (known) return known;
  const size = make();
  memory.set(entry, size);
  return size;
}

function sizeOf(entry: Entry, edit?: ContextEditEntry): EntrySize {
  const system = entry.type === "compaction" ? messageSize(entry.systemMessage) : NOTHING;
  return sum(system, messageSize(entryMessage(entry, edit)));
}

function messageSize(message: AgentMessage | null | undefined): EntrySize {
  const words = message && spoken(message);
  const sent = words && sendable(words, undefined);
  if (!sent) return NOTHING;
  const tokens = messageTokens(sent);
  return { tokens, system: sent.role === "system" ? tokens : 0, bytes: messageBytes(sent) };
}

const NOTHING: EntrySize = { tokens: 0, system: 0, bytes: 0 };

function sum(one: EntrySize, other: EntrySize): EntrySize {
  return {
    tokens: one.tokens + other.tokens,
    system: one.system + other.system,
    bytes: one.bytes + other.bytes,
  };
}
