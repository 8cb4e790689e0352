/** Creates budgets whose kept part has room for an exact size, so that a test decides where the cut is. */

import { type Budget, createBudget } from "../../src/compaction/budget.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { Session } from "../../src/session/session.ts";
import type { CompactionLimits } from "../../src/settings.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";
import { smallLimits } from "../compaction/small-session.ts";

/** A budget that keeps this number of the newest messages. */
export function budgetKeeping({ branch }: Session, count: number, limits: Partial<CompactionLimits> = {}): Budget {
  const keptMessages = convertToLlm(buildSessionContext(branch).messages).slice(-count);
  return tailBudget(
    keptMessages.reduce((sum, message) => sum + messageTokens(message), 0),
    limits,
  );
}

/** A budget with a kept part of this many tokens, and no threshold except a large window. */
export function tailBudget(tokens: number, limits: Partial<CompactionLimits> = {}): Budget {
  const tail = { tokens, share: 1 };
  return createBudget({ ...smallLimits, thresholds: [], ...limits, tail }, { contextWindow: 100_000 });
}
