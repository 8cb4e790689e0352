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

export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start" }
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | { readonly type: "message_update"; readonly delta: MessageDelta }
  | { readonly type: "message_end"; readonly message: AgentMessage }
  | (ToolCallFields & { readonly type: "tool_execution_start" })
  /** `partialResult` is the newest of what it says, not all of it. */
  | (ToolCallFields & { readonly type: "tool_execution_update"; readonly partialResult: string })
  | (ToolCallFields & {
      readonly type: "tool_execution_end";
      readonly result: ToolResultMessage;
      readonly isError: boolean;
    })
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  /** The request differs from what was asked for: once, until that changes. */
  | { readonly type: "model_notice"; readonly code: ModelNotice["code"]; readonly message: string }
  | RetryEvent
  | CompactionEvent
  | SummarizationRetryEvent
  | TreeEvent
  | UsageEvent
  /** What waits, as it was said. */
  | { readonly type: "queue_update"; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: "entry_appended"; readonly entry: Entry }
  | SessionDamagedEvent
  /** Secrets that were found, each once; placeholders stand for them from now on. */
  | { readonly type: "secrets_redacted"; readonly secrets: readonly SecretFinding[] }
  | { readonly type: "thinking_level_changed"; readonly level: ThinkingLevel }
  /** Its name now; undefined where it has none any more. */
  | { readonly type: "session_info_changed"; readonly name?: string }
  /** One stands elsewhere in the tree, not behind what was written last: after a move, an undo or a redo. */
  | { readonly type: "leaf_moved"; readonly leafId: string | null; readonly oldLeafId: string | null }
  /** Something of an extension threw, hung or answered nonsense, and all went on without it. */
  | {
      readonly type: "extension_error";
      readonly extensionPath: string;
      readonly event: string;
      readonly error: string;
    }
  | { readonly type: "agent_end"; readonly messages: readonly AgentMessage[]; readonly end: RunEnd }
  /** Nothing is under way any more, and nothing will begin by itself. */
  | { readonly type: "agent_settled"; readonly aborted: boolean };

/** The session that was opened is damaged: once per opening. */
export interface SessionDamagedEvent {
  readonly type: "session_damaged";
  /** For people: what is damaged, what became of it, and what to do. */
  readonly message: string;
  /** The damaged lines, the first 20 of them; empty where the file was written anew since. */
  readonly damage: readonly Pick<Damage, "kind" | "line" | "note">[];
  /** How many damaged places there are. */
  readonly count: number;
}

/** Told everything that happens. Who answers with a promise is waited for before the next thing is told. */
export type AgentEventListener = (event: AgentEvent) => void | Promise<void>;

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

/** A model that writes a summary was busy or broke off, and is asked again. */
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
  /** One stands elsewhere now; with the summary of what was left, where one was written. */
  | {
      readonly type: "session_tree";
      readonly newLeafId: string | null;
      readonly oldLeafId: string | null;
      readonly summaryEntry?: BranchSummaryEntry;
    };

/** What was paid to a model besides replies and compactions: a branch summary, a hand-over, a try that was made again. */
export interface UsageEvent {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
}

type ModelNotice = Extract<ModelEvent, { type: "notice" }>;

/** A piece of a reply, as it comes. */
export type MessageDelta = Extract<ModelEvent, { type: "text-delta" | "thinking-delta" | "tool-call-delta" }>;

/** How a run ended: the model had no more to say, somebody stopped it, or why it could not go on. */
export type RunEnd =
  /** `isCut`: the last answer was longer than the model may answer, and broke off there. */
  | { readonly type: "done"; readonly isCut?: true }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly why: string; readonly code?: RunFailureCode };

/**
 * `compaction-off`: it is too long, and nothing is made smaller by itself; whoever asks for it can have it. `key-refused`: the
 * provider does not take the key. `unreachable`: no answer came, however often it was tried. `max-turns`, `max-cost`: a limit of
 * the run was reached after a whole turn, and the run can be continued.
 */
export type RunFailureCode = "compaction-off" | "key-refused" | "unreachable" | "max-turns" | "max-cost";

export type CompactionEvent =
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | ({ readonly type: "compaction_progress"; readonly reason: CompactionReason } & SummaryProgress)
  | CompactionEndEvent
  /** Behind the end of one that failed. */
  | {
      readonly type: "compaction_failed";
      readonly reason: CompactionReason;
      readonly code: Extract<CompactionOutcome, { type: "failed" }>["why"];
      /** For people: why, and what to do. */
      readonly errorMessage: string;
    }
  | CompactionSkippedEvent
  | {
      readonly type: "compaction_undone" | "compaction_redone";
      readonly compactionId: string;
      readonly leafId: string | null;
    }
  | CompactionSoftThresholdEvent
  /** What a person should know of the one that was just done. */
  | {
      readonly type: "compaction_quality";
      readonly compactionId: string;
      readonly findings: readonly QualityFinding[];
    };

export interface CompactionEndEvent {
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
  readonly compaction: CompactionOutcome;
}

/** It would have been time, but: told once for every reason, until that changes. */
export interface CompactionSkippedEvent {
  readonly type: "compaction_skipped";
  readonly reason: CompactionReason;
  readonly why: SkipReason;
  /** For people: what it means, and what to do. */
  readonly note: string;
}

/** `undone`: somebody undid one a moment ago. `breaker`: they no longer help. `postponed`: a hook wants to wait. */
export type SkipReason = NoCompaction["why"] | "undone" | "breaker" | "postponed";

/** It will soon be too much: told once, when the context passes a share of the limit. */
export interface CompactionSoftThresholdEvent {
  readonly type: "compaction_soft_threshold";
  readonly tokens: number;
  /** Whether no reply has measured any of them since the last compaction. */
  readonly isEstimate: boolean;
  readonly limit: number;
  readonly contextWindow: number;
}

/** What a compaction put in place of what it covered. */
export type CompactionResult = Pick<CompactionEntry, "summary" | "firstKeptEntryId" | "tokensBefore" | "details"> & {
  /** By the one estimator. */
  readonly estimatedTokensAfter: number;
};

export interface QualityFinding {
  /** `no-model-summary`: no model wrote it. `repairedNote`: what it made up was mended. `compacted-again`: it is not the first. */
  readonly code: "no-model-summary" | "repaired" | "compacted-again" | Finding["code"];
  readonly note: string;
}

export type CompactionReason = "manual" | "threshold" | "overflow";

/** Another compaction is under way. */
export interface CompactionRefusal {
  readonly type: "refused";
  readonly why: "compacting";
}

export type AgentCompactionOutcome =
  | Exclude<CompactionOutcome, { type: "compacted" }>
  | (Extract<CompactionOutcome, { type: "compacted" }> & CompactionResult);
