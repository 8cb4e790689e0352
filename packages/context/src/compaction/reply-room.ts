/** Computes how many tokens a reply may use. Below the compaction threshold, it is never less than the reserve. */

import { collectCalibration, contextSize, findCalibration } from "../context/context-size.ts";
import type { ReplyBudget, Request } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { requestTokens } from "../tokens/estimate-tokens.ts";
import type { Budget } from "./budget.ts";
import { fitsWithoutCounting } from "./should-compact.ts";

export interface ReplyBudgetOptions {
  readonly budget: Budget;
  /** The model's maximum number of output tokens. */
  readonly maxTokens: number;
  /** The request, if hooks have changed it. Its size is estimated, because measured sizes apply only to the session's own context. */
  readonly request?: Request | undefined;
}

/** Computes the tokens left for a reply, or undefined if the window is unknown, from the same size that decides whether a compaction is due. */
export function computeReplyBudget(
  branch: LoadedBranch,
  { budget, maxTokens, request }: ReplyBudgetOptions,
): ReplyBudget | undefined {
  const { contextWindow, limit } = budget;
  if (!Number.isFinite(limit)) return undefined;
  const reserve = contextWindow - limit;
  const freeTokenCount = request
    ? contextWindow - estimateHookedRequest(request, branch, budget)
    : freeTokens(branch, budget, maxTokens);
  return { tokens: Math.min(maxTokens, Math.max(0, freeTokenCount)), reserve };
}

function freeTokens(branch: LoadedBranch, budget: Budget, maxTokens: number): number {
  const { contextWindow, limit } = budget;
  // Avoids an estimate: it takes time, and the estimator is not loaded right after the start of a program.
  if (fitsWithoutCounting(branch, { ...budget, limit: contextWindow - maxTokens })) return maxTokens;
  const { tokens, measured } = contextSize(branch, budget);
  const free = contextWindow - measured - Math.ceil((tokens - measured) * ESTIMATE_MARGIN);
  return Math.max(free, Math.min(contextWindow - limit, contextWindow - tokens));
}

// Several providers refuse a request if its input and `max_tokens` together exceed the window. Measured tokens are exact, so only
// estimated tokens need a margin. The margin never reduces the reply below the reserve: if such a request exceeds the window, the
// context is above the threshold, and a smaller request follows.
const ESTIMATE_MARGIN = 1.25;

function estimateHookedRequest(request: Request, branch: LoadedBranch, { model }: Budget): number {
  return Math.ceil(
    requestTokens(request) * findCalibration(collectCalibration(branch), model).factor * HOOK_REQUEST_MARGIN,
  );
}

const HOOK_REQUEST_MARGIN = 1.1;
