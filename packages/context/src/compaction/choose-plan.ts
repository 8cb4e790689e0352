/** Chooses the first compaction level that leaves enough free tokens, or reports what fills the window. */

import { contextSize, measureBranchInSteps } from "../context/context-size.ts";
import { type Entry, isStateEntry } from "../entry.ts";
import { LONG_STEP, runAtOnce, type Steps } from "../event-loop.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import { type Budget, compactionLevels, findExceededLimit } from "./budget.ts";
import { checkCandidate } from "./check-candidate.ts";
import { hasCutAfter, isVisibleToModel } from "./cut-point.ts";
import { type CompactionPlan, type InvalidCut, type NoCompaction, type PlanRequest, planWithLevel } from "./plan.ts";
import { type CompactionTrigger, type Finding, type Receipt, roundsWithoutProgress } from "./receipt.ts";
import { collectPartsInSteps, type SummaryDesign } from "./summary-message.ts";

export type PlanChoice =
  | {
      readonly type: "planned";
      readonly plan: CompactionPlan;
      /** The receipt of a summary without a model. */
      readonly receipt: Receipt;
      readonly summaryText: string;
    }
  | NoCompaction
  | InvalidCut
  | { readonly type: "cannot-fit"; readonly breaker: Breaker };

export interface CompactionRequest extends PlanRequest {
  readonly reason: CompactionTrigger;
  /** How many times the context was compacted after the provider refused this request. Each attempt starts one level lower. */
  readonly attempt?: number;
}

export interface ChoosePlanOptions extends CompactionRequest {
  readonly budget: Budget;
  readonly design: SummaryDesign;
  /** Whether only the summary is written now, and the compaction follows later. */
  readonly isAhead?: boolean;
}

/** Chooses a plan; if the context exceeds the budget, the plan must leave enough free tokens. */
export function choosePlan(branch: LoadedBranch, options: ChoosePlanOptions): PlanChoice {
  return runAtOnce(choosePlanInSteps(branch, options));
}

export function* choosePlanInSteps(branch: LoadedBranch, options: ChoosePlanOptions): Steps<PlanChoice> {
  const { budget, design, reason, firstKeptEntryId } = options;
  yield* measureBranchInSteps(branch);
  const size = contextSize(branch, budget);
  if (firstKeptEntryId !== undefined) return yield* tryLevel(branch, options, 0);
  if (reason === "overflow" || findExceededLimit(size, budget) !== null)
    return yield* firstSufficientPlan(branch, options);
  if (branch.entries.length === 0) return { type: "nothing-to-do", why: "empty" };
  if (options.originals && branch.compactionIndex !== -1) return yield* planFromOriginals(branch, options);
  if (isJustCompacted(branch, design)) return { type: "nothing-to-do", why: "already-compacted" };
  return yield* tryLevel(branch, options, 0);
}

// Right after a compaction, the new summary replaces the last one and the kept part stays the same.
function* planFromOriginals(branch: LoadedBranch, options: ChoosePlanOptions): Steps<PlanChoice> {
  const { design } = options;
  const [first] = branch.entries;
  const keepsTail = first && isJustCompacted(branch, design);
  const choice = yield* tryLevel(branch, keepsTail ? { ...options, firstKeptEntryId: first.id } : options, 0);
  return choice.type === "planned" ? choice : yield* firstSufficientPlan(branch, options);
}

// GUARD1: prefers the first plan that leaves enough free tokens, then the first that frees enough, then the last plan. The last
// plan is used a limited number of times.
function* firstSufficientPlan(branch: LoadedBranch, options: ChoosePlanOptions): Steps<PlanChoice> {
  const { budget, attempt = 0 } = options;
  const candidates: ViablePlan[] = [];
  for (
    let levelIndex = attempt;
    attempt < MAX_OVERFLOW_ATTEMPTS && levelIndex < compactionLevels.length;
    levelIndex++
  ) {
    const choice = yield* tryLevel(branch, options, levelIndex);
    if (choice.type !== "planned") continue;
    if (leavesEnough(choice)) return choice;
    candidates.push(choice);
  }
  const mayFreeLittle = roundsWithoutProgress(branch) < budget.limits.maxWithoutProgress;
  const choice = candidates.find(freesEnough) ?? (mayFreeLittle ? candidates.at(-1) : undefined);
  return choice ?? { type: "cannot-fit", breaker: createBreaker(branch, budget) };
}

// CMP4: after this many refusals of the same request, compaction stops.
const MAX_OVERFLOW_ATTEMPTS = 4;

type ViablePlan = Extract<PlanChoice, { type: "planned" }>;

// A paid summarizer runs only after the summary without a model is known to fit.
function* tryLevel(
  branch: LoadedBranch,
  { budget, design, firstKeptEntryId, originals, earlier, isAhead }: ChoosePlanOptions,
  levelIndex: number,
): Steps<ViablePlan | NoCompaction | InvalidCut> {
  const { parts, describeImages } = design;
  const level = compactionLevels[levelIndex] ?? compactionLevels[0];
  const request = {
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
    ...(originals && { originals }),
    ...(earlier && { earlier }),
  };
  const planned = planWithLevel(branch, { budget, level, describeImages, isAhead, ...request });
  if (planned.type !== "planned") return planned;
  const { plan } = planned;
  yield LONG_STEP;
  yield* collectPartsInSteps(parts, plan);
  const candidate = design.fallback(plan);
  yield LONG_STEP;
  const result = checkCandidate(plan, candidate, { parts, ...TRIAL_BATCH });
  if (result.type === "refused" && plan.requestedFirstKept) return describeRefusedCut(result.finding, plan);
  if (result.type === "refused") return { type: "nothing-to-do", why: "too-little" };
  return { type: "planned", plan, receipt: result.receipt, summaryText: result.summaryText };
}

// A later entry frees more, if there is one.
function describeRefusedCut({ code, note }: Finding, { branch, cut }: CompactionPlan): InvalidCut {
  const advice = hasCutAfter(branch, cut.index) ? "; choose a later entry" : "";
  return { type: "invalid-cut", why: code, note: `${note}${advice}` };
}

const TRIAL_BATCH = { id: "trial", reason: "asked", now: 0, durationMs: 0 } as const;

/** Whether a compaction leaves enough tokens free, and frees enough to be worth it. */
export function leavesEnough(choice: Pick<ViablePlan, "plan" | "receipt">): boolean {
  return leavesEnoughFree(choice) && freesEnough(choice);
}

function leavesEnoughFree({ plan: { sizeBefore, budget }, receipt }: Pick<ViablePlan, "plan" | "receipt">): boolean {
  const { limit } = budget;
  return !Number.isFinite(limit) || receipt.tokens.after <= limit - (limit - sizeBefore.fixed) * MIN_FREE_SHARE;
}

/** The share of the limit, without the fixed tokens, that should be free after a compaction. */
const MIN_FREE_SHARE = 0.25;

function freesEnough({
  plan: { sizeBefore, budget },
  receipt: { tokens, bytes },
}: Pick<ViablePlan, "plan" | "receipt">): boolean {
  const maxRemainingShare = 1 - budget.limits.progress;
  if (sizeBefore.bytes > budget.bytes) return bytes.after <= sizeBefore.bytes * maxRemainingShare;
  return tokens.after <= sizeBefore.tokens * maxRemainingShare;
}

// Entries that a host adds after every compaction do not count as new content.
function isJustCompacted({ entries, compactionIndex, edits }: LoadedBranch, { parts }: SummaryDesign): boolean {
  const isNewContent = (entry: Entry): boolean =>
    isVisibleToModel(entry, edits) && !isStateEntry(entry) && !parts.some((part) => part.isRepeated?.(entry));
  return compactionIndex !== -1 && !entries.slice(compactionIndex + 1).some(isNewContent);
}
