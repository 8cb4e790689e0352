/** Defines what a run works with. Each step declares the part of it that it needs. */

import type { QueuedMessage } from "@pith/context/host";
import type { AgentOptions } from "./agent-options.ts";
import type { CompactionContext } from "./compaction/compact.ts";
import type { RunStep } from "./ports.ts";
import type { ContinuationCounter } from "./run-limits.ts";

export interface RunContext extends FixedOptions, CompactionContext {
  readonly continuations: ContinuationCounter;
  readonly runStep: RunStep;
  readonly queueModes: QueueModes;
}

/** Options that do not change during the life of an agent. */
type FixedOptions = Omit<AgentOptions, "model" | "limits" | "hooks" | "runStep" | HostOptionNames>;

/** Options that a run does not use. */
type HostOptionNames = "thinkingLevel" | "openingNote" | "onEvent";

/** How many messages of a kind are delivered at once. */
export type QueueMode = "all" | "one-at-a-time";

/** The delivery mode of each kind of queued message. */
export type QueueModes = Readonly<Record<QueuedMessage["kind"], QueueMode>>;

export const defaultQueueModes: QueueModes = { steer: "all", followUp: "one-at-a-time" };
