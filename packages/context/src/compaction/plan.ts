/** Plans a compaction: where it cuts, what it covers and what it keeps. Defines summarizers and their results. It writes nothing. */

import { latestEdit } from "../context/build-context.ts";
import { findCalibration, type ModelCalibration } from "../context/calibration.ts";
import { type ContextSize, collectCalibration, contextSize, entryBytes } from "../context/context-size.ts";
import type { PlannedEdit } from "../context/shrink-entry.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import type { Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Allowance, OnProgress } from "../summary/ask-model.ts";
import type { TimeLimit } from "../summary/limits.ts";
import { noPreviousSummary, type PreviousSummary, readPreviousSummary } from "../summary/parse-summary.ts";
import type { SentRequest } from "../summary/sent-request.ts";
import { type Budget, type CompactionLevel, compactionLevels, findExceededLimit } from "./budget.ts";
import {
  type CutPoint,
  findCutAtOrBefore,
  findCutPoint,
  hasCutAfter,
  isCutAllowed,
  isVisibleToModel,
  moveBehindLastReply,
  toCutPoint,
} from "./cut-point.ts";
import type { Finding } from "./receipt.ts";
import {
  type DescribeImages,
  maxKeptBytes,
  planResultRemovals,
  planShortenings,
  tokensAfterShortening,
} from "./shrink-tail.ts";

/** What a compaction covers, what it keeps, and how many tokens its summary may use. */
export interface CompactionPlan {
  readonly branch: LoadedBranch;
  readonly budget: Budget;
  readonly level: CompactionLevel;
  readonly cut: CutPoint;
  /** The entry that the request asked to keep first. The cut is before it if it is a tool result. */
  readonly requestedFirstKept?: Entry;
  /** The entries before the loaded branch, if the summary is derived from them again instead of from the previous summary. */
  readonly originals?: readonly Entry[];
  /** Entries before the loaded branch that parts of the summary message read from the log, such as messages that are only stubs. */
  readonly earlier?: readonly Entry[];
  /** The entries that the summary replaces, oldest first. Earlier compactions may be among them. */
  readonly covered: readonly Entry[];
  /** The covered beginning of the turn that the cut splits. */
  readonly turnPrefix: readonly Entry[];
  readonly kept: readonly Entry[];
  /** The context edits of the covered and kept entries. */
  readonly edits: readonly ContextEditEntry[];
  /** Edits that shorten kept messages that are too large. */
  readonly shortenings: readonly PlannedEdit[];
  /** Edits that remove kept tool results that later ones make outdated. */
  readonly removals: readonly PlannedEdit[];
  /** The summary of the previous compaction, which the new one continues; empty if the summary is derived from the originals. */
  readonly previous: PreviousSummary;
  /** The maximum number of tokens of the narrative and the ledger together. */
  readonly checkpoint: number;
  readonly sizeBefore: ContextSize;
}

export type PlanResult = { readonly type: "planned"; readonly plan: CompactionPlan } | NoCompaction | InvalidCut;

/** The result if the branch cannot be cut where the request asked for it. */
export interface InvalidCut {
  readonly type: "invalid-cut";
  readonly why: Finding["code"];
  /** What the user should know and do. */
  readonly note: string;
}

/** The result if there is nothing to compact. */
export interface NoCompaction {
  readonly type: "nothing-to-do";
  readonly why: "off" | "empty" | "already-compacted" | "too-short" | "too-little";
}

/** What a request may ask of a plan. */
export interface PlanRequest {
  /** The first entry to keep. It and all later entries are kept unshortened. Default: chosen by size. */
  readonly firstKeptEntryId?: string;
  /**
   * All entries of the branch, root first (`session.branchEntries()`), to derive the summary from them again. By default it
   * continues the summary of the previous compaction.
   */
  readonly originals?: readonly Entry[];
  /** Entries before the loaded branch that parts of the summary message need (`SummaryDesign.loadEarlier`). */
  readonly earlier?: readonly Entry[];
}

export interface PlanOptions extends PlanRequest {
  readonly budget: Budget;
  /** Default: the first level. */
  readonly level?: CompactionLevel;
  /** Whether the compaction follows later. What is added until then is kept. */
  readonly isAhead?: boolean | undefined;
  readonly describeImages: DescribeImages;
}

/** Plans a compaction at one level, with a cut by size or the one that was asked for. */
export function planWithLevel(branch: LoadedBranch, options: PlanOptions): PlanResult {
  const { budget, level = compactionLevels[0], describeImages, firstKeptEntryId, earlier } = options;
  const originals = findEntriesBefore(branch, options.originals);
  const index = branch.entries.findIndex(({ id }) => id === firstKeptEntryId);
  if (firstKeptEntryId !== undefined && index === -1) return describeMissingEntry(branch);
  const cut =
    firstKeptEntryId === undefined
      ? (chooseCut(branch, options) ?? (originals ? toCutPoint(branch, 0) : null))
      : findCutAtOrBefore(branch, index);
  const requested = branch.entries[index];
  const plan = cut && createPlan(branch, { budget, level, describeImages, cut, originals, earlier, requested });
  if (plan?.covered.some((entry) => isVisibleToModel(entry, plan.edits))) return { type: "planned", plan };
  return firstKeptEntryId === undefined
    ? { type: "nothing-to-do", why: "too-short" }
    : describeNothingBefore(branch, index);
}

function describeMissingEntry({ entries, compactionIndex }: LoadedBranch): InvalidCut {
  const [first] = entries;
  const note =
    compactionIndex === -1 || !first
      ? "the entry is not on the current branch; choose one that is, or go to its branch first"
      : `the entry is not in the context. The last compaction summarized it, or it is on another branch. Choose an entry after ${entryReference(first)}, or undo that compaction first`;
  return { type: "invalid-cut", why: "not-in-context", note };
}

function describeNothingBefore(branch: LoadedBranch, index: number): InvalidCut {
  const advice = hasCutAfter(branch, index) ? "; choose a later one" : "";
  return {
    type: "invalid-cut",
    why: "nothing-before",
    note: `there is nothing to summarize before the entry${advice}`,
  };
}

// Without an earlier compaction, the loaded branch has all originals.
function findEntriesBefore(
  { entries: [first], compactionIndex }: LoadedBranch,
  allEntries: readonly Entry[] | undefined,
): readonly Entry[] | undefined {
  if (!allEntries || !first || compactionIndex === -1) return undefined;
  const end = allEntries.findIndex(({ id }) => id === first.id);
  if (end === -1) throw new Error(`entry ${first.id} is not among the originals; pass all entries of its branch`);
  return allEntries.slice(0, end);
}

/** Plans a compaction with a given cut, such as a hook's, or returns null if no cut is allowed there. */
export function planWithCut(
  branch: LoadedBranch,
  options: Omit<PlanInput, "cut">,
  index: number,
): CompactionPlan | null {
  if (!isCutAllowed(branch.entries, index, branch.edits)) return null;
  return createPlan(branch, { ...options, cut: toCutPoint(branch, index) });
}

/** Applies a plan to a branch that has changed only after its cut, or returns null if the covered entries changed. */
export function rebasePlan(
  plan: CompactionPlan,
  branch: LoadedBranch,
  describeImages: DescribeImages,
): CompactionPlan | null {
  if (branch === plan.branch) return plan;
  const { budget, level, originals, earlier, requestedFirstKept: requested, cut } = plan;
  const options = { budget, level, describeImages, originals, earlier, requested };
  return coversSameEntries(plan, branch) ? planWithCut(branch, options, cut.index) : null;
}

/**
 * Returns whether a plan covers the same entries on a later branch: its last covered entry is still on it, no compaction was added,
 * and no later context edit changes a covered entry.
 */
export function coversSameEntries(
  { branch: earlier, cut, covered }: Pick<CompactionPlan, "branch" | "cut" | "covered">,
  branch: LoadedBranch,
): boolean {
  const last = cut.index - 1;
  if (branch.compactionIndex !== earlier.compactionIndex || branch.entries[last]?.id !== earlier.entries[last]?.id)
    return false;
  if (haveSameIds(branch.edits, earlier.edits)) return true;
  const coveredIds = new Set(covered.map(({ id }) => id));
  const listCoveredEdits = ({ edits }: LoadedBranch): readonly ContextEditEntry[] =>
    edits.filter(({ targetId }) => coveredIds.has(targetId));
  return haveSameIds(listCoveredEdits(branch), listCoveredEdits(earlier));
}

function haveSameIds(one: readonly Entry[], other: readonly Entry[]): boolean {
  return one.length === other.length && one.every(({ id }, index) => id === other[index]?.id);
}

function chooseCut(branch: LoadedBranch, options: Pick<PlanOptions, "budget" | "level" | "isAhead">): CutPoint | null {
  const { budget, level = compactionLevels[0], isAhead = false } = options;
  const cut = chooseCutBySize(branch, budget, level);
  return cut && isAhead ? moveBehindLastReply(branch, cut) : cut;
}

// A message that will be shortened counts with its shortened size. If the request has too many bytes, the later of the cuts by
// tokens and by bytes is used.
function chooseCutBySize(branch: LoadedBranch, budget: Budget, level: CompactionLevel): CutPoint | null {
  const { entries, edits } = branch;
  if (level.tailShare === 0) return entries.length === 0 ? null : toCutPoint(branch, entries.length);
  const options = { branch, budget, level, calibration: findModelCalibration(branch, budget) };
  const tokensOf = (entry: Entry): number => tokensAfterShortening(entry, options);
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

export interface PlanInput extends Pick<CompactionPlan, "budget" | "level" | "cut"> {
  readonly describeImages: DescribeImages;
  /** The entries before the loaded branch. */
  readonly originals?: readonly Entry[] | undefined;
  readonly earlier?: readonly Entry[] | undefined;
  /** The requested first kept entry. */
  readonly requested?: Entry | undefined;
}

function createPlan(
  branch: LoadedBranch,
  { budget, level, describeImages, cut, originals, earlier, requested }: PlanInput,
): CompactionPlan {
  const calibration = findModelCalibration(branch, budget);
  const compaction = branch.entries[branch.compactionIndex];
  const covered = [...(originals ?? []), ...branch.entries.slice(0, cut.index)];
  const kept = branch.entries.slice(cut.index);
  const shortenings = requested ? [] : planShortenings(kept, { branch, budget, level, calibration, describeImages });
  // A shortened result no longer shows all of its text, so it makes no other outdated.
  const keptEdits = [...branch.edits, ...(shortenings as readonly ContextEditEntry[])];
  const edits = originals
    ? [...originals.filter((entry) => entry.type === "context_edit"), ...branch.edits]
    : branch.edits;
  const { turnStartIndex } = originals ? toCutPoint({ entries: [...covered, ...kept], edits }, covered.length) : cut;
  return {
    branch,
    budget,
    level,
    cut,
    ...(requested && { requestedFirstKept: requested }),
    ...(originals && { originals }),
    // Derived from the originals, no message is a stub.
    ...(earlier && !originals && { earlier }),
    covered,
    turnPrefix: turnStartIndex === null ? [] : covered.slice(turnStartIndex),
    kept,
    edits,
    shortenings,
    removals:
      requested || !budget.limits.outdated.enabled
        ? []
        : planResultRemovals(kept, { branch, edits: keptEdits, calibration }),
    previous: compaction?.type === "compaction" && !originals ? readPreviousSummary(compaction) : noPreviousSummary,
    checkpoint: summaryTokens({ branch, budget, level }, budget.checkpoint),
    sizeBefore: contextSize(branch, budget),
  };
}

/** Converts a budget for a summary text from the model's tokens to estimated tokens at the plan's compaction level. */
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
  /** How the summary was written, as the receipt records it. */
  readonly route: string;
  /** The summary by a model or a hook; empty if there is none. */
  readonly narrative: string;
  /** The list of turns, written without a model. */
  readonly notes: string;
  /** The ids of the summarizer's input entries. */
  readonly covers: ReadonlySet<string>;
  /** The references of the user's messages that the author was asked to carry over. Default: all that the plan lists. */
  readonly leaving?: readonly string[];
  /** The model that wrote the summary. */
  readonly by?: ModelName;
  readonly calls?: readonly CallUsage[];
  /** What the summary was expected to cost, in dollars. */
  readonly expectedCost?: number;
  /** Notices for the receipt, such as marked claims. */
  readonly findings?: readonly Finding[];
  /** Details from a hook, stored next to Pith's own. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fromHook?: boolean;
  /** Whether its claims were checked against the log while it was written. They are not checked again. */
  readonly isReviewed?: boolean;
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
  /** What findings call it, e.g. the model as `provider/model`. */
  readonly name: string;
  /** Whether it costs money. If so, the hourly limit applies. */
  readonly isPaid: boolean;
  /** Estimates what a summary would cost. Null if the plan does not fit. Without this function, the cost counts as unknown. */
  estimate?(plan: CompactionPlan, options: Pick<SummarizeOptions, "sent">): SummaryEstimate | null;
  summarize(plan: CompactionPlan, options: SummarizeOptions): Promise<SummarizerResult> | SummarizerResult;
}

/** What a summary is expected to cost. */
export interface SummaryEstimate {
  /** In dollars. Null if no prices are known. */
  readonly cost: number | null;
  /** Whether the summarizer reads everything in full, and not in excerpts or chunks. */
  readonly isComplete: boolean;
}

/** The options that a summarizer receives with a plan. */
export interface SummarizeOptions {
  readonly signal?: AbortSignal | undefined;
  /** What the user or a hook wants the summary to focus on. */
  readonly instructions?: string | undefined;
  /** The limit on calls and cost. */
  readonly allowance?: Allowance | undefined;
  readonly progress?: OnProgress | undefined;
  /** The time limit for all summarizers together. */
  readonly time?: TimeLimit | undefined;
  /** The session's last request. A summary that is requested with it and one instruction costs less while the provider caches it. */
  readonly sent?: SentRequest | undefined;
}

/** Compares the estimates of two summarizers, for sorting: those that read everything in full come first, then the cheaper ones. */
export function compareEstimates(one: SummaryEstimate | null, other: SummaryEstimate | null): number {
  const rank = (estimate: SummaryEstimate | null): number => (estimate?.isComplete ? 0 : estimate ? 1 : 2);
  const cost = (estimate: SummaryEstimate | null): number => estimate?.cost ?? Number.MAX_VALUE;
  return rank(one) - rank(other) || cost(one) - cost(other);
}

/** The result of a summarizer. */
export type SummarizerResult =
  /** `plan` is set if the summarizer uses another cut. */
  | { readonly type: "written"; readonly candidate: SummaryCandidate; readonly plan?: CompactionPlan }
  | { readonly type: "nothing" }
  | { readonly type: "cancelled"; readonly calls?: readonly CallUsage[] }
  | {
      readonly type: "failed";
      readonly why: string;
      /** Notices for the receipt, such as replies that were not used. */
      readonly findings?: readonly Finding[];
      readonly calls?: readonly CallUsage[];
    };

/** A summary before the review and the checks, with the plan that it fills. A hook may have chosen another cut. */
export interface PlannedCandidate {
  readonly plan: CompactionPlan;
  readonly candidate: SummaryCandidate;
}

export type BeforeCompactOutcome =
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | {
      readonly type: "continue";
      readonly hookCandidate: PlannedCandidate | null;
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
