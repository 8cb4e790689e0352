/** Wraps a model as a summariser, and marks in any summary what the log does not support. */

import { collectCalibration, defaultCalibration, modelKey } from "../context/context-size.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { checkSummary, type Flaw, isFarTooLong } from "../summary/audit.ts";
import { clampThinking, generateSummary } from "../summary/generate-summary.ts";
import { ANY_SHAPE, collectPlanEvidence, newNarrativePart } from "./checks.ts";
import { isVisibleToModel } from "./cut-point.ts";
import {
  type CompactionPlan,
  MODEL_FREE_ROUTE,
  NARRATIVE_SHARE,
  type Summarizer,
  type SummarizerResult,
  type SummaryCandidate,
} from "./plan.ts";
import type { Finding } from "./receipt.ts";
import { previousNarrative } from "./summary-message.ts";

/** Marks what a summary by a hook, a host or a model says without support in the log */
export function repairNarrative(plan: CompactionPlan, candidate: SummaryCandidate): SummaryCandidate {
  const { route, narrative, findings = [] } = candidate;
  // One that is far too long is refused as it is; nobody need read all of it.
  const isAlreadyChecked = route === MODEL_FREE_ROUTE || modelCheckedCandidates.has(candidate);
  if (isAlreadyChecked || isFarTooLong(narrative, plan.checkpoint)) return candidate;
  const newPart = newNarrativePart(narrative, plan);
  const { text, flaws } = checkSummary(newPart, { ...collectPlanEvidence(plan), request: null }, ANY_SHAPE);
  const previousPart = narrative.slice(0, narrative.length - newPart.length);
  return { ...candidate, narrative: `${previousPart}${text}`, findings: [...findings, ...flaws.map(toFinding)] };
}

/** A flaw as a receipt has it: lines of a draft that is gone say nothing. */
export function toFinding({ code, note }: Flaw): Finding {
  return { code, note };
}

export interface ModelSummarizerOptions {
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  /** Without it the session's own level, but never more than `medium` (B41). */
  readonly thinking?: ThinkingLevel;
}

/**
 * A model as a writer. A list of models to try is a list of writers; each is told as much at once as its own window
 * holds.
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
          modelCheckedCandidates.add(candidate);
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

/** Undefined where too little was measured to correct an estimate. */
function calibrationFactor({ branch }: CompactionPlan, by: ModelName): number | undefined {
  const { factor, samples } = collectCalibration(branch)[modelKey(by)] ?? defaultCalibration;
  return samples >= 1 ? factor : undefined;
}

/** Summaries that were checked when a model wrote them. */
const modelCheckedCandidates = new WeakSet<SummaryCandidate>();

/** The route of a story that a model wrote. */
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

// What the model never saw need not be put before a writer; the summary before was.
function collectHiddenIds({ covered, branch: { edits } }: CompactionPlan): readonly string[] {
  return covered.filter((entry) => !isVisibleToModel(entry, edits)).map(({ id }) => id);
}
