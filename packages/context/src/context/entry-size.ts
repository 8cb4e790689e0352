/** Computes what one entry adds to a request before calibration, and reads what replies report about theirs. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, AssistantMessage, Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { Window } from "../session/loaded-branch.ts";
import { messageBytes, messageTokens } from "../tokens/estimate-tokens.ts";
import { entryMessage } from "./build-context.ts";
import { spoken } from "./convert-to-llm.ts";
import { sendable } from "./sanitize-message.ts";

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

/** What a reply reports about its request: the only real token counts there are. */
export interface Measure {
  /** All that the model was given. */
  readonly prompt: number;
  /** That, and its answer. */
  readonly total: number;
}

/** Null for a reply that failed, was broken off, or does not say. Files hold anything, so no number is trusted. */
export function measureOf({ stopReason, usage }: AssistantMessage): Measure | null {
  if (stopReason === "error" || stopReason === "aborted") return null;
  const given = counted(usage?.input) + counted(usage?.cacheRead) + counted(usage?.cacheWrite);
  const total = calculateContextTokens(usage);
  // Some do not say what they had in their cache, but count it in the total.
  return total === 0 ? null : { prompt: Math.max(given, total - counted(usage?.output)), total };
}

/** What a reply's usage says of the context, its answer included (B9). */
export function calculateContextTokens(usage: Usage | undefined): number {
  const parts = [usage?.input, usage?.output, usage?.cacheRead, usage?.cacheWrite];
  return counted(usage?.totalTokens) || parts.reduce<number>((sum, tokens) => sum + counted(tokens), 0);
}

function counted(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}

/**
 * Where the last reply stands whose measure still holds, by a certain model or by any; -1 if there is none. Nothing from before a
 * compaction or an edit counts (TOK2), as told by places on the branch and by no clock.
 */
export function measuredAt({ entries, compactionAt }: Window, to: ModelName | undefined): number {
  for (let at = entries.length - 1; at > compactionAt; at--) {
    if (entries[at]?.type === "context_edit") return -1;
    const reply = replyIn(entries[at]);
    if (reply && isBy(reply, to) && measureOf(reply) && sendable(reply, to)) return at;
  }
  return -1;
}

export function replyIn(entry: Entry | undefined): AssistantMessage | null {
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : null;
}

function isBy({ provider, model }: AssistantMessage, to: ModelName | undefined): boolean {
  return to === undefined || (provider === to.provider && model === to.model);
}
