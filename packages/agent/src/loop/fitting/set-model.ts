/** Another model takes over: one act. What is too much for it is made smaller first, by the one that still speaks; else nothing changes. */

import { contextSize, type Model, shouldCompact } from "@pith/context";
import { appended } from "../../append.ts";
import type { AgentEvent } from "../../events.ts";
import type { RunParts } from "../run-parts.ts";
import { budgetOf } from "./budget-of.ts";
import type { Compacted } from "./compacted.ts";
import { compacting } from "./keep-fit.ts";

export type ModelSet =
  | { readonly type: "set" }
  /** It would not fit, and could not be made to; who spoke still speaks. */
  | { readonly type: "too-much"; readonly tokens: number; readonly limit: number; readonly compaction: Compacted };

export async function* changeModel(model: Model, parts: RunParts): AsyncGenerator<AgentEvent, ModelSet> {
  const { session, limits } = parts;
  const budget = budgetOf({ limits, model });
  const isTooMuch = (): boolean => shouldCompact(contextSize(session.window, budget), budget) !== null;
  if (isTooMuch()) {
    const result = yield* compacting(parts, { reason: "model-switch", budget });
    const { tokens } = contextSize(session.window, budget);
    if (isTooMuch()) return { type: "too-much", tokens, limit: budget.limit, compaction: result };
  }
  await appended(session, { type: "model_change", provider: model.provider, modelId: model.model });
  return { type: "set" };
}
