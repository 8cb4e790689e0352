/** Computes the size that one entry adds to a request, before calibration, and reads the token counts that replies report. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AgentMessage, AssistantMessage, Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { messageBytes, messageTokens } from "../tokens/estimate-tokens.ts";
import { entryMessage } from "./build-context.ts";
import { toLlmMessage } from "./convert-to-llm.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

/** Returns the size that an entry adds to a request. The result is cached per entry and edit. */
export function entrySize(entry: Entry, edit: ContextEditEntry | undefined): EntrySize {
  return edit
    ? getOrComputeSize(sizeByEdit, edit, () => computeEntrySize(entry, edit))
    : getOrComputeSize(sizeByEntry, entry, () => computeEntrySize(entry));
}

/** The size of an entry in a request. */
export interface EntrySize {
  readonly tokens: number;
  /** The tokens of system messages, included in `tokens`. */
  readonly system: number;
  /** Bytes of the request. */
  readonly bytes: number;
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
  const sendable = llmMessage && sanitizeMessage(llmMessage, undefined);
  if (!sendable) return ZERO_ENTRY_SIZE;
  const tokens = messageTokens(sendable);
  return { tokens, system: sendable.role === "system" ? tokens : 0, bytes: messageBytes(sendable) };
}

const ZERO_ENTRY_SIZE: EntrySize = { tokens: 0, system: 0, bytes: 0 };

function addSizes(one: EntrySize, other: EntrySize): EntrySize {
  return {
    tokens: one.tokens + other.tokens,
    system: one.system + other.system,
    bytes: one.bytes + other.bytes,
  };
}

/** Reads the tokens that a reply reports. Returns null if the reply failed, was aborted or reports none. */
export function readTokenReport({ stopReason, usage }: AssistantMessage): TokenReport | null {
  if (stopReason === "error" || stopReason === "aborted") return null;
  const promptTokens = toTokenCount(usage?.input) + toTokenCount(usage?.cacheRead) + toTokenCount(usage?.cacheWrite);
  const total = calculateContextTokens(usage);
  // Some providers do not report cached tokens, but count them in the total.
  return total === 0 ? null : { prompt: Math.max(promptTokens, total - toTokenCount(usage?.output)), total };
}

/** The tokens that a reply reports. These are the only measured counts. */
export interface TokenReport {
  /** Tokens of the request. */
  readonly prompt: number;
  /** Tokens of the request and the reply. */
  readonly total: number;
}

/** Returns the context size that a usage reports, the reply included (B9). */
export function calculateContextTokens(usage: Usage | undefined): number {
  const parts = [usage?.input, usage?.output, usage?.cacheRead, usage?.cacheWrite];
  return toTokenCount(usage?.totalTokens) || parts.reduce<number>((sum, tokens) => sum + toTokenCount(tokens), 0);
}

// The usage comes from a file, so a count may be any value.
function toTokenCount(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}

/**
 * Finds the index of the last reply whose reported size is still valid, for one model or for any; -1 if there is none. Replies before a
 * compaction or an edit are not valid (TOK2). The order on the branch decides, not timestamps.
 */
export function lastMeasuredIndex({ entries, compactionIndex }: LoadedBranch, model: ModelName | undefined): number {
  for (let index = entries.length - 1; index > compactionIndex; index--) {
    if (entries[index]?.type === "context_edit") return -1;
    const reply = assistantReply(entries[index]);
    if (reply && isReplyOfModel(reply, model) && readTokenReport(reply) && sanitizeMessage(reply, model)) return index;
  }
  return -1;
}

/** Returns the assistant message of an entry, or null. */
export function assistantReply(entry: Entry | undefined): AssistantMessage | null {
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : null;
}

function isReplyOfModel({ provider, model }: AssistantMessage, target: ModelName | undefined): boolean {
  return target === undefined || (provider === target.provider && model === target.model);
}
