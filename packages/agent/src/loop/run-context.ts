/** Defines the context of one run, its counter of continuations, its queue modes and its budget. */

import { type AgentMessage, type Budget, createBudget, type Model } from "@pith/context";
import type { QueuedMessage } from "@pith/context/host";
import type { AgentHooks, AgentOptions, LimitsForModel } from "../agent-options.ts";
import type { RunStep } from "../ports.ts";
import type { NoticeHistory } from "./notices.ts";

export interface RunContext extends FixedOptions {
  readonly model: Model;
  readonly limits: LimitsForModel;
  readonly hooks: AgentHooks;
  readonly notices: NoticeHistory;
  readonly continuations: ContinuationCounter;
  readonly runStep: RunStep;
  readonly queueModes: QueueModes;
  readonly signal: AbortSignal;
}

/** Options that do not change during the life of an agent. */
type FixedOptions = Omit<AgentOptions, "model" | "limits" | "hooks" | "runStep" | HostOptionNames>;

/** Options that a run does not use. */
type HostOptionNames = "thinkingLevel" | "openingNote" | "onEvent";

/** How often hooks may continue a run without a user message. */
export const MAX_CONTINUATIONS = 20;

/** Counts how often hooks have continued the run since the last user message. */
export class ContinuationCounter {
  #count = 0;

  /** A user message resets the count; a message of an extension does not. */
  resetOnUserMessage(messages: readonly Pick<AgentMessage, "role">[]): void {
    if (messages.some(({ role }) => role === "user")) this.#count = 0;
  }

  /** False if the limit is reached. */
  tryContinue(): boolean {
    this.#count += 1;
    return this.#count <= MAX_CONTINUATIONS;
  }
}

/** How many messages of a kind are delivered at once. */
export type QueueMode = "all" | "one-at-a-time";

/** The delivery mode of each kind of queued message. */
export type QueueModes = Readonly<Record<QueuedMessage["kind"], QueueMode>>;

export const defaultQueueModes: QueueModes = { steer: "all", followUp: "one-at-a-time" };

export function createModelBudget({ limits, model }: Pick<RunContext, "limits" | "model">): Budget {
  const { api, provider, model: name, contextWindow } = model;
  const modelName = { api, provider, model: name };
  return createBudget(limits(modelName), { contextWindow, model: modelName });
}
