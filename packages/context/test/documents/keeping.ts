/** Budgets whose tail has room for exactly so much, so that a test can say where the cut falls. */

import { type Budget, createBudget } from "../../src/compaction/budget.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { Session } from "../../src/session/session.ts";
import type { CompactionLimits } from "../../src/settings.ts";
import { messageTokens } from "../../src/tokens/estimate-tokens.ts";
import { smallLimits } from "../compaction/small-session.ts";

/** The newest messages of a session, so many of them. */
export function keeping({ branch: window }: Session, messages: number, limits: Partial<CompactionLimits> = {}): Budget {
  const sent = convertToLlm(buildSessionContext(window).messages).slice(-messages);
  return tailOf(
    sent.reduce((sum, message) => sum + messageTokens(message), 0),
    limits,
  );
}

/** No threshold but the window's own, which is large. */
export function tailOf(tokens: number, limits: Partial<CompactionLimits> = {}): Budget {
  const tail = { tokens, share: 1 };
  return createBudget({ ...smallLimits, thresholds: [], ...limits, tail }, { contextWindow: 100_000 });
}
