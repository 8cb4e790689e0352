/** Creates notices about the context and the model, and sends each of them once. */

import type { Budget, ContextSize, LoadedBranch, ModelEvent } from "@pith/context";
import type {
  AgentEvent,
  CompactionReason,
  CompactionSkippedEvent,
  CompactionSoftThresholdEvent,
  SkipReason,
} from "./events.ts";

/** Remembers which notices were sent. Each method returns the events to emit. */
export class NoticeHistory {
  #lastSkip: SkipReason | null = null;
  #lastSoftKey: string | null = null;
  #lastModelNotice: string | null = null;

  /** Empty if the last skip had the same reason. */
  reportSkip(reason: CompactionReason, why: SkipReason): readonly CompactionSkippedEvent[] {
    if (why === this.#lastSkip) return [];
    this.#lastSkip = why;
    return [compactionSkippedEvent(reason, why)];
  }

  /** Empty if the last request had the same notice. Null: the request has no notice. */
  reportModelNotice(notice: Extract<ModelEvent, { type: "notice" }> | null): readonly AgentEvent[] {
    const isSame = notice?.message === this.#lastModelNotice;
    this.#lastModelNotice = notice?.message ?? null;
    return notice && !isSame ? [{ type: "model_notice", code: notice.code, message: notice.message }] : [];
  }

  /** Call it when nothing prevents a compaction any more. */
  clearSkip(): void {
    this.#lastSkip = null;
  }

  /** The number of tokens above which there is something to report. */
  noticeThreshold(branch: LoadedBranch, budget: Budget): number {
    return this.#lastSoftKey === softThresholdKey(branch, budget) ? budget.limit : softLimit(budget);
  }

  /** Empty below the soft limit, and if it was reported since the last compaction. */
  reportSoftThreshold(
    { tokens, isEstimate }: ContextSize,
    branch: LoadedBranch,
    budget: Budget,
  ): readonly CompactionSoftThresholdEvent[] {
    const key = softThresholdKey(branch, budget);
    if (tokens <= softLimit(budget) || key === this.#lastSoftKey) return [];
    this.#lastSoftKey = key;
    const { limit, contextWindow } = budget;
    return [{ type: "compaction_soft_threshold", tokens, isEstimate, limit, contextWindow }];
  }
}

/** The size at which listeners get a warning. A share outside of 0 to 1 in the settings switches it off. */
export function softLimit({ limit, limits: { soft } }: Budget): number {
  return soft > 0 && soft < 1 ? limit * soft : limit;
}

function softThresholdKey({ entries, compactionIndex }: LoadedBranch, { limit }: Budget): string {
  return `${entries[compactionIndex]?.id ?? ""} ${limit}`;
}

export function compactionSkippedEvent(reason: CompactionReason, why: SkipReason): CompactionSkippedEvent {
  return { type: "compaction_skipped", reason, why, note: skipNotes[why] };
}

/** For users: why no compaction was made, and what to do. */
export const skipNotes: Readonly<Record<SkipReason, string>> = {
  off: "automatic compaction is off; run /compact, or call agent.compact()",
  undone: "the last compaction was undone; automatic compaction resumes after new messages, or run /compact now",
  breaker: "automatic compaction is paused because it no longer frees enough; reduce what fills the context window",
  postponed: "a hook postponed the compaction once",
  empty: "the session has no messages yet",
  "already-compacted": "there are no new messages since the last compaction",
  "too-short": "the session is too short to compact",
  "too-little": "a compaction would free very little space",
};
