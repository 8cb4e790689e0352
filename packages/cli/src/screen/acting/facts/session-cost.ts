/** What a session has cost over all its branches: counted once from the file, and kept with every entry that is written. It never falls. */

import { type Entry, paidIn, type Session } from "@pith/context";
import { sessionSums } from "../../../commands/sessions/telling/session-sums.ts";

export interface Sums {
  readonly cost: number;
  readonly compactions: number;
}

const nothing: Sums = { cost: 0, compactions: 0 };

export class SessionCost {
  #counted: Sums = nothing;
  #since: Sums = nothing;
  #writes = 0;
  #isCounted = false;

  /** Null until it was counted. */
  get cost(): number | null {
    return this.#isCounted ? this.sums.cost : null;
  }

  get sums(): Sums {
    return added(this.#counted, this.#since);
  }

  add(entries: readonly Entry[]): void {
    this.#writes += 1;
    this.#since = entries.reduce((sums, entry) => added(sums, sumsOf(entry)), this.#since);
  }

  /** False where something was written meanwhile, which may be in the count or not; then it must be counted again. */
  async count(session: Session, path: string | null): Promise<boolean> {
    const writes = this.#writes;
    const totals = await sessionSums(session, path);
    if (!totals) return true;
    // What was counted may not have been told of yet; it would be added to a count that has it already.
    await session.settle();
    if (writes !== this.#writes) return false;
    this.#counted = { cost: totals.usage.cost.total, compactions: totals.compactions };
    this.#since = nothing;
    this.#isCounted = true;
    return true;
  }
}

function sumsOf(entry: Entry): Sums {
  const cost = paidIn(entry)?.usage.cost?.total ?? 0;
  return { cost: Number.isFinite(cost) ? cost : 0, compactions: entry.type === "compaction" ? 1 : 0 };
}

function added(one: Sums, other: Sums): Sums {
  return { cost: one.cost + other.cost, compactions: one.compactions + other.compactions };
}
