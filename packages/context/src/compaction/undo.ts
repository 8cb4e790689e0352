/** Undo and redo of a compaction: both only move the leaf, so each is one step and nothing is lost. */

import type { Session } from "../session/session.ts";
import type { Appended } from "../session/store.ts";
import { isUndo } from "./due.ts";

export type Undone =
  | { readonly type: "undone" | "redone"; readonly leaf: string | null }
  | { readonly type: "nothing-to-do"; readonly why: "no-compaction" | "no-undo" }
  | { readonly type: "failed"; readonly appended: Exclude<Appended, { type: "appended" }> };

/** Goes to where the branch stood before its newest compaction. What was said since stays on a branch of its own. */
export async function undoCompaction(session: Session): Promise<Undone> {
  const { entries, compactionAt } = session.window;
  const compaction = entries[compactionAt];
  if (!compaction) return { type: "nothing-to-do", why: "no-compaction" };
  const from = session.leaf;
  return moved("undone", await session.move(compaction.parentId, { undoes: compaction.id, from }));
}

/** Goes back to where the last undo on this branch came from. */
export async function redoCompaction(session: Session): Promise<Undone> {
  const undo = session.window.entries.findLast(isUndo);
  const from = undo?.type === "custom" ? (undo.data as { readonly from?: unknown }).from : undefined;
  if (typeof from !== "string" || !(await session.store.entry(from))) return { type: "nothing-to-do", why: "no-undo" };
  return moved("redone", await session.move(from));
}

function moved(type: "undone" | "redone", appended: Appended): Undone {
  return appended.type === "appended" ? { type, leaf: appended.leaf } : { type: "failed", appended };
}
