/** Before every request: is it too much? Then the same request, smaller. */

import { due, surelyFits } from "@pith/context";
import type { AgentEvent } from "../../events.ts";
import type { RunParts } from "../run-parts.ts";
import { budgetOf } from "./budget-of.ts";
import type { Compacted, Compacting } from "./compaction.ts";

export async function* keepFit(parts: RunParts): AsyncGenerator<AgentEvent> {
  const { window } = parts.session;
  const budget = budgetOf(parts);
  if (surelyFits(window, budget) || due(window, budget).type !== "due") return;
  yield* compacting(parts, { reason: "due" });
}

/** All that a compaction needs is loaded when there is one: no start waits for it. */
export async function* compacting(parts: RunParts, need: Compacting): AsyncGenerator<AgentEvent, Compacted> {
  const { compaction } = await import("./compaction.ts");
  return yield* compaction(parts, need);
}
