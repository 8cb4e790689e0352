/** Makes a summarizer of a model. */

import { isVisibleToModel } from "../compaction/cut-point.ts";
import { type CompactionPlan, NARRATIVE_SHARE, type Summarizer, type SummarizerResult } from "../compaction/plan.ts";
import { previousNarrative } from "../compaction/previous-summary.ts";
import { collectCalibration, defaultCalibration, modelKey } from "../context/context-size.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { clampThinking, generateSummary } from "../summary/generate-summary.ts";
import { collectPlanEvidence, markReviewed, toFinding } from "./review-summary.ts";

export interface ModelSummarizerOptions {
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  /** Without it the session's own level, but never more than `medium` (B41). */
  readonly thinking?: ThinkingLevel;
}

/**
 * Makes a summarizer of a model. To try several models, pass a list of summarizers; each receives as much at once as its own
 * context window holds.
 */
export function modelSummarizer(model: Model, { runtime, thinking }: ModelSummarizerOptions): Summarizer {
  const { api, provider, model: name } = model;
  const by = { api, provider, model: name };
  return {
    route: `${provider}/${name}`,
    isPaid: true,
    async summarize(plan, { signal, instructions = "", allowance, progress, time }): Promise<SummarizerResult> {
      const outcome = await generateSummary({
        model,
        runtime,
        ...toSummaryInput(plan),
        instructions,
        tokens: Math.floor(plan.checkpoint * NARRATIVE_SHARE),
        thinking: thinking ?? clampThinking(plan.branch.state.thinkingLevel),
        factor: calibrationFactor(plan, by),
        evidence: collectPlanEvidence(plan),
        ...(allowance && { allowance }),
        progress,
        time,
        signal,
      });
      switch (outcome.type) {
        case "summarised": {
          const { summary: narrative, calls, flaws } = outcome;
          const covers = new Set([...outcome.covers, ...collectHiddenIds(plan)]);
          const candidate = {
            route: MODEL_ROUTE,
            by,
            narrative,
            notes: "",
            covers,
            calls,
            findings: flaws.map(toFinding),
          };
          markReviewed(candidate);
          return { type: "written", candidate };
        }
        case "failed":
          return { type: "failed", why: outcome.failure.note, calls: outcome.calls };
        case "cancelled":
          return outcome;
      }
    },
  };
}

/** Undefined if too little was measured to correct an estimate. */
function calibrationFactor({ branch }: CompactionPlan, by: ModelName): number | undefined {
  const { factor, samples } = collectCalibration(branch)[modelKey(by)] ?? defaultCalibration;
  return samples >= 1 ? factor : undefined;
}

/** The route of a summary by a model. */
const MODEL_ROUTE = "model";

function toSummaryInput({ branch, covered, turnPrefix, previous }: CompactionPlan) {
  const { edits } = branch;
  const visibleEntries = covered.filter((entry) => isVisibleToModel(entry, edits));
  const inTurnPrefix = new Set(turnPrefix);
  return {
    entries: visibleEntries.filter((entry) => !inTurnPrefix.has(entry)),
    turn: visibleEntries.filter((entry) => inTurnPrefix.has(entry)),
    edits,
    previous: previousNarrative(previous),
    isChecked: previous.isChecked,
  };
}

// The session's model never saw these entries, so the summary need not cover them.
function collectHiddenIds({ covered, branch: { edits } }: CompactionPlan): readonly string[] {
  return covered.filter((entry) => !isVisibleToModel(entry, edits)).map(({ id }) => id);
}
