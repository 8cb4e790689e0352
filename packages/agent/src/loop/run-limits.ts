/** Limits the turns and the cost of one run. The cost includes replies, retries, summaries and sub-agents. */

import type { Session } from "@pith/context";
import { addUsage, usageOfEntry, zeroUsage } from "@pith/context/host";
import type { RunEnd } from "../events.ts";

/** Limits of one run. */
export interface RunLimits {
  /** The maximum number of turns of one run. */
  readonly maxTurns?: number;
  /** The maximum cost of one run in US dollars. Models without a price in the catalogue count as free. */
  readonly maxCost?: number;
}

/** Counts turns and cost from its creation until `close`. */
export class RunMeter {
  readonly #limits: RunLimits;
  readonly #unwatch: () => void;
  #turns = 0;
  #usage = zeroUsage;

  constructor(session: Session, limits: RunLimits = {}) {
    this.#limits = limits;
    this.#unwatch = session.watch((entries) => {
      for (const entry of entries) this.#usage = addUsage(this.#usage, usageOfEntry(entry)?.usage ?? zeroUsage);
    });
  }

  countTurn(): void {
    this.#turns += 1;
  }

  /** The end of the run if a limit is reached, or null. */
  checkLimits(): RunEnd | null {
    const { maxTurns = Number.POSITIVE_INFINITY, maxCost = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#turns >= maxTurns)
      return {
        type: "failed",
        code: "max-turns",
        why: `the run stopped at the limit of ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"}`,
      };
    const { total } = this.#usage.cost;
    if (total < maxCost) return null;
    const spent = `$${total.toFixed(4)}`;
    return {
      type: "failed",
      code: "max-cost",
      why: `the run stopped because it cost ${spent}; the limit is $${maxCost}`,
    };
  }

  close(): void {
    this.#unwatch();
  }
}
