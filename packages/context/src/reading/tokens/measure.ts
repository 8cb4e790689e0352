/** What replies themselves say their requests came to: the only real counts there are. */

import type { Entry } from "../../entry.ts";
import type { AssistantMessage, Usage } from "../../message.ts";
import type { ModelName } from "../../request.ts";
import type { Window } from "../../session/window.ts";
import { sendable } from "../sendable.ts";

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
