/** How full a context is, by the one estimator: the same figures as `/context` and the trigger have. Pure. */

import { type Budget, due, type Window } from "@pith/context";
import { meterParts } from "../../commands/fitting/weighing/meter-parts.ts";
import type { Meter } from "./facts.ts";

export function meterOf(window: Window, budget: Budget): Meter {
  const state = due(window, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  return {
    tokens: state.size.tokens,
    contextWindow: budget.contextWindow,
    limit,
    soft: limit === null ? null : Math.floor(limit * soft),
    isAutomatic: enabled,
    held: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    parts: meterParts(window, budget),
  };
}
