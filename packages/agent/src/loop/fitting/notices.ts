/** What has been told of a context that grows, so that each thing is told once. */

import type { Budget, ContextSize, Window } from "@pith/context";
import type { CompactionReason, CompactionSkipped, CompactionSoftThreshold, SkipReason } from "./compaction-events.ts";

export class Notices {
  #skip: SkipReason | null = null;
  #soft: string | null = null;

  /** Empty where that was told last. */
  skipped(reason: CompactionReason, why: SkipReason): readonly CompactionSkipped[] {
    if (why === this.#skip) return [];
    this.#skip = why;
    return [skip(reason, why)];
  }

  /** Nothing is in the way of a compaction. */
  free(): void {
    this.#skip = null;
  }

  /** From how many tokens on there is something to tell. */
  watermark(window: Window, budget: Budget): number {
    return this.#soft === placeOf(window, budget) ? budget.limit : softLimit(budget);
  }

  /** Empty where it is less, or was told since the last compaction. */
  soft({ tokens }: ContextSize, window: Window, budget: Budget): readonly CompactionSoftThreshold[] {
    const place = placeOf(window, budget);
    if (tokens <= softLimit(budget) || place === this.#soft) return [];
    this.#soft = place;
    const { limit, contextWindow } = budget;
    return [{ type: "compaction_soft_threshold", tokens, limit, contextWindow }];
  }
}

// Settings come from people: a share that says nothing tells nothing.
function softLimit({ limit, limits: { soft } }: Budget): number {
  return soft > 0 && soft < 1 ? limit * soft : limit;
}

function placeOf({ entries, compactionAt }: Window, { limit }: Budget): string {
  return `${entries[compactionAt]?.id ?? ""} ${limit}`;
}

export function skip(reason: CompactionReason, why: SkipReason): CompactionSkipped {
  return { type: "compaction_skipped", reason, why, note: skipNotes[why] };
}

/** What each means, and what to do. */
export const skipNotes: Readonly<Record<SkipReason, string>> = {
  off: "automatic compaction is off; ask for one with /compact, or agent.compact()",
  undone: "one was undone a moment ago, so nothing happens by itself until more was said; /compact does it now",
  breaker: "compactions no longer help, so they have stopped; what fills the window must become less",
  postponed: "it was put off, once",
  empty: "nothing was said yet",
  "already-compacted": "nothing was said since the last one",
  "too-short": "it is too short for that",
  "too-little": "hardly anything would be freed",
};
