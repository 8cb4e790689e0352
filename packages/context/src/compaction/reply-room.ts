/** Computes how many tokens of the window a reply may use. Below the compaction threshold it is never less than the reserve. */

import { calibrationAt, contextSize, fitOf } from "../context/context-size.ts";
import type { ReplyRoom, Request } from "../model.ts";
import type { Window } from "../session/loaded-branch.ts";
import { requestTokens } from "../tokens/estimate-tokens.ts";
import type { Budget } from "./budget.ts";
import { surelyFits } from "./should-compact.ts";

export interface ReplyRoomParts {
  readonly budget: Budget;
  /** The longest reply the model can give. */
  readonly maxTokens: number;
  /** What is sent, where hooks have made it differ from the session: nothing was measured of that. */
  readonly request?: Request | undefined;
}

/** Undefined where the window is not known. The size is the one that decides whether a compaction is due. */
export function replyRoom(window: Window, { budget, maxTokens, request }: ReplyRoomParts): ReplyRoom | undefined {
  const { contextWindow, limit } = budget;
  if (!Number.isFinite(limit)) return undefined;
  const reserve = contextWindow - limit;
  const free = request ? contextWindow - hookedTokens(request, window, budget) : freeTokens(window, budget, maxTokens);
  return { tokens: Math.min(maxTokens, Math.max(0, free)), reserve };
}

function freeTokens(window: Window, budget: Budget, maxTokens: number): number {
  const { contextWindow, limit } = budget;
  // An estimate takes time, and a program that has just started does not have the estimator loaded.
  if (surelyFits(window, { ...budget, limit: contextWindow - maxTokens })) return maxTokens;
  const { tokens, measured } = contextSize(window, budget);
  const free = contextWindow - measured - Math.ceil((tokens - measured) * ESTIMATE_MARGIN);
  return Math.max(free, Math.min(contextWindow - limit, contextWindow - tokens));
}

// Several providers refuse a request whose input and `max_tokens` together exceed the window. What was measured is exact; only
// the rest needs a margin. Up to the reserve there is none: who exceeds it is above the threshold, and is asked again with less.
const ESTIMATE_MARGIN = 1.25;

function hookedTokens(request: Request, window: Window, { to }: Budget): number {
  return Math.ceil(requestTokens(request) * fitOf(calibrationAt(window), to).factor * HOOKED_MARGIN);
}

const HOOKED_MARGIN = 1.1;
