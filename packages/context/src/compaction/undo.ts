/** Undoes and redoes a compaction. Both only move the leaf, so no entry is lost. No automatic compaction runs right after an undo. */

import { latestEdit } from "../context/build-context.ts";
import { collectCalibration, entryTokens, findCalibration } from "../context/context-size.ts";
import { type Entry, MOVE_TYPE } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Session } from "../session/session.ts";
import type { AppendResult } from "../session/store.ts";
import type { Budget } from "./budget.ts";
import { readReceipt, recentCallCosts } from "./receipt.ts";

/** The result of an undo or a redo. */
export type UndoResult =
  | { readonly type: "undone" | "redone"; readonly leaf: string | null }
  | { readonly type: "nothing-to-do"; readonly why: "no-compaction" | "no-undo" }
  | { readonly type: "failed"; readonly appended: Exclude<AppendResult, { type: "appended" }> };

/** Moves the leaf to its position before the newest compaction. Later entries stay on a separate branch. */
export async function undoCompaction(session: Session): Promise<UndoResult> {
  const { branch, leaf } = session;
  const compaction = branch.entries[branch.compactionIndex];
  if (compaction?.type !== "compaction") return { type: "nothing-to-do", why: "no-compaction" };
  const undoTarget = readReceipt(compaction)?.undoTo;
  const target =
    typeof undoTarget === "string" && (await session.store.entry(undoTarget)) ? undoTarget : compaction.parentId;
  const callCosts = recentCallCosts(branch, Date.parse(compaction.timestamp));
  const data = { undoes: compaction.id, from: leaf, ...(callCosts.length > 0 && { spending: callCosts }) };
  return toUndoResult("undone", await session.move(target, { data, expectedLeaf: leaf }));
}

/** Moves the leaf back to its position before the last undo, unless another compaction has run since. */
export async function redoCompaction(session: Session): Promise<UndoResult> {
  const { entries, compactionIndex } = session.branch;
  const index = entries.findLastIndex(isUndo);
  const undo = entries[index];
  const from = index > compactionIndex && undo?.type === "custom" ? Object(undo.data).from : undefined;
  if (typeof from !== "string" || !(await session.store.entry(from))) return { type: "nothing-to-do", why: "no-undo" };
  return toUndoResult("redone", await session.move(from));
}

function toUndoResult(type: "undone" | "redone", appended: AppendResult): UndoResult {
  return appended.type === "appended" ? { type, leaf: appended.leaf } : { type: "failed", appended };
}

// UNDO2: prevents the same compaction from running again right after an undo.
export function isQuietAfterUndo(branch: LoadedBranch, budget: Budget): boolean {
  const undoIndex = branch.entries.findLastIndex(isUndo);
  if (undoIndex === -1 || undoIndex < branch.compactionIndex) return false;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const addedTokens = branch.entries
    .slice(undoIndex)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(branch.edits, entry), calibration), 0);
  return addedTokens < budget.shareBase * budget.limits.quietAfterUndo;
}

function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}
