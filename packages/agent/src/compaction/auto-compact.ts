/** Compacts before a request or a model switch when the context would not fit. The compaction code is loaded lazily. */

import { compactionDue, contextSize, type Model, shouldCompact } from "@pith/context";
import { fitsWithoutCounting } from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import type { AgentCompactionOutcome, AgentEvent } from "../events.ts";
import { createModelBudget, type RunContext } from "../loop/run-context.ts";
import type { CompactionRequest } from "./compact.ts";

export async function* compactIfNeeded(run: RunContext): AsyncGenerator<AgentEvent> {
  const { session, notices } = run;
  const { branch } = session;
  const budget = createModelBudget(run);
  if (fitsWithoutCounting(branch, { ...budget, limit: notices.noticeThreshold(branch, budget) })) return;
  const { type, why, size } = compactionDue(branch, budget);
  if (type === "due") {
    yield* runCompaction(run, { reason: "due" });
    return;
  }
  if (why !== "fits") {
    yield* notices.reportSkip("threshold", why);
    return;
  }
  notices.clearSkip();
  yield* notices.reportSoftThreshold(size, branch, budget);
}

/** Loads the compaction code on first use, to keep the start of the program fast. */
export async function* runCompaction(
  run: RunContext,
  request: CompactionRequest,
): AsyncGenerator<AgentEvent, AgentCompactionOutcome> {
  const { budget = createModelBudget(run), reason } = request;
  // FIT4: if compaction is off, only a request of the user starts one.
  if (!budget.limits.enabled && reason !== "asked") {
    yield* run.notices.reportSkip(reason === "overflow" ? "overflow" : "threshold", "off");
    return { type: "nothing-to-do", why: "off" };
  }
  const { compactInRun } = await import("./compact.ts");
  return yield* compactInRun(run, request);
}

/** The outcome of a change of the model. */
export type SetModelResult =
  | { readonly type: "set" }
  /** The context does not fit the new model, even after a compaction. The model is not changed. */
  | {
      readonly type: "too-much";
      readonly tokens: number;
      readonly limit: number;
      readonly compaction: AgentCompactionOutcome;
    };

/** A context too large for the new model is compacted first, by the current one; if it still does not fit, the model is not changed. */
export async function* changeModel(model: Model, run: RunContext): AsyncGenerator<AgentEvent, SetModelResult> {
  const { session, limits } = run;
  const budget = createModelBudget({ limits, model });
  const exceedsLimit = (): boolean => shouldCompact(contextSize(session.branch, budget), budget) !== null;
  if (exceedsLimit()) {
    const result = yield* runCompaction(run, { reason: "model-switch", budget });
    const { tokens } = contextSize(session.branch, budget);
    if (exceedsLimit()) return { type: "too-much", tokens, limit: budget.limit, compaction: result };
  }
  await appendEntries(session, { type: "model_change", provider: model.provider, modelId: model.model });
  return { type: "set" };
}
