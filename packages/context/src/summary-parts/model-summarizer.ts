/** Creates a summarizer that uses a model. */

import { isVisibleToModel } from "../compaction/cut-point.ts";
import {
  type CompactionPlan,
  NARRATIVE_SHARE,
  type Summarizer,
  type SummarizerResult,
  type SummaryEstimate,
} from "../compaction/plan.ts";
import { type Finding, readReceipt } from "../compaction/receipt.ts";
import { collectPart } from "../compaction/summary-message.ts";
import { defaultCalibration, modelKey } from "../context/calibration.ts";
import { collectCalibration } from "../context/context-size.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import type { PreferredRoute } from "../summary/build-prompt.ts";
import { clampThinking, estimateSummary, generateSummary, type SummaryInput } from "../summary/generate-summary.ts";
import { previousNarrative } from "../summary/parse-summary.ts";
import { findTokenPrices, type TokenPrices } from "../summary/prices.ts";
import { formatListedMessages } from "../summary/prompt-materials.ts";
import { findSentRequest, type SentRequest, type SentRequestOptions } from "../summary/sent-request.ts";
import type { UnusedReply } from "../summary/summarize.ts";
import { collectPlanEvidence, toFinding } from "./review-summary.ts";
import { userMessages } from "./user-messages.ts";

export interface ModelSummarizerOptions {
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  /** By default the thinking level of the session, at most `medium` (B41). */
  readonly thinking?: ThinkingLevel;
  /** What the model's tokens cost. By default what its replies in the session were billed at. */
  readonly prices?: TokenPrices | undefined;
  /** The route that is asked for. Default: `cheapest`. */
  readonly preferredRoute?: PreferredRoute;
}

/**
 * Creates a summarizer that uses a model. To try several models, pass a list of summarizers; each sends as much per request
 * as its own context window holds.
 */
export function modelSummarizer(model: Model, options: ModelSummarizerOptions): Summarizer {
  const { runtime, thinking, prices, preferredRoute } = options;
  const { api, provider, model: name } = model;
  const by = { api, provider, model: name };
  return {
    name: `${provider}/${name}`,
    isPaid: true,
    estimate: (plan, { sent }) => estimatePlanCost(plan, model, { sent, prices, preferredRoute }),
    async summarize(plan, { signal, instructions = "", allowance, progress, time, sent }): Promise<SummarizerResult> {
      const outcome = await generateSummary({
        model,
        runtime,
        ...toSummaryInput(plan, model, { sent, prices, preferredRoute }),
        ...toMessageInput(plan),
        instructions,
        thinking: thinking ?? clampThinking(plan.branch.state.thinkingLevel),
        evidence: collectPlanEvidence(plan),
        ...(allowance && { allowance }),
        progress,
        time,
        signal,
      });
      switch (outcome.type) {
        case "summarized": {
          const { summary: narrative, calls, flaws, expectedCost, unusedReplies } = outcome;
          const covers = new Set([...outcome.covers, ...collectHiddenIds(plan)]);
          const candidate = {
            isReviewed: true,
            route: outcome.isSamePrefix ? SAME_PREFIX_ROUTE : MODEL_ROUTE,
            by,
            narrative,
            notes: "",
            covers,
            leaving: outcome.leaving,
            calls,
            ...(expectedCost !== null && { expectedCost }),
            findings: [...unusedReplies.map(describeUnusedReply), ...flaws.map(toFinding)],
          };
          return { type: "written", candidate };
        }
        case "failed":
          return {
            type: "failed",
            why: outcome.failure.note,
            findings: outcome.unusedReplies.map(describeUnusedReply),
            calls: outcome.calls,
          };
        case "cancelled":
          return outcome;
      }
    },
  };
}

/** CMP13: what was asked for and not used, and what it cost. */
function describeUnusedReply({ why, usage: { input, cacheRead, cacheWrite, output, cost } }: UnusedReply): Finding {
  const formatTokens = (tokens: number): string => tokens.toLocaleString("en-US");
  const tokens = `${formatTokens(input + cacheRead + cacheWrite)} tokens in, ${formatTokens(output)} out`;
  const price = cost.total > 0 ? `, $${cost.total.toFixed(4)}` : "";
  const reason = why.replace(/\.$/, "");
  return { code: "reply-unused", note: `a reply was not used: ${reason} (${tokens}${price})` };
}

/** The model of an estimate, and its limits. */
export type SummaryModel = Pick<Model, "provider" | "model" | "contextWindow" | "maxTokens"> & Partial<ModelName>;

export interface EstimateOptions {
  /** The session's last request. */
  readonly sent?: SentRequest | undefined;
  /** How the session's requests are built, to find the last one. */
  readonly requests?: SentRequestOptions | undefined;
  /** What the model's tokens cost. By default what its replies in the session were billed at. */
  readonly prices?: TokenPrices | undefined;
  readonly preferredRoute?: PreferredRoute | undefined;
}

/**
 * Estimates what the summary of a plan would cost with a model. The answer is assumed to be as long as that of the branch's newest
 * compaction, if the same model wrote it. Null if the summary does not fit the model.
 */
export function estimatePlanCost(
  plan: EstimatedPlan,
  model: SummaryModel,
  { requests, ...options }: EstimateOptions = {},
): SummaryEstimate | null {
  const { kept } = plan;
  const sent = requests && kept ? findSentRequest({ ...plan, kept }, requests) : options.sent;
  const runtime = { nonce: () => "estimated-nonce" };
  const input = {
    model,
    runtime,
    ...toSummaryInput(plan, model, { ...options, ...(sent && { sent }) }),
    ...(isCompactionPlan(plan) && toMessageInput(plan)),
  };
  const { usage, cost, isComplete } = estimateSummary(input);
  return usage && { cost, isComplete };
}

/** False for an abandoned branch, which is summarized without the user's messages beside it. */
function isCompactionPlan(plan: EstimatedPlan): plan is CompactionPlan {
  return "level" in plan;
}

/** The user's messages beside the summary: those that stay, and those that it has to carry over. */
function toMessageInput(plan: CompactionPlan): Pick<SummaryInput, "keptMessages" | "leaving" | "carried"> {
  const { leaving, omitted, previousMessages } = collectPart(userMessages, plan);
  const leavingReferences = new Set(leaving.map(({ reference }) => reference));
  const keptMessages = previousMessages.filter(({ reference }) => !leavingReferences.has(reference));
  return { keptMessages: formatListedMessages(keptMessages), leaving, carried: omitted.carried };
}

type EstimatedPlan = SummarizedPart & Partial<Pick<CompactionPlan, "kept" | "originals">>;

function isSameModel(one: ModelName, other: Partial<ModelName>): boolean {
  return one.api === other.api && one.provider === other.provider && one.model === other.model;
}

/** The fields of a plan that decide what a summary costs. */
type SummarizedPart = Pick<CompactionPlan, "branch" | "covered" | "turnPrefix" | "edits" | "previous" | "checkpoint">;

function measuredAnswerTokens({ branch }: SummarizedPart, { provider, model }: SummaryModel): number | undefined {
  const compaction = branch.entries[branch.compactionIndex];
  if (compaction?.type !== "compaction") return undefined;
  const receipt = readReceipt(compaction);
  const outputTokens = compaction.usage?.output;
  if (receipt?.by !== `${provider}/${model}` || !outputTokens || !(receipt.calls > 0)) return undefined;
  return Math.ceil(outputTokens / receipt.calls);
}

/** Undefined if there are no measurements for this model. */
function calibrationFactor({ branch }: SummarizedPart, by: Pick<ModelName, "provider" | "model">): number | undefined {
  const { factor, samples } = collectCalibration(branch)[modelKey(by)] ?? defaultCalibration;
  return samples >= 1 ? factor : undefined;
}

/** The route of a summary that a model wrote from a transcript. */
const MODEL_ROUTE = "model";
/** The route of a summary that the session's model wrote after its last request. */
const SAME_PREFIX_ROUTE = "same-prefix";

function toSummaryInput(plan: SummarizedPart, model: SummaryModel, { sent, prices, preferredRoute }: EstimateOptions) {
  const { edits, covered, turnPrefix, previous, checkpoint } = plan;
  const visibleEntries = covered.filter((entry) => isVisibleToModel(entry, edits));
  const inTurnPrefix = new Set(turnPrefix);
  return {
    entries: visibleEntries.filter((entry) => !inTurnPrefix.has(entry)),
    turn: visibleEntries.filter((entry) => inTurnPrefix.has(entry)),
    edits,
    previous: previousNarrative(previous),
    isChecked: previous.isChecked,
    tokens: Math.floor(checkpoint * NARRATIVE_SHARE),
    factor: calibrationFactor(plan, model),
    sent: sent && isSameModel(sent.model, model) ? sent : undefined,
    preferredRoute,
    prices: findTokenPrices(plan.branch, model, prices),
    answerTokens: measuredAnswerTokens(plan, model),
  };
}

// The session's model never sees these entries, so the summary does not have to cover them.
function collectHiddenIds({ covered, edits }: CompactionPlan): readonly string[] {
  return covered.filter((entry) => !isVisibleToModel(entry, edits)).map(({ id }) => id);
}
