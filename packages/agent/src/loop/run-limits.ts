/** Limits one run by its turns and by what it costs: replies, retries, summaries and sub-agents together. */

import type { Session } from "@pith/context";
import { addUsage, usageOfEntry, zeroUsage } from "@pith/context/host";
import type { RunEnd } from "../events.ts";

export interface RunLimits {
  /** Model turns of one run at most. */
  readonly maxTurns?: number;
  /** US dollars of one run at most; only what the catalogue has prices for counts. */
  readonly maxCost?: number;
}

/** Counts what is paid from now on, until it is closed. */
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

  /** How the run ends where it must not go on; null where it may. */
  checkLimits(): RunEnd | null {
    const { maxTurns = Number.POSITIVE_INFINITY, maxCost = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#turns >= maxTurns)
      return {
        type: "failed",
        code: "max-turns",
        why: `the run was stopped after ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"}, the limit`,
      };
    const { total } = this.#usage.cost;
    if (total < maxCost) return null;
    const spent = `$${total.toFixed(4)}`;
    return {
      type: "failed",
      code: "max-cost",
      why: `the run was stopped after it had cost ${spent}; the limit is $${maxCost}`,
    };
  }

  close(): void {
    this.#unwatch();
  }
}
