/** Provides the branch summary functions with Pith's and pi's signatures. Both run the same code. */

import {
  type BranchSelection,
  type BranchSummaryOutcome,
  type BranchSummaryRequest,
  generateBranchSummary as generate,
  type OldBranch,
  prepareBranchEntries as prepare,
} from "../branches/summarize-branch.ts";
import { createBudget } from "../compaction/budget.ts";
import { isVisibleToModel } from "../compaction/cut-point.ts";
import { collectFileOperations, type FileOperations } from "../compaction-hooks/hook-preparation.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/context-size.ts";
import type { BranchSummaryDetails, Entry } from "../entry.ts";
import type { AgentMessage } from "../message.ts";
import type { Model } from "../model.ts";
import { compactionLimits } from "../settings.ts";
import { collectEdits, isList, requireOpenModel, toFileLists } from "./compaction.ts";

/** The part of a branch to summarize, in pi's shape. */
export interface BranchPreparation {
  /** Oldest first. */
  readonly messages: AgentMessage[];
  /** The file operations of the whole branch, including entries that exceed the token budget. */
  readonly fileOps: FileOperations;
  readonly totalTokens: number;
}

/** Selects the newest entries of an abandoned branch that fit, and summaries among the older ones (BR2); `tokens: Infinity` selects all. */
export function prepareBranchEntries(
  oldBranch: Pick<OldBranch, "entries" | "edits">,
  limit: { readonly tokens: number },
): BranchSelection;
/** Compatible with pi: `prepareBranchEntries(entries, 100_000)` returns messages and files; without a budget, or with 0, it returns all. */
export function prepareBranchEntries(entries: readonly Entry[], tokenBudget?: number): BranchPreparation;
export function prepareBranchEntries(
  first: Pick<OldBranch, "entries" | "edits"> | readonly Entry[],
  second: { readonly tokens: number } | number = 0,
): BranchSelection | BranchPreparation {
  if (!isList(first) && typeof second === "object") return prepare(first, second);
  if (!isList(first) || typeof second !== "number" || !(second >= 0))
    throw new Error(
      "prepareBranchEntries needs entries and the tokens that there is room for: prepareBranchEntries(entries, 100_000); or a left branch: prepareBranchEntries(left, { tokens: 100_000 }).",
    );
  const edits = collectEdits(first);
  const { entries } = prepare({ entries: first, edits }, { tokens: second === 0 ? Number.POSITIVE_INFINITY : second });
  const visibleEntries = entries.filter((entry) => entry.type === "compaction" || isVisibleToModel(entry, edits));
  return {
    messages: visibleEntries.flatMap((entry) => entryMessage(entry, latestEdit(edits, entry)) ?? []),
    fileOps: collectFileOperations(first),
    totalTokens: visibleEntries.reduce((sum, entry) => sum + entrySize(entry, latestEdit(edits, entry)).tokens, 0),
  };
}

/** The options of pi's `generateBranchSummary`. */
export interface GenerateBranchSummaryOptions {
  readonly model: Model;
  /** Not used: the model already has its key. */
  readonly apiKey?: string;
  readonly signal?: AbortSignal;
  readonly customInstructions?: string;
  /** Whether `customInstructions` replace the default prompt. */
  readonly replaceInstructions?: boolean;
  /** The tokens of the model's window to keep free, at most a quarter of it. Default: 16,384. */
  readonly reserveTokens?: number;
}

/** A summary with its file lists, or the reason why there is none, in pi's shape. */
export interface BranchSummaryResult extends Partial<BranchSummaryDetails> {
  readonly summary?: string;
  readonly aborted?: boolean;
  readonly error?: string;
}

/** Summarizes an abandoned branch with the first model that succeeds, and appends its files, commands and errors from the log. */
export function generateBranchSummary(request: BranchSummaryRequest): Promise<BranchSummaryOutcome>;
/** Compatible with pi: `generateBranchSummary(entries, { model })` returns a failure as `error` and an abort as `aborted`. */
export function generateBranchSummary(
  entries: readonly Entry[],
  options: GenerateBranchSummaryOptions,
): Promise<BranchSummaryResult>;
export async function generateBranchSummary(
  first: BranchSummaryRequest | readonly Entry[],
  options?: GenerateBranchSummaryOptions,
): Promise<BranchSummaryOutcome | BranchSummaryResult> {
  if (!isList(first)) return generate(first);
  const { model, runtime } = requireOpenModel("generateBranchSummary(entries, { model })", options?.model);
  const oldBranch = { entries: first, edits: collectEdits(first) };
  if (!first.some((entry) => isVisibleToModel(entry, oldBranch.edits) || entry.type === "compaction"))
    return { error: "The branch has nothing to summarise." };
  const { customInstructions = "", replaceInstructions = false, reserveTokens, signal } = options ?? {};
  const reserve = reserveTokens === undefined ? {} : { thresholds: [{ reserve: reserveTokens }] };
  const budget = createBudget({ ...compactionLimits, ...reserve }, { contextWindow: model.contextWindow });
  const outcome = await generate({
    ...{ models: [model], runtime, oldBranch, instructions: customInstructions, replaceInstructions, signal },
    ...{ tokens: budget.branchSummary, maxInputTokens: budget.limit },
  });
  switch (outcome.type) {
    case "summarised":
      return { summary: outcome.summary.summary, ...toFileLists(collectFileOperations(first)) };
    case "failed":
      return { error: outcome.failures.map(({ note }) => note).join("; ") };
    case "cancelled":
      return { aborted: true };
  }
}
