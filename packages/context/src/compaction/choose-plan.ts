/** Chooses the first reduction level that leaves room to work, or reports what fills the window; previews a compaction. */

import { contextSize } from "../context/context-size.ts";
import { readLoadedSkill, SKILL_LIST_TYPE } from "../context/loaded-skills.ts";
import { type Entry, isStateEntry } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { type Budget, reductionLevels, shouldCompact } from "./budget.ts";
import { commitCandidate } from "./commit.ts";
import { isVisibleToModel } from "./cut-point.ts";
import { createFallbackSummary } from "./fallback-summary.ts";
import { type CompactionPlan, type NoCompaction, prepareCompaction } from "./plan.ts";
import { type CompactionTrigger, type Receipt, readReceipt } from "./receipt.ts";
import { type Breaker, createBreaker } from "./should-compact.ts";

export type PlanChoice =
  | {
      readonly type: "planned";
      readonly plan: CompactionPlan;
      /** As it would be if code alone wrote it now. */
      readonly receipt: Receipt;
      readonly summaryText: string;
    }
  | NoCompaction
  | { readonly type: "cannot-fit"; readonly breaker: Breaker };

export interface CompactionRequest {
  readonly reason: CompactionTrigger;
  /** Compactions that this request has had after refusals; each begins a rung further down. */
  readonly attempt?: number;
}

/** Where the context fits, all that is kept is kept gladly; where it does not, as much as leaves room. */
export function choosePlan(
  branch: LoadedBranch,
  budget: Budget,
  { reason, attempt = 0 }: CompactionRequest,
): PlanChoice {
  const size = contextSize(branch, budget);
  if (reason === "overflow" || shouldCompact(size, budget) !== null)
    return (
      firstSufficientPlan(branch, budget, attempt) ?? { type: "cannot-fit", breaker: createBreaker(branch, budget) }
    );
  if (branch.entries.length === 0) return { type: "nothing-to-do", why: "empty" };
  if (isJustCompacted(branch)) return { type: "nothing-to-do", why: "already-compacted" };
  return planAtLevel(branch, budget, 0);
}

// GUARD1: the first plan that leaves room; else the first that frees enough; else the barest, a few times.
function firstSufficientPlan(branch: LoadedBranch, budget: Budget, attempt: number): PlanChoice | null {
  const candidates: ViablePlan[] = [];
  for (let levelIndex = attempt; attempt < MAX_OVERFLOW_ATTEMPTS && levelIndex < reductionLevels.length; levelIndex++) {
    const choice = planAtLevel(branch, budget, levelIndex);
    if (choice.type !== "planned") continue;
    if (leavesEnoughFree(choice) && freesEnough(choice)) return choice;
    candidates.push(choice);
  }
  return candidates.find(freesEnough) ?? (canRetryWithoutProgress(branch, budget) ? (candidates.at(-1) ?? null) : null);
}

// CMP4: after so many refusals of the same request there is nothing left to try.
const MAX_OVERFLOW_ATTEMPTS = 4;

type ViablePlan = Extract<PlanChoice, { type: "planned" }>;

// What code alone would write fits for certain; a paid writer is asked only where that is known.
function planAtLevel(branch: LoadedBranch, budget: Budget, levelIndex: number): ViablePlan | NoCompaction {
  const preparation = prepareCompaction(branch, budget, reductionLevels[levelIndex]);
  if (preparation.type !== "planned") return preparation;
  const { plan } = preparation;
  const result = commitCandidate(plan, createFallbackSummary(plan), TRIAL_COMMIT);
  if (result.type === "refused") return { type: "nothing-to-do", why: "too-little" };
  return { type: "planned", plan, receipt: result.receipt, summaryText: result.summaryText };
}

const TRIAL_COMMIT = { id: "trial", reason: "asked", now: 0, durationMs: 0 } as const;

function leavesEnoughFree({ plan: { sizeBefore, budget }, receipt }: ViablePlan): boolean {
  const { limit } = budget;
  return !Number.isFinite(limit) || receipt.tokens.after <= limit - (limit - sizeBefore.fixed) * MIN_FREE_SHARE;
}

/** Of what the fixed part leaves: so much is free after a compaction, if a rung can free it. */
const MIN_FREE_SHARE = 0.25;

function freesEnough({ plan: { sizeBefore, budget }, receipt: { tokens, bytes } }: ViablePlan): boolean {
  const maxRemainingShare = 1 - budget.limits.progress;
  if (sizeBefore.bytes > budget.bytes) return bytes.after <= sizeBefore.bytes * maxRemainingShare;
  return tokens.after <= sizeBefore.tokens * maxRemainingShare;
}

function canRetryWithoutProgress({ entries, compactionIndex }: LoadedBranch, { limits }: Budget): boolean {
  const compaction = entries[compactionIndex];
  const rounds = compaction?.type === "compaction" ? (readReceipt(compaction)?.withoutProgress ?? 0) : 0;
  return rounds < limits.rounds;
}

/** Whether nothing was said since the newest compaction but what stands behind each of them. */
function isJustCompacted({ entries, compactionIndex, edits }: LoadedBranch): boolean {
  const isNewContent = (entry: Entry): boolean =>
    isVisibleToModel(entry, edits) &&
    !readLoadedSkill(entry) &&
    !isStateEntry(entry) &&
    !(entry.type === "custom_message" && entry.customType === SKILL_LIST_TYPE);
  return compactionIndex !== -1 && !entries.slice(compactionIndex + 1).some(isNewContent);
}

/** Planned: the plan, the receipt as it would be without a model, and what the model would see first. */
export type CompactionPreview = PlanChoice;

/** What `compact` would do now if code alone wrote it: nothing is done, nobody is asked. */
export function previewCompaction(
  branch: LoadedBranch,
  budget: Budget,
  request: CompactionRequest = { reason: "asked" },
): CompactionPreview {
  const choice = choosePlan(branch, budget, request);
  return choice.type === "planned" ? { ...choice, receipt: { ...choice.receipt, reason: request.reason } } : choice;
}
