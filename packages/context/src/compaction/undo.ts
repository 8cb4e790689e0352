/** Undoes and redoes a compaction. Both only move the leaf, so nothing is lost. */

import type { Session } from "../session/session.ts";
import type { AppendResult } from "../session/store.ts";
import { readReceipt, recentCallCosts } from "./receipt.ts";
import { isUndo } from "./should-compact.ts";

/** The result of an undo or a redo. */
export type UndoResult =
  | { readonly type: "undone" | "redone"; readonly leaf: string | null }
  | { readonly type: "nothing-to-do"; readonly why: "no-compaction" | "no-undo" }
  | { readonly type: "failed"; readonly appended: Exclude<AppendResult, { type: "appended" }> };

/** Goes to where the branch stood before its newest compaction. What was said since stays on a branch of its own. */
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

/** Goes back to where the last undo on this branch came from, unless another compaction has come since. */
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
