/** How much hooks may add to the context. Asked in every run, hence apart from all that compacts. */

import { contextSize } from "../../reading/tokens/context-size.ts";
import type { Session } from "../../session/session.ts";
import type { Budget } from "../planning/budget.ts";

/** Tokens that hooks may add: they leave room to work in, so that what they add is no reason for the next compaction (GUARD1). */
export function roomForHooks({ window }: Session, budget: Budget): number {
  const free = budget.limit - contextSize(window, budget).tokens;
  return Math.floor(Math.max(0, Math.min(budget.checkpoint, free / 4)));
}
