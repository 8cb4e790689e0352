/** Defines what a run works with. Each step declares the part of it that it needs. */

import type { QueuedMessage } from "@pith/context/host";
import type { AgentOptions } from "./agent-options.ts";
import type { CompactionContext } from "./compaction/compact.ts";
import type { ContinuationCounter } from "./run-limits.ts";

export interface RunContext extends CompactionContext, FixedOptions {
  readonly continuations: ContinuationCounter;
  readonly queueModes: QueueModes;
}

/** Without those that can change, and those that a run does not use. */
type FixedOptions = Omit<AgentOptions, "limits" | "hooks" | "thinkingLevel" | "openingNote" | "onEvent">;

/** How many messages of a kind are delivered at once. */
export type QueueMode = "all" | "one-at-a-time";

/** The delivery mode of each kind of queued message. */
export type QueueModes = Readonly<Record<QueuedMessage["kind"], QueueMode>>;

export const defaultQueueModes: QueueModes = { steer: "all", followUp: "one-at-a-time" };
