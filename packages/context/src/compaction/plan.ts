/** Plans a compaction: where it cuts, what it covers and keeps; defines what a summariser returns. Pure and cheap: it is the preview. */

import { latestEdit } from "../context/build-context.ts";
import {
  type ContextSize,
  collectCalibration,
  contextSize,
  entryBytes,
  findCalibration,
  type ModelCalibration,
} from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import type { Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import { branchLeaf, type LoadedBranch } from "../session/loaded-branch.ts";
import type { Allowance, OnProgress } from "../summary/ask-model.ts";
import type { TimeLimit } from "../summary/time-limit.ts";
import { type Budget, type ReductionLevel, reductionLevels, shouldCompact } from "./budget.ts";
import { type CutPoint, findCutPoint, isCutAllowed, isVisibleToModel, toCutPoint } from "./cut-point.ts";
import { renderPins } from "./pins.ts";
import type { Finding } from "./receipt.ts";
import { maxKeptBytes, planReductions, type Reduction, tokensAfterReduction } from "./shrink-tail.ts";
import { noPreviousSummary, type PreviousSummary, readSummaryMessage } from "./summary-message.ts";
import {
  type ActiveRequest,
  findActiveRequest,
  findOpenQuestion,
  type OpenQuestion,
  parseRequest,
  renderRequest,
  selectUserMessages,
  type UserMessageSelection,
} from "./user-messages.ts";

/** What a compaction covers, what it keeps, and how much room its summary has. */
export interface CompactionPlan {
  readonly branch: LoadedBranch;
  readonly budget: Budget;
  readonly level: ReductionLevel;
  readonly cut: CutPoint;
  /** Oldest first; among them the compaction before, whose front is carried on. */
  readonly covered: readonly Entry[];
  /** The covered beginning of the turn that the cut parts. */
  readonly turnPrefix: readonly Entry[];
  readonly kept: readonly Entry[];
  /** What is reduced in the kept part. */
  readonly reductions: readonly Reduction[];
  readonly previous: PreviousSummary;
  readonly pins: string;
  readonly userMessages: UserMessageSelection;
  /** What the user asked for last, where the kept part does not have it. */
  readonly request: ActiveRequest | null;
  /** As it stands at the end of the summary message; empty for none. */
  readonly requestText: string;
  /** What the first kept message answers, where that is no longer shown. */
  readonly question: OpenQuestion | null;
  /** Tokens of the narrative and the ledger at most. */
  readonly checkpoint: number;
  readonly sizeBefore: ContextSize;
}

export type PrepareCompactionResult = { readonly type: "planned"; readonly plan: CompactionPlan } | NoCompaction;

/** The result when there is nothing to compact. */
export interface NoCompaction {
  readonly type: "nothing-to-do";
  readonly why: "off" | "empty" | "already-compacted" | "too-short" | "too-little";
}

/** The plan on one rung of the ladder; the first, where nothing else is said. */
export function prepareCompaction(
  branch: LoadedBranch,
  budget: Budget,
  level: ReductionLevel = reductionLevels[0],
): PrepareCompactionResult {
  const cut = chooseCut(branch, budget, level);
  if (!cut) return { type: "nothing-to-do", why: "too-short" };
  const covered = branch.entries.slice(0, cut.index);
  if (!covered.some((entry) => isVisibleToModel(entry, branch.edits)))
    return { type: "nothing-to-do", why: "too-short" };
  return { type: "planned", plan: createPlan(branch, { budget, level, cut, covered }) };
}

/** The plan with a cut of one's own, e.g. a hook's; null where nothing can be cut there. */
export function planWithCut(
  branch: LoadedBranch,
  { budget, level }: Pick<CompactionPlan, "budget" | "level">,
  index: number,
): CompactionPlan | null {
  if (!isCutAllowed(branch.entries, index, branch.edits)) return null;
  return createPlan(branch, { budget, level, cut: toCutPoint(branch, index), covered: branch.entries.slice(0, index) });
}

/** The same plan for a window that has grown since; null where what it covers is no longer what it was. */
export function rebasePlan(plan: CompactionPlan, branch: LoadedBranch): CompactionPlan | null {
  if (branch === plan.branch) return plan;
  return hasOnlyGrown(branch, plan.branch) ? planWithCut(branch, plan, plan.cut.index) : null;
}

/** Whether nothing but talk was added behind it. */
export function hasOnlyGrown(branch: LoadedBranch, earlier: LoadedBranch): boolean {
  return (
    branchLeaf(earlier) === (branch.entries[earlier.entries.length - 1]?.id ?? null) &&
    branch.compactionIndex === earlier.compactionIndex &&
    branch.edits.length === earlier.edits.length
  );
}

// What is too big for the tail counts with what will be left of it; what is too heavy for the wire is cut by its weight.
function chooseCut(branch: LoadedBranch, budget: Budget, level: ReductionLevel): CutPoint | null {
  const { entries, edits } = branch;
  if (level.tailShare === 0) return entries.length === 0 ? null : toCutPoint(branch, entries.length);
  const options = { branch, budget, level, calibration: findModelCalibration(branch, budget) };
  const tokensOf = (entry: Entry): number => tokensAfterReduction(entry, options);
  const byTokens = findCutPoint(entries, { keepTokens: budget.tail * level.tailShare, tokensOf, edits });
  switch (shouldCompact(contextSize(branch, budget), budget)) {
    case null:
      return byTokens;
    case "tokens":
      return byTokens ?? findEarliestCut(branch, tokensOf);
    case "bytes":
      return laterCut(byTokens, findCutByBytes(branch, budget));
  }
}

// Once all that is too big is reduced, the rest may be less than should be kept: then hardly anything need be covered.
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

interface PlanInput {
  readonly budget: Budget;
  readonly level: ReductionLevel;
  readonly cut: CutPoint;
  readonly covered: readonly Entry[];
}

function createPlan(branch: LoadedBranch, { budget, level, cut, covered }: PlanInput): CompactionPlan {
  const kept = branch.entries.slice(cut.index);
  const calibration = findModelCalibration(branch, budget);
  const compaction = branch.entries[branch.compactionIndex];
  const previous = compaction?.type === "compaction" ? readSummaryMessage(compaction) : noPreviousSummary;
  const { edits } = branch;
  const tokens = toEstimatedTokens(budget.userMessages * level.summaryShare, calibration);
  const previousRequest = parseRequest(previous.request);
  const { question } = previous;
  const request = findActiveRequest({ previousRequest: previousRequest, covered, kept, edits, question });
  const userMessages = selectUserMessages({
    previousBlocks: previous.userMessages,
    covered,
    edits,
    tokens,
    request,
    previousRequest,
    question,
  });
  const pins = renderPins(branch.state.pins);
  const checkpoint = toEstimatedTokens(budget.checkpoint * level.summaryShare, calibration);
  return {
    branch,
    budget,
    level,
    cut,
    covered,
    turnPrefix: cut.turnStartIndex === null ? [] : branch.entries.slice(cut.turnStartIndex, cut.index),
    kept,
    reductions: planReductions(kept, { branch, budget, level, calibration }),
    previous,
    pins,
    userMessages,
    request,
    requestText: renderRequest(request, tokens),
    question: findOpenQuestion(branch.entries, cut.index, edits),
    checkpoint,
    sizeBefore: contextSize(branch, budget),
  };
}

// Budgets are real tokens; texts are measured in estimated ones.
function toEstimatedTokens(tokens: number, { factor }: ModelCalibration): number {
  return Math.floor(tokens / factor);
}

function findModelCalibration(branch: LoadedBranch, { model }: Budget): ModelCalibration {
  return findCalibration(collectCalibration(branch), model);
}

/** Of the checkpoint: what a narrative has at most; the ledger has the rest. */
export const NARRATIVE_SHARE = 0.75;

/** A summary for a plan, not checked yet, and what it cost. */
export interface SummaryCandidate {
  readonly route: string;
  /** A summary by a model or a hook; empty where there is none. */
  readonly narrative: string;
  /** What code has to say; empty where a story says it all. */
  readonly notes: string;
  /** Ids of the entries that were put before the writer. */
  readonly covers: ReadonlySet<string>;
  /** The model that wrote it. */
  readonly by?: ModelName;
  readonly calls?: readonly CallUsage[];
  /** What is worth knowing about it, e.g. what code had to mend. */
  readonly findings?: readonly Finding[];
  /** Of a hook: kept beside our own. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fromHook?: boolean;
}

/** One call to a model: what it cost, and whose it was, where that is known. */
export interface CallUsage {
  readonly usage: Usage;
  readonly by?: ModelName;
}

/** The route of code itself. */
export const MODEL_FREE_ROUTE = "model-free";

/** Writes the summary of a compaction plan. */
export interface Summarizer {
  readonly route: string;
  /** Whether it costs money: then the hourly limit holds for it. */
  readonly isPaid: boolean;
  summarize(plan: CompactionPlan, options: SummarizeOptions): Promise<SummarizerResult> | SummarizerResult;
}

/** The options that a summarizer receives with a plan. */
export interface SummarizeOptions {
  readonly signal?: AbortSignal;
  /** What the user, or a hook, wants looked at. */
  readonly instructions?: string;
  /** What may be spent on it; a paid writer keeps to it. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: OnProgress;
  /** How long it may take, all summarisers together. */
  readonly time?: TimeLimit;
}

/** The result of a summarizer. */
export type SummarizerResult =
  /** With a plan of its own where it cuts elsewhere. */
  | { readonly type: "written"; readonly candidate: SummaryCandidate; readonly plan?: CompactionPlan }
  | { readonly type: "nothing" }
  | { readonly type: "cancelled"; readonly calls?: readonly CallUsage[] }
  | { readonly type: "failed"; readonly why: string; readonly calls?: readonly CallUsage[] };
