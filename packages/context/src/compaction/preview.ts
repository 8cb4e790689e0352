/** What a compaction would do now, with nothing done: what is covered and kept, and the front that code alone would write. */

import type { Window } from "../session/window.ts";
import { commit } from "./commit.ts";
import type { Budget } from "./planning/budget.ts";
import { type Chosen, chosenPlan, type Need } from "./planning/ladder.ts";
import type { Plan } from "./planning/plan.ts";
import type { Receipt } from "./receipt.ts";
import { modelFree } from "./writing/model-free-writer.ts";

export type Preview =
  | {
      readonly type: "previewed";
      readonly plan: Plan;
      /** As it would be, without a model. */
      readonly receipt: Receipt;
      /** What the model would see first. */
      readonly front: string;
    }
  | Exclude<Chosen, { type: "planned" }>;

export function previewCompaction(window: Window, budget: Budget, need: Need = { reason: "asked" }): Preview {
  const chosen = chosenPlan(window, budget, need);
  if (chosen.type !== "planned") return chosen;
  const { plan } = chosen;
  const committed = commit(plan, modelFree(plan), { id: "preview", reason: need.reason, now: 0, durationMs: 0 });
  if (committed.type === "refused") return { type: "nothing-to-do", why: "too-little" };
  return { type: "previewed", plan, receipt: committed.receipt, front: committed.front };
}
