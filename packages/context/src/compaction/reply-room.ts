/** Computes how many tokens of the window a reply may use. Below the compaction threshold it is never less than the reserve. */

import { collectCalibration, contextSize, findCalibration } from "../context/context-size.ts";
import type { ReplyBudget, Request } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { requestTokens } from "../tokens/estimate-tokens.ts";
import type { Budget } from "./budget.ts";
import { fitsWithoutCounting } from "./should-compact.ts";

export interface ReplyBudgetOptions {
  readonly budget: Budget;
  /** The longest reply the model can give. */
  readonly maxTokens: number;
  /** What is sent, where hooks have made it differ from the session: nothing was measured of that. */
  readonly request?: Request | undefined;
}

/** Undefined where the window is not known. The size is the one that decides whether a compaction is due. */
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
  // An estimate takes time, and a program that has just started does not have the estimator loaded.
  if (fitsWithoutCounting(branch, { ...budget, limit: contextWindow - maxTokens })) return maxTokens;
  const { tokens, measured } = contextSize(branch, budget);
  const free = contextWindow - measured - Math.ceil((tokens - measured) * ESTIMATE_MARGIN);
  return Math.max(free, Math.min(contextWindow - limit, contextWindow - tokens));
}

// Several providers refuse a request whose input and `max_tokens` together exceed the window. What was measured is exact; only
// the rest needs a margin. Up to the reserve there is none: who exceeds it is above the threshold, and is asked again with less.
const ESTIMATE_MARGIN = 1.25;

function estimateHookedRequest(request: Request, branch: LoadedBranch, { model }: Budget): number {
  return Math.ceil(
    requestTokens(request) * findCalibration(collectCalibration(branch), model).factor * HOOK_REQUEST_MARGIN,
  );
}

const HOOK_REQUEST_MARGIN = 1.1;
