/** What summaries have cost lately, so that a limit by the hour holds across compactions and restarts. */

import type { Entry } from "../entry.ts";
import type { Window } from "../session/window.ts";

export interface Spent {
  readonly at: string;
  readonly cost: number;
}

/** The kind of a usage entry for a summary that was paid for and not used. */
export const COMPACTION_USAGE = "compaction";

/** What was spent within an hour of this moment, whichever way the clock was turned: one item for each call. */
export function spentLately({ entries, compactionAt }: Window, now: string): readonly Spent[] {
  const since = entries.slice(Math.max(0, compactionAt)).flatMap(spentBy);
  return [...carriedSpending(entries[compactionAt]), ...since]
    .filter(({ at }) => Math.abs(Date.parse(at) - Date.parse(now)) < HOUR)
    .slice(-MOST);
}

function spentBy(entry: Entry): readonly Spent[] {
  const isPaid = entry.type === "compaction" || (entry.type === "usage" && entry.kind === COMPACTION_USAGE);
  if (!isPaid || !entry.usage) return [];
  const cost = entry.usage.cost?.total;
  return [{ at: entry.timestamp, cost: Number.isFinite(cost) ? cost : 0 }];
}

// A compaction carries what was spent before it. It comes from a file; what does not say what it cost cost nothing.
function carriedSpending(entry: Entry | undefined): readonly Spent[] {
  const details = entry?.type === "compaction" ? (entry.details as { pith?: { spending?: unknown } } | null) : null;
  const spending = details?.pith?.spending;
  return Array.isArray(spending) ? spending.filter(isSpent) : [];
}

function isSpent(value: unknown): value is Spent {
  const { at, cost } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof at === "string" && typeof cost === "number";
}

const HOUR = 3_600_000;
/** Items that a compaction carries at most. */
const MOST = 200;
