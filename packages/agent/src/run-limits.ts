/** Limits the turns and the cost of one run, and how often hooks continue it. */

import type { AgentMessage } from "@pith/context";
import type { RunEnd } from "./events.ts";

/** Limits of one run. */
export interface RunLimits {
  /** The maximum number of turns of one run. */
  readonly maxTurns?: number;
  /** Checked before every turn. For a limit that also holds for retries and summaries, give the same object to `openModel`. */
  readonly costLimit?: RunCostLimit;
}

/** The cost limit of runs. `CostLimit` of `@pith/models` is one. */
export interface RunCostLimit {
  /** Called when the user sends a prompt, and when the user requests something else while no run is in progress. */
  reset(): void;
  /** Returns null if the run may go on, otherwise the reason why not. */
  check(): Promise<string | null>;
}

/** Returns the end of the run if a limit is reached, or null. */
export async function checkRunLimits(turns: number, { maxTurns, costLimit }: RunLimits = {}): Promise<RunEnd | null> {
  if (maxTurns !== undefined && turns >= maxTurns)
    return {
      type: "failed",
      code: "max-turns",
      why: `the run stopped at the limit of ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"}`,
    };
  const why = await costLimit?.check();
  return why ? { type: "failed", code: "max-cost", why } : null;
}

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
