/** Computes how many tokens of the window a reply may use. Below the compaction threshold it is never less than the reserve. */

import { contextSize } from "../context/context-size.ts";
import type { ReplyRoom } from "../model.ts";
import type { Window } from "../session/loaded-branch.ts";
import type { Budget } from "./budget.ts";
import { surelyFits } from "./should-compact.ts";

export interface ReplyRoomParts {
  readonly budget: Budget;
  /** The longest reply the model can give. */
  readonly maxTokens: number;
}

/** Undefined where the window is not known. The size is the one that decides whether a compaction is due. */
export function replyRoom(window: Window, { budget, maxTokens }: ReplyRoomParts): ReplyRoom | undefined {
  const { contextWindow, limit } = budget;
  if (!Number.isFinite(limit)) return undefined;
  const reserve = contextWindow - limit;
  // An estimate takes time, and a program that has just started does not have the estimator loaded.
  if (surelyFits(window, { ...budget, limit: contextWindow - maxTokens })) return { tokens: maxTokens, reserve };
  const { tokens, measured } = contextSize(window, budget);
  const free = contextWindow - measured - Math.ceil((tokens - measured) * ESTIMATE_MARGIN);
  const least = Math.min(reserve, contextWindow - tokens);
  return { tokens: Math.min(maxTokens, Math.max(0, free, least)), reserve };
}

// Several providers refuse a request whose input and `max_tokens` together exceed the window. What was measured is exact;
// an estimate that is too low must not turn a context that fits into such a refusal.
const ESTIMATE_MARGIN = 1.25;
