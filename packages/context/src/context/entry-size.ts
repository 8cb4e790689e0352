/** Computes what one entry adds to a request before calibration, and reads what replies report about theirs. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, AssistantMessage, Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { messageBytes, messageTokens } from "../tokens/estimate-tokens.ts";
import { entryMessage } from "./build-context.ts";
import { toLlmMessage } from "./convert-to-llm.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

export interface EntrySize {
  readonly tokens: number;
  /** How many of them say what the system is. */
  readonly system: number;
  /** On the wire. */
  readonly bytes: number;
}

export function entrySize(entry: Entry, edit: ContextEditEntry | undefined): EntrySize {
  return edit
    ? getOrComputeSize(sizeByEdit, edit, () => computeEntrySize(entry, edit))
    : getOrComputeSize(sizeByEntry, entry, () => computeEntrySize(entry));
}

type SizeCache = WeakMap<Entry, EntrySize>;

const sizeByEntry: SizeCache = new WeakMap();
const sizeByEdit: SizeCache = new WeakMap();

function getOrComputeSize(cache: SizeCache, entry: Entry, compute: () => EntrySize): EntrySize {
  const cached = cache.get(entry);
  if (cached) return cached;
  const size = compute();
  cache.set(entry, size);
  return size;
}

function computeEntrySize(entry: Entry, edit?: ContextEditEntry): EntrySize {
  const system = entry.type === "compaction" ? messageSize(entry.systemMessage) : ZERO_ENTRY_SIZE;
  return addSizes(system, messageSize(entryMessage(entry, edit)));
}

function messageSize(message: AgentMessage | null | undefined): EntrySize {
  const llmMessage = message && toLlmMessage(message);
  const sent = llmMessage && sanitizeMessage(llmMessage, undefined);
  if (!sent) return ZERO_ENTRY_SIZE;
  const tokens = messageTokens(sent);
  return { tokens, system: sent.role === "system" ? tokens : 0, bytes: messageBytes(sent) };
}

const ZERO_ENTRY_SIZE: EntrySize = { tokens: 0, system: 0, bytes: 0 };

function addSizes(one: EntrySize, other: EntrySize): EntrySize {
  return {
    tokens: one.tokens + other.tokens,
    system: one.system + other.system,
    bytes: one.bytes + other.bytes,
  };
}

/** What a reply reports about its request: the only real token counts there are. */
export interface TokenReport {
  /** All that the model was given. */
  readonly prompt: number;
  /** That, and its answer. */
  readonly total: number;
}

/** Null for a reply that failed, was broken off, or does not say. Files hold anything, so no number is trusted. */
export function readTokenReport({ stopReason, usage }: AssistantMessage): TokenReport | null {
  if (stopReason === "error" || stopReason === "aborted") return null;
  const promptTokens = toTokenCount(usage?.input) + toTokenCount(usage?.cacheRead) + toTokenCount(usage?.cacheWrite);
  const total = calculateContextTokens(usage);
  // Some do not say what they had in their cache, but count it in the total.
  return total === 0 ? null : { prompt: Math.max(promptTokens, total - toTokenCount(usage?.output)), total };
}

/** What a reply's usage says of the context, its answer included (B9). */
export function calculateContextTokens(usage: Usage | undefined): number {
  const parts = [usage?.input, usage?.output, usage?.cacheRead, usage?.cacheWrite];
  return toTokenCount(usage?.totalTokens) || parts.reduce<number>((sum, tokens) => sum + toTokenCount(tokens), 0);
}

function toTokenCount(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}

/**
 * Where the last reply stands whose measure still holds, by a certain model or by any; -1 if there is none. Nothing from before a
 * compaction or an edit counts (TOK2), as told by places on the branch and by no clock.
 */
export function lastMeasuredIndex(
  { entries, compactionIndex: compactionAt }: LoadedBranch,
  model: ModelName | undefined,
): number {
  for (let index = entries.length - 1; index > compactionAt; index--) {
    if (entries[index]?.type === "context_edit") return -1;
    const reply = assistantReply(entries[index]);
    if (reply && isReplyOfModel(reply, model) && readTokenReport(reply) && sanitizeMessage(reply, model)) return index;
  }
  return -1;
}

export function assistantReply(entry: Entry | undefined): AssistantMessage | null {
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : null;
}

function isReplyOfModel({ provider, model }: AssistantMessage, target: ModelName | undefined): boolean {
  return target === undefined || (provider === target.provider && model === target.model);
}
