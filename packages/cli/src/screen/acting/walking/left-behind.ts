/** What a move would leave behind, and whether there is a move at all; from what is loaded already, so that nobody waits for it. */

import { type Entry, MOVE, type Session } from "@pith/context";
import { isSaidAnew } from "../../../commands/sessions/fork.ts";
import { isSeen } from "../../../commands/walking/outlining/sketch-kind.ts";

export interface LeftBehind {
  /** Entries that people see; of what a compaction covers none. */
  readonly count: number;
  /** One stands there already. */
  readonly isHere: boolean;
}

export async function leftBehind(target: Entry, { store, leaf, window }: Session): Promise<LeftBehind> {
  const place = isSaidAnew(target) ? target.parentId : target.id;
  const parting = await store.commonAncestor(leaf, place);
  const left = window.entries.slice(window.entries.findIndex(({ id }) => id === parting) + 1);
  const entries = parting === leaf ? [] : left;
  const isHere = !isSaidAnew(target) && parting === place && entries.every(isBeside);
  return { count: entries.filter(isSeen).length, isHere };
}

/** What is written beside a conversation: who stands behind it stands where it was written. */
function isBeside(entry: Entry): boolean {
  if (entry.type === "custom") return entry.customType === MOVE;
  return entry.type === "label" || entry.type === "session_info" || entry.type === "usage";
}
