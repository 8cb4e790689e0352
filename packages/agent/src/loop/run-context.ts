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
import type { AgentHooks, AgentParts, LimitsFor } from "../agent-options.ts";
import type {
  AgentEvent,
  CompactionReason,
  CompactionSkipped,
  CompactionSoftThreshold,
  SkipReason,
} from "../events.ts";
import type { Step } from "../ports.ts";

export interface RunParts extends Lasting {
  /** Who speaks. */
  readonly model: Model;
  readonly limits: LimitsFor;
  readonly hooks: AgentHooks;
  /** What was told already. */
  readonly notices: Notices;
  /** How often hooks have had the model go on since a person spoke. */
  readonly nudges: Nudges;
  readonly step: Step;
  /** How much of what waits is said at once. */
  readonly deliveries: Deliveries;
  readonly signal: AbortSignal;
}

/** What stays the same as long as the agent lives. */
type Lasting = Omit<AgentParts, "model" | "limits" | "hooks" | "step" | Told>;

/** What no run asks for: others see to it. */
type Told = "thinking" | "openingNote" | "rewind" | "listen";

/** How often hooks may make the model go on by themselves before the user must send a message. */
export const MOST_NUDGES = 20;

export class Nudges {
  #count = 0;

  /** A person's word begins a new count; what an extension says of its own does not. */
  heard(said: readonly Pick<AgentMessage, "role">[]): void {
    if (said.some(({ role }) => role === "user")) this.#count = 0;
  }

  /** False where it was enough. */
  take(): boolean {
    this.#count += 1;
    return this.#count <= MOST_NUDGES;
  }
}

/** Remembers what was reported about a growing context, so that each notice is sent once. */
export class Notices {
  #skip: SkipReason | null = null;
  #soft: string | null = null;
  #modelNotice: string | null = null;

  /** Empty where that was told last. */
  skipped(reason: CompactionReason, why: SkipReason): readonly CompactionSkipped[] {
    if (why === this.#skip) return [];
    this.#skip = why;
    return [skip(reason, why)];
  }

  /** Empty where the model said the same of its last request. Null: it said nothing. */
  modelNotice(notice: Extract<ModelEvent, { type: "notice" }> | null): readonly AgentEvent[] {
    const isSame = notice?.message === this.#modelNotice;
    this.#modelNotice = notice?.message ?? null;
    return notice && !isSame ? [{ type: "model_notice", code: notice.code, message: notice.message }] : [];
  }

  /** Nothing is in the way of a compaction. */
  free(): void {
    this.#skip = null;
  }

  /** From how many tokens on there is something to tell. */
  watermark(window: LoadedBranch, budget: Budget): number {
    return this.#soft === placeOf(window, budget) ? budget.limit : softLimit(budget);
  }

  /** Empty where it is less, or was told since the last compaction. */
  soft({ tokens, isEstimate }: ContextSize, window: LoadedBranch, budget: Budget): readonly CompactionSoftThreshold[] {
    const place = placeOf(window, budget);
    if (tokens <= softLimit(budget) || place === this.#soft) return [];
    this.#soft = place;
    const { limit, contextWindow } = budget;
    return [{ type: "compaction_soft_threshold", tokens, isEstimate, limit, contextWindow }];
  }
}

// Settings come from people: a share that says nothing tells nothing.
function softLimit({ limit, limits: { soft } }: Budget): number {
  return soft > 0 && soft < 1 ? limit * soft : limit;
}

function placeOf({ entries, compactionIndex: compactionAt }: LoadedBranch, { limit }: Budget): string {
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

export type Delivery = "all" | "one-at-a-time";

export type Deliveries = Readonly<Record<QueuedMessage["kind"], Delivery>>;

/** Unless somebody wants it otherwise. */
export const usualDeliveries: Deliveries = { steer: "all", followUp: "one-at-a-time" };

export interface DeliveryParts {
  readonly session: Session;
  readonly deliveries: Deliveries;
}

/** Which of those that wait are said now. */
export function saidNow(
  kind: QueuedMessage["kind"],
  { session, deliveries }: DeliveryParts,
): (queued: QueuedMessage) => boolean {
  if (deliveries[kind] === "all") return (queued) => queued.kind === kind;
  const next = session.branch.state.queue.find((queued) => queued.kind === kind)?.id;
  return ({ id }) => id === next;
}

export function budgetOf({ limits, model }: Pick<RunParts, "limits" | "model">): Budget {
  const { api, provider, model: name, contextWindow } = model;
  const to = { api, provider, model: name };
  return createBudget(limits(to), { contextWindow, model: to });
}
