/** Defines what one run needs: its parts, its limit on nudges, its notices, its delivery modes and its budget. */

import {
  type AgentMessage,
  type Budget,
  type ContextSize,
  createBudget,
  type LoadedBranch,
  type Model,
  type ModelEvent,
  type Session,
} from "@pith/context";
import type { QueuedMessage } from "@pith/context/host";
import type { AgentHooks, AgentOptions, LimitsForModel } from "../agent-options.ts";
import type {
  AgentEvent,
  CompactionReason,
  CompactionSkippedEvent,
  CompactionSoftThresholdEvent,
  SkipReason,
} from "../events.ts";
import type { RunStep } from "../ports.ts";

export interface RunContext extends FixedOptions {
  /** Who speaks. */
  readonly model: Model;
  readonly limits: LimitsForModel;
  readonly hooks: AgentHooks;
  /** What was told already. */
  readonly notices: NoticeHistory;
  /** How often hooks have had the model go on since a person spoke. */
  readonly continuations: ContinuationCounter;
  readonly runStep: RunStep;
  /** How much of what waits is said at once. */
  readonly queueModes: QueueModes;
  readonly signal: AbortSignal;
}

/** What stays the same as long as the agent lives. */
type FixedOptions = Omit<AgentOptions, "model" | "limits" | "hooks" | "runStep" | HostOptionNames>;

/** What no run asks for: others see to it. */
type HostOptionNames = "thinkingLevel" | "openingNote" | "rewind" | "onEvent";

/** How often hooks may make the model go on by themselves before the user must send a message. */
export const MAX_CONTINUATIONS = 20;

export class ContinuationCounter {
  #count = 0;

  /** A person's word begins a new count; what an extension says of its own does not. */
  resetOnUserMessage(messages: readonly Pick<AgentMessage, "role">[]): void {
    if (messages.some(({ role }) => role === "user")) this.#count = 0;
  }

  /** False where it was enough. */
  tryContinue(): boolean {
    this.#count += 1;
    return this.#count <= MAX_CONTINUATIONS;
  }
}

/** Remembers what was reported about a growing context, so that each notice is sent once. */
export class NoticeHistory {
  #lastSkip: SkipReason | null = null;
  #lastSoftKey: string | null = null;
  #lastModelNotice: string | null = null;

  /** Empty where that was told last. */
  reportSkip(reason: CompactionReason, why: SkipReason): readonly CompactionSkippedEvent[] {
    if (why === this.#lastSkip) return [];
    this.#lastSkip = why;
    return [compactionSkippedEvent(reason, why)];
  }

  /** Empty where the model said the same of its last request. Null: it said nothing. */
  reportModelNotice(notice: Extract<ModelEvent, { type: "notice" }> | null): readonly AgentEvent[] {
    const isSame = notice?.message === this.#lastModelNotice;
    this.#lastModelNotice = notice?.message ?? null;
    return notice && !isSame ? [{ type: "model_notice", code: notice.code, message: notice.message }] : [];
  }

  /** Nothing is in the way of a compaction. */
  clearSkip(): void {
    this.#lastSkip = null;
  }

  /** From how many tokens on there is something to tell. */
  noticeThreshold(branch: LoadedBranch, budget: Budget): number {
    return this.#lastSoftKey === softThresholdKey(branch, budget) ? budget.limit : softLimit(budget);
  }

  /** Empty where it is less, or was told since the last compaction. */
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

// Settings come from people: a share that says nothing tells nothing.
function softLimit({ limit, limits: { soft } }: Budget): number {
  return soft > 0 && soft < 1 ? limit * soft : limit;
}

function softThresholdKey({ entries, compactionIndex }: LoadedBranch, { limit }: Budget): string {
  return `${entries[compactionIndex]?.id ?? ""} ${limit}`;
}

export function compactionSkippedEvent(reason: CompactionReason, why: SkipReason): CompactionSkippedEvent {
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

export type QueueMode = "all" | "one-at-a-time";

export type QueueModes = Readonly<Record<QueuedMessage["kind"], QueueMode>>;

/** Unless somebody wants it otherwise. */
export const defaultQueueModes: QueueModes = { steer: "all", followUp: "one-at-a-time" };

export interface DeliveryFilterOptions {
  readonly session: Session;
  readonly queueModes: QueueModes;
}

/** Which of those that wait are said now. */
export function createDeliveryFilter(
  kind: QueuedMessage["kind"],
  { session, queueModes }: DeliveryFilterOptions,
): (queued: QueuedMessage) => boolean {
  if (queueModes[kind] === "all") return (queued) => queued.kind === kind;
  const nextId = session.branch.state.queue.find((queued) => queued.kind === kind)?.id;
  return ({ id }) => id === nextId;
}

export function createModelBudget({ limits, model }: Pick<RunContext, "limits" | "model">): Budget {
  const { api, provider, model: name, contextWindow } = model;
  const modelName = { api, provider, model: name };
  return createBudget(limits(modelName), { contextWindow, model: modelName });
}
