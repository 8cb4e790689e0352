/** What is told of compactions: each from its start to its end, why one did not happen, and what a person should know of it. */

import type { Compaction, CompactionEntry, Finding, NothingToDo, Progress, Usage } from "@pith/context";

export type CompactionEvent =
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | ({ readonly type: "compaction_progress"; readonly reason: CompactionReason } & Progress)
  | CompactionEnd
  /** Behind the end of one that failed. */
  | {
      readonly type: "compaction_failed";
      readonly reason: CompactionReason;
      readonly code: Extract<Compaction, { type: "failed" }>["why"];
      /** For people: why, and what to do. */
      readonly errorMessage: string;
    }
  | CompactionSkipped
  | {
      readonly type: "compaction_undone" | "compaction_redone";
      readonly compactionId: string;
      readonly leafId: string | null;
    }
  | CompactionSoftThreshold
  /** What a person should know of the one that was just done. */
  | {
      readonly type: "compaction_quality";
      readonly compactionId: string;
      readonly findings: readonly QualityFinding[];
    };

export interface CompactionEnd {
  readonly type: "compaction_end";
  readonly reason: CompactionReason;
  readonly result?: CompactionResult;
  readonly aborted: boolean;
  /** Whether the request that was refused is sent again now. */
  readonly willRetry: boolean;
  readonly errorMessage?: string;
  /** Of all calls to models for it, those of which nothing came included; absent where there was none. */
  readonly usage?: Usage;
  /** How many those were. */
  readonly calls: number;
  readonly durationMs: number;
  /** All there is to know of it: the receipt, or why nothing came of it. */
  readonly compaction: Compaction;
}

/** It would have been time, but: told once for every reason, until that changes. */
export interface CompactionSkipped {
  readonly type: "compaction_skipped";
  readonly reason: CompactionReason;
  readonly why: SkipReason;
  /** For people: what it means, and what to do. */
  readonly note: string;
}

/** `undone`: somebody undid one a moment ago. `breaker`: they no longer help. `postponed`: a hook wants to wait. */
export type SkipReason = NothingToDo["why"] | "undone" | "breaker" | "postponed";

/** It will soon be too much: told once, when the context passes a share of the limit. */
export interface CompactionSoftThreshold {
  readonly type: "compaction_soft_threshold";
  readonly tokens: number;
  readonly limit: number;
  readonly contextWindow: number;
}

/** What a compaction put in place of what it covered. */
export type CompactionResult = Pick<CompactionEntry, "summary" | "firstKeptEntryId" | "tokensBefore" | "details"> & {
  /** By the one estimator. */
  readonly estimatedTokensAfter: number;
};

export interface QualityFinding {
  /** `told-by-code`: no model wrote it. `repaired`: what it made up was mended. `compacted-again`: it is not the first. */
  readonly code: "told-by-code" | "repaired" | "compacted-again" | Finding["code"];
  readonly note: string;
}

export type CompactionReason = "manual" | "threshold" | "overflow";
