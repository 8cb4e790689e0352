/** Moves the leaf to another entry and summarizes the old branch. Both are appended together or not at all. */

import type { Budget } from "../compaction/budget.ts";
import { isVisibleToModel } from "../compaction/cut-point.ts";
import { editableText } from "../context/attachments.ts";
import { entryMessage } from "../context/build-context.ts";
import { entryText } from "../context/entry-text.ts";
import { type BranchSummaryEntry, isEditableMessage, isMoveEntry, MOVE_TYPE } from "../entry.ts";
import { reportHookFailure } from "../hooks.ts";
import type { Runtime } from "../runtime.ts";
import type { BusyReason, NewEntry, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import type { OnProgress } from "../summary/ask-model.ts";
import type { SummaryFailure } from "../summary/generate-summary.ts";
import { collectEntriesForBranchSummary, type OldBranch } from "./generate-branch-summary.ts";
import { type BranchSummaryOptions, type SummarizeOldBranchResult, summarizeOldBranch } from "./old-branch-summary.ts";
import {
  type BeforeTreeOutcome,
  runAfterTreeHooks,
  runBeforeTreeHooks,
  type TreeHooks,
  type TreePreparation,
} from "./tree-hooks.ts";

export interface MoveToOptions {
  readonly session: Session;
  /** The id of the chosen entry; null moves to before the first entry. */
  readonly target: string | null;
  readonly budget: Budget;
  readonly runtime: Pick<Runtime, "sleep" | "nonce" | "now" | "entryId">;
  /** Without it the old branch is not summarized, unless a hook asks for a summary. */
  readonly summary?: BranchSummaryOptions;
  /** Used if a hook asks for a summary and `summary` is not set. */
  readonly summaryForHooks?: BranchSummaryOptions;
  readonly label?: string;
  readonly hooks?: TreeHooks;
  /** Receives progress events. */
  readonly progress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** The result of `moveTo`. */
export type MoveResult =
  | {
      readonly type: "moved";
      readonly leaf: string | null;
      /** The text of the chosen message, to be edited and sent again. */
      readonly editorText?: string;
      readonly summary?: BranchSummaryEntry;
    }
  | { readonly type: "nothing-to-do"; readonly why: "here" }
  /** Another operation is running at the leaf (B80). */
  | { readonly type: "refused"; readonly why: BusyReason }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "summary"; readonly failures: readonly SummaryFailure[] }
  | { readonly type: "failed"; readonly why: "leaf-moved" | Refusal };

/** Moves to another entry and summarizes the branch that is left; if the summary fails, the leaf does not move (B71). */
export async function moveTo(options: MoveToOptions): Promise<MoveResult> {
  const { session } = options;
  const [occupation] = session.busyReasons;
  if (occupation) return { type: "refused", why: occupation };
  const release = session.markBusy("moving");
  return runMove(options).finally(release);
}

async function runMove(options: MoveToOptions): Promise<MoveResult> {
  const { session, target, runtime, hooks = {}, label, signal } = options;
  const moveTarget = await resolveMoveTarget(session, target);
  if (moveTarget.isCurrent) return { type: "nothing-to-do", why: "here" };
  const { leaf } = session;
  const oldBranch = await collectEntriesForBranchSummary(session.store, leaf, moveTarget.leaf);
  const hookResult = await runBeforeTreeHooks(toTreePreparation(options, moveTarget, oldBranch), {
    hooks,
    runtime,
    signal,
  });
  if (!hookResult || signal?.aborted) return { type: "cancelled" };
  const summaryOptions = chooseSummaryOptions(options, hookResult);
  const summaryResult =
    // INV37: a branch without entries visible to the model gets no summary.
    summaryOptions && oldBranch.entries.some((entry) => isVisibleToModel(entry, oldBranch.edits))
      ? await summarizeOldBranch(oldBranch, { ...options, summary: summaryOptions, hookResult })
      : NO_SUMMARY;
  if (summaryResult.type !== "summarized" || signal?.aborted) {
    await appendUsage(session, summaryResult);
    return summaryResult.type === "failed"
      ? { type: "failed", why: "summary", failures: summaryResult.failures }
      : { type: "cancelled" };
  }
  const newEntries = createMoveEntries(summaryResult, {
    ...moveTarget,
    target,
    label: hookResult.label ?? label,
    runtime,
  });
  const outcome = await session.move(moveTarget.leaf, { expectedLeaf: leaf, newEntries });
  if (outcome.type !== "appended") {
    await appendUsage(session, summaryResult);
    return { type: "failed", why: outcome.type === "refused" ? outcome.why : outcome.type };
  }
  return finishMove(options, moveTarget, summaryResult.summary ? newEntries[0]?.id : undefined);
}

// BR5: the usage of a summary that is not appended is recorded.
async function appendUsage(session: Session, result: SummarizeOldBranchResult): Promise<void> {
  const summaryUsageEntries = result.type === "summarized" ? result.summaryUsageEntries : [];
  const entries = [...result.usageEntries, ...summaryUsageEntries];
  if (entries.length > 0) await session.append(...entries);
}

// HOOK8: a hook's `summarize` overrides the user's choice.
function chooseSummaryOptions(
  { summary, summaryForHooks, hooks = {} }: MoveToOptions,
  { summarize }: BeforeTreeOutcome,
) {
  if (summarize === undefined) return summary;
  if (summarize && !summary && !summaryForHooks)
    reportHookFailure(hooks, {
      event: "session_before_tree",
      why: "it requests a summary, but no model is available to write one",
    });
  return summarize ? (summary ?? summaryForHooks) : undefined;
}

function toTreePreparation(
  { target, summary, label }: MoveToOptions,
  { fromId }: MoveTarget,
  oldBranch: OldBranch,
): TreePreparation {
  return {
    targetId: target,
    oldLeafId: fromId,
    commonAncestorId: oldBranch.commonAncestorId,
    entriesToSummarize: oldBranch.entries.filter((entry) => !isMoveEntry(entry)),
    userWantsSummary: summary !== undefined,
    ...(summary?.instructions !== undefined && { customInstructions: summary.instructions }),
    ...(summary?.replaceInstructions !== undefined && { replaceInstructions: summary.replaceInstructions }),
    ...(label !== undefined && { label }),
  };
}

async function finishMove(
  options: MoveToOptions,
  { fromId, editorText }: MoveTarget,
  summaryId: string | undefined,
): Promise<MoveResult> {
  const { session, budget, runtime, hooks = {} } = options;
  const entry = summaryId === undefined ? undefined : await session.store.entry(summaryId);
  const summary = entry?.type === "branch_summary" ? entry : undefined;
  await runAfterTreeHooks(
    {
      newLeafId: session.leaf,
      oldLeafId: fromId,
      ...(summary && { summaryEntry: summary, fromExtension: summary.fromHook === true }),
    },
    { hooks, runtime, session, tokens: budget.checkpoint },
  );
  const { leaf } = session;
  return {
    type: "moved",
    leaf,
    ...(editorText !== undefined && { editorText }),
    ...(summary && { summary }),
  };
}

interface MoveTarget {
  /** The newest entry of the old branch that is not a move entry. */
  readonly fromId: string | null;
  readonly leaf: string | null;
  /** The text to put back into the editor. */
  readonly editorText?: string;
  readonly isCurrent: boolean;
}

// B63: a user message or custom message is sent again, so its parent becomes the leaf. Any other entry becomes the leaf itself.
async function resolveMoveTarget(session: Session, target: string | null): Promise<MoveTarget> {
  const entry = target === null ? undefined : await session.store.entry(target);
  if (target !== null && !entry) throw new Error(`cannot move to ${target}: it is not in this session`);
  const fromId = session.branch.entries.findLast((each) => !isMoveEntry(each))?.id ?? null;
  if (!entry || !isEditableMessage(entry)) return { fromId, leaf: target, isCurrent: target === fromId };
  const message = entryMessage(entry, undefined);
  const editorText = message?.role === "user" ? editableText(message.content) : entryText(entry);
  return { fromId, leaf: entry.parentId, editorText, isCurrent: false };
}

const NO_SUMMARY: SummarizeOldBranchResult = {
  type: "summarized",
  summary: null,
  usageEntries: [],
  summaryUsageEntries: [],
};

interface MoveEntriesOptions extends MoveTarget {
  readonly target: string | null;
  readonly label: string | undefined;
  readonly runtime: Pick<Runtime, "entryId">;
}

// MOVE3: a branch summary is a child of the new leaf. A label is set on the summary, or on the target if there is none.
function createMoveEntries(
  { summary, usageEntries }: Extract<SummarizeOldBranchResult, { type: "summarized" }>,
  { target, fromId, label, runtime }: MoveEntriesOptions,
): NewEntry[] {
  const id = runtime.entryId();
  const summaryEntries = summary ? [{ type: "branch_summary" as const, id, fromId: fromId ?? "root", ...summary }] : [];
  const targetId = summary ? id : target;
  const moveEntries =
    summary || (label !== undefined && targetId !== null) ? [] : [{ type: "custom" as const, customType: MOVE_TYPE }];
  const labelEntries = label !== undefined && targetId !== null ? [{ type: "label" as const, targetId, label }] : [];
  return [...summaryEntries, ...moveEntries, ...labelEntries, ...usageEntries];
}
