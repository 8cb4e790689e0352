/** Limits the turns and the cost of one run. */

import type { RunEnd } from "../events.ts";

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
