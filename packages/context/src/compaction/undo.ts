/** Undoes and redoes a compaction. Both only move the leaf, so no entry is lost. */

import type { Session } from "../session/session.ts";
import type { AppendResult } from "../session/store.ts";
import { readReceipt, recentCallCosts } from "./receipt.ts";
import { isUndo } from "./should-compact.ts";

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
