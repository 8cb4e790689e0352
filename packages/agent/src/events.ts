/** Defines every event an agent emits, compaction events included. The names are pi's. */

import type {
  AgentMessage,
  AssistantMessage,
  BranchSummaryEntry,
  CompactionEntry,
  CompactionOutcome,
  Entry,
  Finding,
  ModelEvent,
  NoCompaction,
  ThinkingLevel,
  ToolResultMessage,
  Usage,
} from "@pith/context";
import type { SummaryProgress } from "@pith/context/host";
import type { Damage } from "@pith/context/store";
import type { SecretFinding } from "./ports.ts";

/** An event of an agent. */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start" }
  | (ReplyFields & { readonly type: "message_start"; readonly message: AgentMessage })
  | (ReplyFields & { readonly type: "message_update"; readonly delta: MessageDelta })
  | (ReplyFields & { readonly type: "message_end"; readonly message: AgentMessage })
  /** Sent after the call is permitted. For a call that does not run, it is sent right before its end. */
  | (ToolCallFields & { readonly type: "tool_execution_start" })
  /** `partialResult` is the newest output, not all of it. */
  | (ToolCallFields & { readonly type: "tool_execution_update"; readonly partialResult: string })
  | (ToolCallFields & {
      readonly type: "tool_execution_end";
      readonly result: ToolResultMessage;
      readonly isError: boolean;
      /** The time that the tool ran, without questions to the user. */
      readonly durationMs: number;
    })
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  /** The request differs from what was configured. Sent once, until the notice changes. */
  | { readonly type: "model_notice"; readonly code: ModelNotice["code"]; readonly message: string }
  | RetryEvent
  | CompactionEvent
  | SummarizationRetryEvent
  | TreeEvent
  | UsageEvent
  /** The texts of the queued messages. */
  | { readonly type: "queue_update"; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: "entry_appended"; readonly entry: Entry }
  | SessionDamagedEvent
  /** Newly found secrets. They are replaced by placeholders. */
  | { readonly type: "secrets_redacted"; readonly secrets: readonly SecretFinding[] }
  | { readonly type: "thinking_level_changed"; readonly level: ThinkingLevel }
  /** The new name of the session; absent if it has none. */
  | { readonly type: "session_info_changed"; readonly name?: string }
  /** The new leaf is not a child of the old one: after a move, an undo or a redo. */
  | { readonly type: "leaf_moved"; readonly leafId: string | null; readonly oldLeafId: string | null }
  /** A call of an extension threw, timed out or returned an invalid value. It was ignored. */
  | {
      readonly type: "extension_error";
      readonly extensionPath: string;
      readonly event: string;
      readonly error: string;
    }
  | { readonly type: "agent_end"; readonly messages: readonly AgentMessage[]; readonly end: RunEnd }
  /** No work is in progress, and none will start by itself. */
  | { readonly type: "agent_settled"; readonly aborted: boolean };

/** The opened session is damaged. Sent once per opening. */
export interface SessionDamagedEvent {
  readonly type: "session_damaged";
  /** For the user: what is damaged, what was done about it, and what to do. */
  readonly message: string;
  /** The first 20 damaged lines; empty if the file was rewritten since. */
  readonly damage: readonly Pick<Damage, "kind" | "line" | "note">[];
  /** How many damaged places there are. */
  readonly count: number;
}

/** Called with every event. If it returns a promise, the next event waits for it. */
export type AgentEventListener = (event: AgentEvent) => void | Promise<void>;

interface ReplyFields {
  /** Of a streamed reply: the id of the entry that it becomes. After an `auto_retry_start`, the same reply begins anew. */
  readonly replyId?: string;
}

interface ToolCallFields {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type RetryEvent =
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | {
      readonly type: "auto_retry_end";
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    };

/** A request for a summary failed temporarily and is sent again. */
export type SummarizationRetryEvent = SummarySource &
  (
    | {
        readonly type: "summarization_retry_scheduled";
        readonly attempt: number;
        readonly delayMs: number;
        readonly errorMessage: string;
      }
    | { readonly type: "summarization_retry_attempt_start" }
    | { readonly type: "summarization_retry_finished" }
  );

/** What a summary is for. */
export type SummarySource =
  | { readonly source: "compaction"; readonly reason: CompactionReason }
  | { readonly source: "branchSummary" };

type TreeEvent =
  | ({ readonly type: "branch_summary_progress" } & SummaryProgress)
  /** The leaf has moved. `summaryEntry` summarizes the branch that was left. */
  | {
      readonly type: "session_tree";
      readonly newLeafId: string | null;
      readonly oldLeafId: string | null;
      readonly summaryEntry?: BranchSummaryEntry;
    };

/** The usage of a model call that is neither a reply nor part of a compaction: a branch summary, a hand-off, a failed attempt. */
export interface UsageEvent {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
}

type ModelNotice = Extract<ModelEvent, { type: "notice" }>;

/** A part of a streamed reply. */
export type MessageDelta = Extract<ModelEvent, { type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

/** How a run ended: the model was done, the run was aborted or suspended, or it failed. */
export type RunEnd =
  /** `isCut`: the last reply reached the output limit of the model. */
  | { readonly type: "done"; readonly isCut?: true }
  | { readonly type: "aborted" }
  /**
   * It ended between two requests. `resume` continues it, here or in another process. `waitsFor`: the user answered the question about a
   * tool call with `later`, and `resume` asks it again.
   */
  | { readonly type: "suspended"; readonly waitsFor?: "answer" }
  | { readonly type: "failed"; readonly why: string; readonly code?: RunFailureCode };

/**
 * `compaction-off`: the context is too long, and automatic compaction is off. `key-refused`: the provider refused the API key.
 * `unreachable`: no reply arrived after all retries. `max-turns`, `max-cost`: a limit of the run was reached after a complete turn; the
 * run can be continued.
 */
export type RunFailureCode = "compaction-off" | "key-refused" | "unreachable" | "max-turns" | "max-cost";

/** An event of a compaction. */
export type CompactionEvent =
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | ({ readonly type: "compaction_progress"; readonly reason: CompactionReason } & SummaryProgress)
  | CompactionEndEvent
  /** Follows `compaction_end` of a failed compaction. */
  | {
      readonly type: "compaction_failed";
      readonly reason: CompactionReason;
      readonly code: Extract<CompactionOutcome, { type: "failed" }>["why"];
      /** For the user: what failed, and what to do. */
      readonly errorMessage: string;
    }
  | CompactionSkippedEvent
  | {
      readonly type: "compaction_undone" | "compaction_redone";
      readonly compactionId: string;
      readonly leafId: string | null;
    }
  | OutdatedResultsEvent
  | CompactionPreparationEvent
  | CompactionSoftThresholdEvent
  /** What the user should know about the quality of the compaction. */
  | {
      readonly type: "compaction_quality";
      readonly compactionId: string;
      readonly findings: readonly QualityFinding[];
    };

/** Outdated tool results were removed from the context, or an undo brought them back. */
export interface OutdatedResultsEvent {
  readonly type: "outdated_results_removed" | "outdated_results_restored";
  /** The entry that records the removal. */
  readonly removalId: string;
  /** The number of results. */
  readonly count: number;
  /** Their estimated tokens. */
  readonly tokens: number;
}

/** A summary is prepared in the background for the next compaction. It may be sent outside of a run. */
export interface CompactionPreparationEvent {
  readonly type: "compaction_preparation";
  /** `ready`: the next automatic compaction uses it and calls no model. `failed`, `dropped`: it will not be used. */
  readonly state: "started" | "ready" | "failed" | "dropped";
  /** How long a ready summary took. */
  readonly durationMs?: number;
  /** Why it failed. */
  readonly errorMessage?: string;
  /** The usage of the model calls so far that no other event has; absent if there was none. */
  readonly usage?: Usage;
  /** The number of these calls. */
  readonly calls?: number;
}

export interface CompactionEndEvent {
  readonly type: "compaction_end";
  readonly reason: CompactionReason;
  readonly result?: CompactionResult;
  readonly aborted: boolean;
  /** Whether the refused request is sent again now. */
  readonly willRetry: boolean;
  readonly errorMessage?: string;
  /** The usage of all model calls of the compaction, unused ones included; absent if there was none. */
  readonly usage?: Usage;
  /** The number of these calls. */
  readonly calls: number;
  readonly durationMs: number;
  /** The receipt, or the reason why nothing was compacted. */
  readonly compaction: CompactionOutcome;
}

/** A compaction was due but not made. Sent once per reason, until the reason changes. */
export interface CompactionSkippedEvent {
  readonly type: "compaction_skipped";
  readonly reason: CompactionReason;
  readonly why: SkipReason;
  /** For the user: what it means, and what to do. */
  readonly note: string;
}

/** `undone`: the last compaction was undone. `breaker`: compactions no longer help. `postponed`: a hook postponed it. */
export type SkipReason = NoCompaction["why"] | "undone" | "breaker" | "postponed";

/** The context has passed the soft threshold, a share of the limit. Sent once per compaction. */
export interface CompactionSoftThresholdEvent {
  readonly type: "compaction_soft_threshold";
  readonly tokens: number;
  /** Whether the count is only an estimate: no reply since the last compaction has reported its usage. */
  readonly isEstimate: boolean;
  readonly limit: number;
  readonly contextWindow: number;
}

/** What a compaction has put in place of the entries it covers. */
export type CompactionResult = Pick<CompactionEntry, "summary" | "firstKeptEntryId" | "tokensBefore" | "details"> & {
  /** By the token estimator. */
  readonly estimatedTokensAfter: number;
};

/** Why the quality of a summary may be lower than usual. */
export interface QualityFinding {
  /** `no-model-summary`: no model wrote the summary. `repaired`: lines of the summary were marked. `compacted-again`: the branch was compacted before. */
  readonly code: "no-model-summary" | "repaired" | "compacted-again" | Finding["code"];
  readonly note: string;
}

/** Why a compaction starts: on request, at the threshold, or after the provider rejected a request as too long. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/** Another compaction is in progress. */
export interface CompactionRefusal {
  readonly type: "refused";
  readonly why: "compacting";
}

/** The outcome of a compaction. */
export type AgentCompactionOutcome =
  | Exclude<CompactionOutcome, { type: "compacted" }>
  | (Extract<CompactionOutcome, { type: "compacted" }> & CompactionResult);
