/** Compacts a session with the default parts of the summary message, previews a compaction, and accepts pi's call of `compact` too. */

import { type Budget, createBudget } from "./compaction/budget.ts";
import { type CompactionRequest, choosePlan, type PlanChoice } from "./compaction/choose-plan.ts";
import { type CompactionOptions, type CompactionOutcome, compactSession } from "./compaction/compact.ts";
import {
  type PrepareSummaryOptions,
  type PrepareSummaryResult,
  writePreparedSummary,
} from "./compaction/prepared-summary.ts";
import { type CompactionDue, compactionDue } from "./compaction/should-compact.ts";
import { collectPart, type SummaryPart } from "./compaction/summary-message.ts";
import { type CompactionHooks, createHookRunner } from "./compaction-hooks/compaction-hooks.ts";
import type { CompactionPreparation } from "./compaction-hooks/hook-preparation.ts";
import { contextSize } from "./context/context-size.ts";
import type { Model } from "./model.ts";
import { type CompactionResult, summarizePreparation } from "./pi-calls.ts";
import type { LoadedBranch } from "./session/loaded-branch.ts";
import type { Session } from "./session/session.ts";
import { type CompactionLimits, compactionLimits } from "./settings.ts";
import { createSummaryDesign, describeImages } from "./summary-parts/default-parts.ts";
import { modelSummarizer } from "./summary-parts/model-summarizer.ts";
import { userMessages } from "./summary-parts/user-messages.ts";

export interface CompactOptions extends Omit<CompactionOptions, "design" | "hooks"> {
  readonly hooks?: CompactionHooks;
  /** The parts of the summary message. Default: `defaultParts`. */
  readonly parts?: readonly SummaryPart[];
}

/** Compacts a session: plans, writes and checks the summary, and appends one batch; expected failures are returned, not thrown. */
export function compact(options: CompactOptions): Promise<CompactionOutcome>;
/**
 * Compatible with pi: summarizes a preparation and writes nothing, e.g. `compact(preparation, model)`. The model already has its
 * key, so `apiKey` is not used. Throws if the model fails or the signal is aborted.
 */
export function compact(
  preparation: CompactionPreparation,
  model: Model,
  apiKey?: string,
  customInstructions?: string,
  signal?: AbortSignal,
): Promise<CompactionResult>;
export async function compact(
  first: CompactOptions | CompactionPreparation,
  model?: Model,
  _apiKey?: string,
  customInstructions?: string,
  signal?: AbortSignal,
): Promise<CompactionOutcome | CompactionResult> {
  const { session, messagesToSummarize } = Object(first) as Partial<CompactOptions & CompactionPreparation>;
  if (session && "session" in first) {
    const { parts, ...options } = first;
    const design = createSummaryDesign(parts);
    return compactSession({ ...options, design, hooks: createHookRunner({ ...options, describeImages }) });
  }
  if (!messagesToSummarize || !("messagesToSummarize" in first))
    throw new Error(
      'compact needs a session: compact({ session, budget, reason: "asked", runtime: nodeRuntime }). To compact only when it is time: if (compactionDue(session.branch, budget).type === "due") await compact({ session, budget, reason: "due", runtime: nodeRuntime }).',
    );
  return summarizePreparation(first, { model, customInstructions, signal });
}

/**
 * Writes and checks the summary of the next compaction, from the branch as it is now, and appends nothing. Work in the session may continue
 * meanwhile. Append the `usageEntries` of the result, and pass the summary to `compact` as `prepared`; hooks run then. To keep it across a
 * restart, save it as JSON and pass it as `saved`.
 */
export async function prepareSummary({
  parts,
  ...options
}: Omit<PrepareSummaryOptions, "design"> & Pick<CompactOptions, "parts">): Promise<PrepareSummaryResult> {
  await options.session.loadState();
  return writePreparedSummary({ ...options, budget: shrinkTail(options), design: createSummaryDesign(parts) });
}

// PREP1: the kept part grows until the compaction, so less is kept now, at least half.
function shrinkTail({ session, budget }: Pick<CompactOptions, "session" | "budget">): Budget {
  const growth = Math.max(0, budget.limit - contextSize(session.branch, budget).tokens);
  return { ...budget, tail: Math.floor(Math.max(budget.tail / 2, budget.tail - growth)) };
}

/** The options of `compactIfNeeded`. */
export interface CompactIfNeededOptions extends Pick<CompactOptions, "instructions" | "hooks" | "parts" | "signal"> {
  readonly limits?: CompactionLimits;
}

/** `not-due` if no compaction is needed or allowed; otherwise the outcome of the compaction. */
export type CompactIfNeededResult = Extract<CompactionDue, { type: "not-due" }> | CompactionOutcome;

/** Compacts a session whose context no longer fits the model, which also writes the summary; expected failures are returned, not thrown. */
export async function compactIfNeeded(
  session: Session,
  model: Model,
  { limits = compactionLimits, ...options }: CompactIfNeededOptions = {},
): Promise<CompactIfNeededResult> {
  const { runtime } = session;
  const budget = createBudget(limits, { contextWindow: model.contextWindow, model });
  const due = compactionDue(session.branch, budget);
  if (due.type === "not-due") return due;
  const summarizers = [modelSummarizer(model, { runtime })];
  return compact({ ...options, session, budget, runtime, summarizers, reason: "due" });
}

/** The plan with the receipt and text of a summary written without a model, or the reason why there is no plan. */
export type CompactionPreview =
  | (Extract<PlanChoice, { type: "planned" }> & {
      /** The references of the user's messages that may leave the context with this compaction. A model is asked to carry them over. */
      readonly leavingMessages: readonly string[];
    })
  | Exclude<PlanChoice, { type: "planned" }>;

export interface PreviewOptions extends CompactionRequest {
  /** The parts of the summary message. Default: `defaultParts`. */
  readonly parts?: readonly SummaryPart[];
}

/** Returns what `compact` would do now if it used no model; writes nothing and sends no request. */
export function previewCompaction(
  branch: LoadedBranch,
  budget: Budget,
  { parts, ...request }: PreviewOptions = { reason: "asked" },
): CompactionPreview {
  const choice = choosePlan(branch, { ...request, budget, design: createSummaryDesign(parts) });
  if (choice.type !== "planned") return choice;
  const { plan, receipt } = choice;
  return {
    ...choice,
    receipt: { ...receipt, reason: request.reason },
    leavingMessages: collectPart(userMessages, plan).leaving.map(({ reference }) => reference),
  };
}
