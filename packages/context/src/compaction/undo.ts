/** Undoes and redoes a compaction. Both only move the leaf, so nothing is lost. */

import type { Session } from "../session/session.ts";
import type { Appended } from "../session/store.ts";
import { receiptOf, spentLately } from "./receipt.ts";
import { isUndo } from "./should-compact.ts";

export type Undone =
  | { readonly type: "undone" | "redone"; readonly leaf: string | null }
  | { readonly type: "nothing-to-do"; readonly why: "no-compaction" | "no-undo" }
  | { readonly type: "failed"; readonly appended: Exclude<Appended, { type: "appended" }> };

/** Goes to where the branch stood before its newest compaction. What was said since stays on a branch of its own. */
export async function undoCompaction(session: Session): Promise<Undone> {
  const { window, leaf } = session;
  const compaction = window.entries[window.compactionAt];
  if (compaction?.type !== "compaction") return { type: "nothing-to-do", why: "no-compaction" };
  const told = receiptOf(compaction)?.undoTo;
  const target = typeof told === "string" && (await session.store.entry(told)) ? told : compaction.parentId;
  const spending = spentLately(window, Date.parse(compaction.timestamp));
  const data = { undoes: compaction.id, from: leaf, ...(spending.length > 0 && { spending }) };
  return moved("undone", await session.move(target, { data, expectedLeaf: leaf }));
}

/** Goes back to where the last undo on this branch came from, unless another compaction has come since. */
export async function redoCompaction(session: Session): Promise<Undone> {
  const { entries, compactionAt } = session.window;
  const at = entries.findLastIndex(isUndo);
  const undo = entries[at];
  const from = at > compactionAt && undo?.type === "custom" ? Object(undo.data).from : undefined;
  if (typeof from !== "string" || !(await session.store.entry(from))) return { type: "nothing-to-do", why: "no-undo" };
  return moved("redone", await session.move(from));
}

function moved(type: "undone" | "redone", appended: Appended): Undone {
  return appended.type === "appended" ? { type, leaf: appended.leaf } : { type: "failed", appended };
}
