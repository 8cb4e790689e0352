/** What hooks are told of a compaction, and what they may answer; names and shapes are the documents' (c1, B73–B75). */

import type { CompactionEntry, Entry } from "../../entry.ts";
import type { Hook, HookHost } from "../../hook.ts";
import type { Usage } from "../../message.ts";
import type { Reason } from "../receipt.ts";
import type { Added } from "./added-context.ts";
import type { CompactionPreparation } from "./preparation.ts";

export interface CompactionHooks extends HookHost {
  readonly session_before_compact?: readonly Hook<SessionBeforeCompactEvent, SessionBeforeCompactResult>[];
  readonly session_compact?: readonly Hook<SessionCompactEvent, AddedContext>[];
  readonly session_compact_failed?: readonly Hook<SessionCompactFailedEvent>[];
}

/** As pi calls the reasons. */
export type CompactReason = "manual" | "threshold" | "overflow";

interface Occurrence {
  readonly reason: CompactReason;
  /** Whether the request that was refused is sent again afterwards. */
  readonly willRetry: boolean;
}

/** Told before anything is written. */
export interface SessionBeforeCompactEvent extends Occurrence {
  readonly type: "session_before_compact";
  readonly preparation: CompactionPreparation;
  /** The loaded end of the branch. */
  readonly branchEntries: Entry[];
  readonly customInstructions?: string;
  readonly signal: AbortSignal;
}

export interface SessionBeforeCompactResult {
  readonly cancel?: boolean;
  /** Not yet: once, and only while the reserve has room. */
  readonly postpone?: boolean;
  /** For whoever writes the summary; joined with the user's own. */
  readonly customInstructions?: string;
  /** A summary of one's own; it is checked like any other. */
  readonly compaction?: {
    readonly summary: string;
    readonly firstKeptEntryId: string;
    readonly tokensBefore?: number;
    readonly details?: unknown;
    readonly usage?: Usage;
  };
}

export interface SessionCompactEvent extends Occurrence {
  readonly type: "session_compact";
  readonly compactionEntry: CompactionEntry;
  readonly fromExtension: boolean;
}

/** What is to stand behind it in the log: messages for the model, or state of one's own. */
export interface AddedContext {
  readonly entries?: readonly Added[];
}

export interface SessionCompactFailedEvent extends Occurrence {
  readonly type: "session_compact_failed";
  readonly errorMessage?: string;
  readonly aborted: boolean;
  readonly fromExtension: boolean;
}

export function occurrence(reason: Reason): Occurrence {
  return { reason: REASONS[reason], willRetry: reason === "overflow" };
}

const REASONS: Readonly<Record<Reason, CompactReason>> = {
  asked: "manual",
  due: "threshold",
  overflow: "overflow",
  "model-switch": "threshold",
};

/** The custom entry of a hook's wish to wait: a compaction that was due is put off once. */
export const POSTPONED = "pith.postponed";
