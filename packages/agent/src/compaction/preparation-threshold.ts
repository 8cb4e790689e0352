/** The context sizes from which a summary is prepared, and how much it keeps. */

import type { Budget } from "@pith/context";
import { softLimit } from "../notices.ts";

/**
 * PREP1: the context size from which a summary is prepared: the soft threshold, but no earlier than the tail allows. What is added until the
 * limit stays in the context, so that an earlier start would leave a longer tail.
 */
export function preparationThreshold(budget: Budget): number {
  const { limit, tail } = budget;
  const lead = Math.max(tail * (1 - MIN_PREPARED_TAIL), Math.min(limit * MIN_LEAD.share, MIN_LEAD.tokens));
  return Math.max(softLimit(budget), limit - lead);
}

/** PREP1: the tail to keep when a summary is prepared: less than usual, because it grows until the limit. */
export function preparedTail({ tail, limit }: Budget, tokens: number): number {
  return Math.max(tail * MIN_PREPARED_TAIL, tail - (limit - tokens));
}

const MIN_PREPARED_TAIL = 0.25;
/** Without a tail, there must be time to prepare a summary, too. */
const MIN_LEAD = { share: 0.05, tokens: 5_000 } as const;
