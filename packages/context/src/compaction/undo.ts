/** Undoes and redoes a compaction, or a removal of outdated tool results. Both only move the leaf, so no entry is lost. No automatic compaction runs right after an undo. */

import { latestEdit } from "../context/build-context.ts";
import { findCalibration } from "../context/calibration.ts";
import { collectCalibration, entryTokens } from "../context/context-size.ts";
import { type Entry, isUndoEntry } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Session } from "../session/session.ts";
import type { AppendResult } from "../session/store.ts";
import type { Budget } from "./budget.ts";
import { readReceipt, recentCallCosts } from "./receipt.ts";

/** The type of the custom entry before the context edits that remove outdated tool results. An undo moves to its parent. */
export const REMOVAL_TYPE = "pith.elision";

/** The result of an undo or a redo. */
export type UndoResult =
  | {
      readonly type: "undone" | "redone";
      readonly leaf: string | null;
      /** A compaction, or a removal of outdated tool results, and its entry. */
      readonly change: "compaction" | "removal";
      readonly entryId: string;
    }
  | { readonly type: "nothing-to-do"; readonly why: "no-compaction" | "no-undo" }
  | { readonly type: "failed"; readonly appended: Exclude<AppendResult, { type: "appended" }> };

/** Moves the leaf to its position before the newest compaction or removal of outdated results. Later entries stay on a separate branch. */
export async function undoCompaction(session: Session): Promise<UndoResult> {
  const { branch, leaf } = session;
  const index = newestChangeIndex(branch);
  const entry = branch.entries[index];
  if (!entry) return { type: "nothing-to-do", why: "no-compaction" };
  const undoTarget = entry.type === "compaction" ? readReceipt(entry)?.undoTo : undefined;
  const target =
    typeof undoTarget === "string" && (await session.store.entry(undoTarget)) ? undoTarget : entry.parentId;
  const callCosts = recentCallCosts({ ...branch, compactionIndex: index }, Date.parse(entry.timestamp));
  const data = { undoes: entry.id, from: leaf, ...(callCosts.length > 0 && { spending: callCosts }) };
  return toUndoResult("undone", entry, await session.move(target, { data, expectedLeaf: leaf }));
}

/** Moves the leaf back to its position before the last undo, unless the context has been compacted, or has had results removed, since. */
export async function redoCompaction(session: Session): Promise<UndoResult> {
  const { branch, leaf } = session;
  const index = branch.entries.findLastIndex(isUndoEntry);
  const undo = branch.entries[index];
  const { from, undoes } = Object(index > newestChangeIndex(branch) && undo?.type === "custom" ? undo.data : null);
  const entry = typeof undoes === "string" ? await session.store.entry(undoes) : undefined;
  if (!entry || typeof from !== "string" || !(await session.store.entry(from)))
    return { type: "nothing-to-do", why: "no-undo" };
  return toUndoResult("redone", entry, await session.move(from, { expectedLeaf: leaf }));
}

/** The compaction or removal of outdated results that an undo would undo. */
export function findUndoableChange(branch: LoadedBranch): Entry | null {
  return branch.entries[newestChangeIndex(branch)] ?? null;
}

/** Finds the newest compaction or removal of outdated results; -1 if there is none. */
function newestChangeIndex({ entries, compactionIndex }: LoadedBranch): number {
  const index = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === REMOVAL_TYPE);
  return Math.max(index, compactionIndex);
}

function toUndoResult(type: "undone" | "redone", entry: Entry, appended: AppendResult): UndoResult {
  if (appended.type !== "appended") return { type: "failed", appended };
  const change = entry.type === "compaction" ? "compaction" : "removal";
  return { type, leaf: appended.leaf, change, entryId: entry.id };
}

// UNDO2: prevents the same compaction from running again right after an undo.
export function isQuietAfterUndo(branch: LoadedBranch, budget: Budget): boolean {
  const undoIndex = branch.entries.findLastIndex(isUndoEntry);
  if (undoIndex === -1 || undoIndex < branch.compactionIndex) return false;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const addedTokens = branch.entries
    .slice(undoIndex)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(branch.edits, entry), calibration), 0);
  return addedTokens < budget.shareBase * budget.limits.quietAfterUndo;
}
