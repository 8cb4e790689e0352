/** What a move would leave behind, and whether there is a move at all. */

import { collectEntriesForBranchSummary, type Entry, MOVE, type Session } from "@pith/context";
import { isSaidAnew } from "../../../commands/sessions/fork.ts";
import { sketchOf } from "../../../commands/walking/outlining/sketch.ts";

export interface LeftBehind {
  /** Entries that people see. */
  readonly count: number;
  /** One stands there already. */
  readonly isHere: boolean;
}

export async function leftBehind(target: Entry, { store, leaf }: Session): Promise<LeftBehind> {
  const place = isSaidAnew(target) ? target.parentId : target.id;
  const { entries, commonAncestorId } = await collectEntriesForBranchSummary(store, leaf, place);
  const isHere = !isSaidAnew(target) && commonAncestorId === place && entries.every(isBeside);
  return { count: entries.filter((entry) => sketchOf(entry).kind !== "other").length, isHere };
}

/** What is written beside a conversation: who stands behind it stands where it was written. */
function isBeside(entry: Entry): boolean {
  if (entry.type === "custom") return entry.customType === MOVE;
  return entry.type === "label" || entry.type === "session_info" || entry.type === "usage";
}
