/** Gets the summary of the branch that a move leaves: from an earlier move, from a hook, or from a model. */

import type { Budget } from "../compaction/budget.ts";
import { isVisibleToModel } from "../compaction/cut-point.ts";
import { calculateAllowance } from "../compaction/receipt.ts";
import { BRANCH_USAGE, type BranchSummaryEntry, type Entry, readPithDetails } from "../entry.ts";
import { reportHookFailure } from "../hooks.ts";
import type { ThinkingLevel, Usage } from "../message.ts";
import type { Model } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import type { NewEntry, Redaction, Session } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import type { OnProgress } from "../summary/ask-model.ts";
import { checkSummary } from "../summary/check-summary.ts";
import { clampThinking, type SummaryFailure } from "../summary/generate-summary.ts";
import { describeSizeLimit, isFarTooLong } from "../summary/limits.ts";
import { ANY_SHAPE } from "../summary-parts/review-summary.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { createUsageEntry, sumUsage } from "../usage.ts";
import {
  type BranchSummary,
  collectBranchEvidence,
  createBranchSummary,
  generateBranchSummary,
  type OldBranch,
} from "./generate-branch-summary.ts";
import type { BeforeTreeOutcome, HookSummary, TreeHooks } from "./tree-hooks.ts";

export interface EarlierSummary {
  readonly entry: BranchSummaryEntry;
  readonly narrative: string;
  /** The entries appended to the branch since that summary. */
  readonly newEntries: readonly Entry[];
}

/** Finds the newest summary of the same branch with the same common ancestor and focus; null if there is none. */
async function findEarlierSummary(store: Store, oldBranch: OldBranch, focus: string): Promise<EarlierSummary | null> {
  const { entries, commonAncestorId } = oldBranch;
  const indexById = new Map(entries.map(({ id }, index) => [id, index]));
  const matches = (await store.branchSummaries(new Set(indexById.keys()))).filter((entry) => {
    const key = readBranchSummaryKey(entry);
    // B70: earlier versions of pi stored the destination in `fromId`.
    return key && entry.fromId !== entry.parentId && key.ancestor === commonAncestorId && key.focus === focus;
  });
  const newest = matches
    .toSorted((one, other) => summaryLeafIndex(one, indexById) - summaryLeafIndex(other, indexById))
    .at(-1);
  if (!newest) return null;
  const narrativeChars = readBranchSummaryKey(newest)?.story ?? 0;
  return {
    entry: newest,
    narrative: newest.summary.slice(0, narrativeChars),
    newEntries: entries.slice(summaryLeafIndex(newest, indexById) + 1),
  };
}

/** Identifies a branch summary for reuse; stored in `details.pith.left`. */
export interface BranchSummaryKey {
  readonly ancestor: string | null;
  readonly focus: string;
  /** The length of the narrative in characters, without the ledger. */
  readonly story: number;
}

function summaryLeafIndex({ fromId }: BranchSummaryEntry, indexById: ReadonlyMap<string, number>): number {
  return indexById.get(fromId) ?? -1;
}

// The details come from a file and are not trusted. A summary by a hook is never reused.
function readBranchSummaryKey({ details, fromHook, summary }: BranchSummaryEntry): BranchSummaryKey | null {
  const { left } = readPithDetails(details);
  const { ancestor, focus, story } = Object(left) as Partial<Readonly<Record<keyof BranchSummaryKey, unknown>>>;
  if (fromHook || typeof focus !== "string" || typeof story !== "number" || story > summary.length) return null;
  return ancestor === null || typeof ancestor === "string" ? { ancestor, focus, story } : null;
}

export interface BranchSummaryOptions {
  /** The models to try, in order of preference. */
  readonly models: readonly Model[];
  readonly instructions?: string;
  /** Whether `instructions` replace the default instructions instead of extending them. */
  readonly replaceInstructions?: boolean;
  readonly thinking?: ThinkingLevel;
}

export interface SummarizeOldBranchOptions {
  readonly session: Session;
  readonly budget: Budget;
  readonly runtime: Pick<Runtime, "sleep" | "nonce" | "now">;
  readonly summary: BranchSummaryOptions;
  /** The combined answers of the `session_before_tree` hooks. */
  readonly hookResult: BeforeTreeOutcome;
  readonly hooks?: TreeHooks;
  readonly progress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** The result of `summarizeOldBranch`; the caller appends `usageEntries` in every case. */
export type SummarizeOldBranchResult =
  | {
      readonly type: "summarized";
      readonly summary: OldBranchSummary | null;
      /** The usage of calls that did not write the summary. */
      readonly usageEntries: readonly NewEntry[];
      /** The usage that `summary` includes, to append if the summary is not appended. */
      readonly summaryUsageEntries: readonly NewEntry[];
    }
  | {
      readonly type: "failed";
      readonly failures: readonly SummaryFailure[];
      readonly usageEntries: readonly NewEntry[];
    }
  | { readonly type: "cancelled"; readonly usageEntries: readonly NewEntry[] };

export type OldBranchSummary = Pick<BranchSummaryEntry, "summary" | "details" | "usage" | "fromHook">;

export async function summarizeOldBranch(
  oldBranch: OldBranch,
  options: SummarizeOldBranchOptions,
): Promise<SummarizeOldBranchResult> {
  const { session, budget, runtime, summary, hookResult, progress, signal } = options;
  const fromHook = hookResult.summary && checkHookSummary(oldBranch, hookResult.summary, options);
  const hookUsageEntries = hookResult.summary?.usage
    ? [createUsageEntry(BRANCH_USAGE, hookResult.summary.usage, budget.model)]
    : [];
  if (fromHook)
    return { type: "summarized", summary: fromHook, usageEntries: [], summaryUsageEntries: hookUsageEntries };
  const { instructions, replaceInstructions, focus } = resolveInstructions(hookResult, summary);
  // BR4: a branch without new messages since its last summary is not summarized again.
  const earlier = await findEarlierSummary(session.store, oldBranch, focus);
  // A context edit since then may have removed text that the earlier summary still contains.
  const reusable = earlier?.newEntries.some(({ type }) => type === "context_edit") ? null : earlier;
  if (reusable && !reusable.newEntries.some((entry) => isVisibleToModel(entry, oldBranch.edits)))
    return {
      type: "summarized",
      summary: { summary: reusable.entry.summary, details: reusable.entry.details },
      usageEntries: hookUsageEntries,
      summaryUsageEntries: [],
    };
  const outcome = await generateBranchSummary({
    models: summary.models,
    runtime,
    oldBranch,
    ...(reusable && { earlier: reusable }),
    instructions,
    replaceInstructions,
    tokens: budget.branchSummary,
    thinking: summary.thinking ?? clampThinking(session.branch.state.thinkingLevel),
    allowance: calculateAllowance(session.branch, budget.limits.hourly, { now: runtime.now() }),
    maxInputTokens: budget.branchInput,
    ...(budget.tools && { tools: budget.tools }),
    time: budget.limits.summaryTime,
    progress,
    signal,
  });
  const callEntries = outcome.calls.map(({ usage, by }) => createUsageEntry(BRANCH_USAGE, usage, by));
  if (outcome.type !== "summarized") {
    const usageEntries = [...hookUsageEntries, ...callEntries];
    return outcome.type === "failed"
      ? { type: "failed", failures: outcome.failures, usageEntries }
      : { ...outcome, usageEntries };
  }
  const { by, calls } = outcome;
  const branchSummary = redactBranchSummary(outcome.summary, session);
  const key = { ancestor: oldBranch.commonAncestorId, focus, story: branchSummary.narrative.length };
  return {
    type: "summarized",
    summary: toOldBranchSummary(branchSummary, {
      key,
      by: `${by.provider}/${by.model}`,
      usages: calls.map(({ usage }) => usage),
    }),
    usageEntries: hookUsageEntries,
    summaryUsageEntries: callEntries,
  };
}

type SummaryInstructions = Required<Pick<BranchSummaryOptions, "instructions" | "replaceInstructions">> &
  Pick<BranchSummaryKey, "focus">;

/** The instructions of hooks override those of the user. */
function resolveInstructions(hookResult: BeforeTreeOutcome, summary: BranchSummaryOptions): SummaryInstructions {
  const instructions = (hookResult.instructions ?? summary.instructions ?? "").trim();
  const replaceInstructions = hookResult.replaceInstructions ?? summary.replaceInstructions ?? false;
  return { instructions, replaceInstructions, focus: replaceInstructions ? `= ${instructions}` : instructions };
}

// The key stores the length of the narrative, so the narrative is redacted before it is measured.
function redactBranchSummary({ narrative, summary, details }: BranchSummary, redaction: Redaction): BranchSummary {
  const cleanNarrative = redaction.redact(narrative);
  return {
    narrative: cleanNarrative,
    summary: `${cleanNarrative}${redaction.redact(summary.slice(narrative.length))}`,
    details,
  };
}

function toOldBranchSummary(
  { summary, details }: BranchSummary,
  { key, by, usages }: { readonly key?: BranchSummaryKey; readonly by?: string; readonly usages: readonly Usage[] },
): OldBranchSummary {
  const { pith } = details as { readonly pith: object };
  return {
    summary,
    details: { ...details, pith: { ...pith, ...(key && { left: key }), ...(by && { by }) } },
    ...(usages.length > 0 && { usage: sumUsage(usages) }),
  };
}

// HOOK2: a hook's summary is checked against the log like a model's.
function checkHookSummary(
  oldBranch: OldBranch,
  { summary, details, usage }: HookSummary,
  options: SummarizeOldBranchOptions,
): OldBranchSummary | null {
  const { budget, hooks } = options;
  // BOUND4: the length is checked before the text is parsed.
  if (isFarTooLong(summary, budget.branchSummary)) {
    reportHookFailure(hooks ?? {}, {
      event: "session_before_tree",
      why: describeSizeLimit(summary, budget.branchSummary),
    });
    return null;
  }
  const { text: narrative } = checkSummary(summary.trim(), collectBranchEvidence(oldBranch), ANY_SHAPE);
  const tokens = textTokens(narrative);
  const why =
    narrative.trim() === ""
      ? "its summary is empty"
      : `its summary has ${tokens} tokens; the limit is ${budget.branchSummary}`;
  if (narrative.trim() === "" || tokens > budget.branchSummary) {
    reportHookFailure(hooks ?? {}, { event: "session_before_tree", why });
    return null;
  }
  const branchSummary = createBranchSummary(narrative, {
    oldBranch,
    tokens: budget.branchSummary,
    ...(budget.tools && { tools: budget.tools }),
  });
  const withHookDetails = { ...branchSummary, details: { ...details, ...branchSummary.details } };
  return { ...toOldBranchSummary(withHookDetails, { usages: usage ? [usage] : [] }), fromHook: true };
}
