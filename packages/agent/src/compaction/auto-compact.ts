/** Compacts before a request or a model switch when the context would not fit. The compaction code is loaded lazily. */

import { compactionDue, contextSize, type Model, shouldCompact } from "@pith/context";
import { fitsWithoutCounting } from "@pith/context/host";
import { appended } from "../append.ts";
import type { AgentEvent, Compacted } from "../events.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import type { Compacting } from "./compact.ts";

export async function* keepFit(parts: RunParts): AsyncGenerator<AgentEvent> {
  const { session, notices } = parts;
  const { branch: window } = session;
  const budget = budgetOf(parts);
  if (fitsWithoutCounting(window, { ...budget, limit: notices.watermark(window, budget) })) return;
  const { type, why, size } = compactionDue(window, budget);
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
  const { compaction } = await import("./compact.ts");
  return yield* compaction(parts, need);
}

export type ModelSet =
  | { readonly type: "set" }
  /** It would not fit, and could not be made to; who spoke still speaks. */
  | { readonly type: "too-much"; readonly tokens: number; readonly limit: number; readonly compaction: Compacted };

/** A context too large for the new model is compacted first, by the current one; if it still does not fit, the model is not changed. */
export async function* changeModel(model: Model, parts: RunParts): AsyncGenerator<AgentEvent, ModelSet> {
  const { session, limits } = parts;
  const budget = budgetOf({ limits, model });
  const isTooMuch = (): boolean => shouldCompact(contextSize(session.branch, budget), budget) !== null;
  if (isTooMuch()) {
    const result = yield* compacting(parts, { reason: "model-switch", budget });
    const { tokens } = contextSize(session.branch, budget);
    if (isTooMuch()) return { type: "too-much", tokens, limit: budget.limit, compaction: result };
  }
  await appended(session, { type: "model_change", provider: model.provider, modelId: model.model });
  return { type: "set" };
}
