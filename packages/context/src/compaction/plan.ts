/** Plans a compaction: where it cuts, what it covers and what it keeps. Defines summarizers and their results. It writes nothing. */

import { latestEdit } from "../context/build-context.ts";
import {
  type ContextSize,
  collectCalibration,
  contextSize,
  entryBytes,
  findCalibration,
  type ModelCalibration,
} from "../context/context-size.ts";
import type { Reduction } from "../context/shrink-entry.ts";
import type { Entry } from "../entry.ts";
import type { Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import { branchLeaf, type LoadedBranch } from "../session/loaded-branch.ts";
import type { Allowance, OnProgress } from "../summary/ask-model.ts";
import type { TimeLimit } from "../summary/limits.ts";
import { noPreviousSummary, type PreviousSummary, readPreviousSummary } from "../summary/parse-summary.ts";
import { type Budget, findExceededLimit, type ReductionLevel, reductionLevels } from "./budget.ts";
import { type CutPoint, findCutPoint, isCutAllowed, isVisibleToModel, toCutPoint } from "./cut-point.ts";
import type { Finding } from "./receipt.ts";
import { type DescribeImages, maxKeptBytes, planReductions, tokensAfterReduction } from "./shrink-tail.ts";

/** What a compaction covers, what it keeps, and how many tokens its summary may use. */
export interface CompactionPlan {
  readonly branch: LoadedBranch;
  readonly budget: Budget;
  readonly level: ReductionLevel;
  readonly cut: CutPoint;
  /** The entries that the summary replaces, oldest first. The previous compaction may be one of them. */
  readonly covered: readonly Entry[];
  /** The covered beginning of the turn that the cut splits. */
  readonly turnPrefix: readonly Entry[];
  readonly kept: readonly Entry[];
  /** Edits that shorten kept messages that are too large. */
  readonly reductions: readonly Reduction[];
  /** The summary of the previous compaction. */
  readonly previous: PreviousSummary;
  /** The maximum number of tokens of the narrative and the ledger together. */
  readonly checkpoint: number;
  readonly sizeBefore: ContextSize;
}

export type PrepareCompactionResult = { readonly type: "planned"; readonly plan: CompactionPlan } | NoCompaction;

/** The result if there is nothing to compact. */
export interface NoCompaction {
  readonly type: "nothing-to-do";
  readonly why: "off" | "empty" | "already-compacted" | "too-short" | "too-little";
}

export interface PlanOptions {
  readonly budget: Budget;
  /** Default: the first level. */
  readonly level?: ReductionLevel;
  readonly describeImages: DescribeImages;
}

/** Plans a compaction at one reduction level. */
export function prepareCompaction(
  branch: LoadedBranch,
  { budget, level = reductionLevels[0], describeImages }: PlanOptions,
): PrepareCompactionResult {
  const cut = chooseCut(branch, budget, level);
  if (!cut) return { type: "nothing-to-do", why: "too-short" };
  const covered = branch.entries.slice(0, cut.index);
  if (!covered.some((entry) => isVisibleToModel(entry, branch.edits)))
    return { type: "nothing-to-do", why: "too-short" };
  return { type: "planned", plan: createPlan(branch, { budget, level, describeImages, cut, covered }) };
}

/** Plans a compaction with a given cut, such as a hook's, or returns null if no cut is allowed there. */
export function planWithCut(
  branch: LoadedBranch,
  { budget, level, describeImages }: Required<PlanOptions>,
  index: number,
): CompactionPlan | null {
  if (!isCutAllowed(branch.entries, index, branch.edits)) return null;
  const covered = branch.entries.slice(0, index);
  return createPlan(branch, { budget, level, describeImages, cut: toCutPoint(branch, index), covered });
}

/** Applies a plan to a branch that has grown since, or returns null if other changes were made. */
export function rebasePlan(
  plan: CompactionPlan,
  branch: LoadedBranch,
  describeImages: DescribeImages,
): CompactionPlan | null {
  if (branch === plan.branch) return plan;
  const { budget, level, cut } = plan;
  return hasOnlyGrown(branch, plan.branch) ? planWithCut(branch, { budget, level, describeImages }, cut.index) : null;
}

/** Returns whether entries were only appended since, without a new compaction or a context edit. */
export function hasOnlyGrown(branch: LoadedBranch, earlier: LoadedBranch): boolean {
  return (
    branchLeaf(earlier) === (branch.entries[earlier.entries.length - 1]?.id ?? null) &&
    branch.compactionIndex === earlier.compactionIndex &&
    branch.edits.length === earlier.edits.length
  );
}

// A message that will be shortened counts with its shortened size. If the request has too many bytes, the later of the cuts by
// tokens and by bytes is used.
function chooseCut(branch: LoadedBranch, budget: Budget, level: ReductionLevel): CutPoint | null {
  const { entries, edits } = branch;
  if (level.tailShare === 0) return entries.length === 0 ? null : toCutPoint(branch, entries.length);
  const options = { branch, budget, level, calibration: findModelCalibration(branch, budget) };
  const tokensOf = (entry: Entry): number => tokensAfterReduction(entry, options);
  const byTokens = findCutPoint(entries, { keepTokens: budget.tail * level.tailShare, tokensOf, edits });
  switch (findExceededLimit(contextSize(branch, budget), budget)) {
    case null:
      return byTokens;
    case "tokens":
      return byTokens ?? findEarliestCut(branch, tokensOf);
    case "bytes":
      return laterCut(byTokens, findCutByBytes(branch, budget));
  }
}

// After shortening, all entries may fit into the tail. Then as few entries as possible are covered.
function findEarliestCut({ entries, edits }: LoadedBranch, tokensOf: (entry: Entry) => number): CutPoint | null {
  const visibleEntries = entries.filter((entry) => isVisibleToModel(entry, edits));
  const totalTokens = visibleEntries.reduce((sum, entry) => sum + tokensOf(entry), 0);
  return findCutPoint(entries, { keepTokens: totalTokens - 1, tokensOf, edits });
}

function findCutByBytes({ entries, edits }: LoadedBranch, budget: Budget): CutPoint | null {
  const bytesOf = (entry: Entry): number => entryBytes(entry, latestEdit(edits, entry));
  return findCutPoint(entries, { keepTokens: maxKeptBytes(budget), tokensOf: bytesOf, edits });
}

function laterCut(one: CutPoint | null, other: CutPoint | null): CutPoint | null {
  return one && other && one.index > other.index ? one : (other ?? one);
}

interface PlanInput extends Required<PlanOptions> {
  readonly cut: CutPoint;
  readonly covered: readonly Entry[];
}

function createPlan(branch: LoadedBranch, { budget, level, describeImages, cut, covered }: PlanInput): CompactionPlan {
  const kept = branch.entries.slice(cut.index);
  const calibration = findModelCalibration(branch, budget);
  const compaction = branch.entries[branch.compactionIndex];
  return {
    branch,
    budget,
    level,
    cut,
    covered,
    turnPrefix: cut.turnStartIndex === null ? [] : branch.entries.slice(cut.turnStartIndex, cut.index),
    kept,
    reductions: planReductions(kept, { branch, budget, level, calibration, describeImages }),
    previous: compaction?.type === "compaction" ? readPreviousSummary(compaction) : noPreviousSummary,
    checkpoint: summaryTokens({ branch, budget, level }, budget.checkpoint),
    sizeBefore: contextSize(branch, budget),
  };
}

/** Converts a budget for a summary text from the model's tokens to estimated tokens at the plan's reduction level. */
export function summaryTokens(
  { branch, budget, level }: Pick<CompactionPlan, "branch" | "budget" | "level">,
  tokens: number,
): number {
  return Math.floor((tokens * level.summaryShare) / findModelCalibration(branch, budget).factor);
}

function findModelCalibration(branch: LoadedBranch, { model }: Budget): ModelCalibration {
  return findCalibration(collectCalibration(branch), model);
}

/** The share of the checkpoint that the narrative may use; the ledger uses the rest. */
export const NARRATIVE_SHARE = 0.75;

/** A summary for a plan before it is checked, with its cost. */
export interface SummaryCandidate {
  readonly route: string;
  /** The summary by a model or a hook; empty if there is none. */
  readonly narrative: string;
  /** The list of turns, written without a model. */
  readonly notes: string;
  /** The ids of the summarizer's input entries. */
  readonly covers: ReadonlySet<string>;
  /** The model that wrote the summary. */
  readonly by?: ModelName;
  readonly calls?: readonly CallUsage[];
  /** Notices for the receipt, such as marked claims. */
  readonly findings?: readonly Finding[];
  /** Details from a hook, stored next to Pith's own. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fromHook?: boolean;
}

/** The usage of one model call, and the model if it is known. */
export interface CallUsage {
  readonly usage: Usage;
  readonly by?: ModelName;
}

/** The route of a summary without a model. */
export const MODEL_FREE_ROUTE = "model-free";

/** Writes the summary of a compaction plan. */
export interface Summarizer {
  readonly route: string;
  /** Whether it costs money. If so, the hourly limit applies. */
  readonly isPaid: boolean;
  summarize(plan: CompactionPlan, options: SummarizeOptions): Promise<SummarizerResult> | SummarizerResult;
}

/** The options that a summarizer receives with a plan. */
export interface SummarizeOptions {
  readonly signal?: AbortSignal;
  /** What the user or a hook wants the summary to focus on. */
  readonly instructions?: string;
  /** The limit on calls and cost. */
  readonly allowance?: Allowance;
  readonly progress?: OnProgress;
  /** The time limit for all summarizers together. */
  readonly time?: TimeLimit;
}

/** The result of a summarizer. */
export type SummarizerResult =
  /** `plan` is set if the summarizer uses another cut. */
  | { readonly type: "written"; readonly candidate: SummaryCandidate; readonly plan?: CompactionPlan }
  | { readonly type: "nothing" }
  | { readonly type: "cancelled"; readonly calls?: readonly CallUsage[] }
  | { readonly type: "failed"; readonly why: string; readonly calls?: readonly CallUsage[] };

/** A summary from a hook, with the plan for the cut that the hook chose. */
export interface HookCandidate {
  readonly plan: CompactionPlan;
  readonly candidate: SummaryCandidate;
}

export type BeforeCompactOutcome =
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | {
      readonly type: "continue";
      readonly hookCandidate: HookCandidate | null;
      /** The instructions of the user and of hooks. */
      readonly instructions: string;
      readonly findings: readonly Finding[];
    };

/** Runs the host's hooks before and after a compaction. */
export interface CompactionHookRunner {
  /** Hooks may cancel a compaction, postpone it once, add instructions, or write the summary. */
  before(plan: CompactionPlan, instructions: string): Promise<BeforeCompactOutcome>;
  after(compactionId: string): Promise<void>;
  failed(failure: { readonly aborted: boolean; readonly errorMessage?: string }): Promise<void>;
}

/** The type of the custom entry that records a postponed compaction. */
export const POSTPONE_TYPE = "pith.postponed";
