/** What a compaction would do now, with nothing done: what is covered and kept, and the front that code alone would write. */

import type { Window } from "../session/window.ts";
import { type Chosen, chosenPlan, type Need } from "./ladder.ts";
import type { Budget } from "./planning/budget.ts";

/** Planned: the plan, the receipt as it would be without a model, and what the model would see first. */
export type Preview = Chosen;

/** What `compact` would do now if code alone wrote it: nothing is done, nobody is asked. */
export function previewCompaction(window: Window, budget: Budget, need: Need = { reason: "asked" }): Preview {
  const chosen = chosenPlan(window, budget, need);
  return chosen.type === "planned" ? { ...chosen, receipt: { ...chosen.receipt, reason: need.reason } } : chosen;
}
