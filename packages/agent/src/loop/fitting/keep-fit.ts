/** Before every request: is it too much? Then the same request, smaller. */

import { due, surelyFits } from "@pith/context";
import type { AgentEvent } from "../../events.ts";
import type { RunParts } from "../run-parts.ts";
import { budgetOf } from "./budget-of.ts";
import type { Compacted } from "./compacted.ts";
import type { Compacting } from "./compaction.ts";

export async function* keepFit(parts: RunParts): AsyncGenerator<AgentEvent> {
  const { session, notices } = parts;
  const { window } = session;
  const budget = budgetOf(parts);
  if (surelyFits(window, { ...budget, limit: notices.watermark(window, budget) })) return;
  const { type, why, size } = due(window, budget);
  if (type === "due") {
    yield* compacting(parts, { reason: "due" });
    return;
  }
  if (why !== "fits") {
    yield* notices.skipped("threshold", why);
    return;
  }
  notices.free();
  yield* notices.soft(size, window, budget);
}

/** All that a compaction needs is loaded when there is one: no start waits for it. */
export async function* compacting(parts: RunParts, need: Compacting): AsyncGenerator<AgentEvent, Compacted> {
  const { budget = budgetOf(parts), reason } = need;
  // FIT4: off means off; nothing is begun of which nothing would come.
  if (!budget.limits.enabled && reason !== "asked") {
    yield* parts.notices.skipped(reason === "overflow" ? "overflow" : "threshold", "off");
    return { type: "nothing-to-do", why: "off" };
  }
  const { compaction } = await import("./compaction.ts");
  return yield* compaction(parts, need);
}
