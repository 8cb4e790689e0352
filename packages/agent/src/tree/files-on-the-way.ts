/** What a move in the tree would do to the files that the session changed; nothing is touched. */

import type { Entry, Session } from "@pith/context";
import { type PlannedFile, planRewind, type RewindParts } from "../rewind/plan-rewind.ts";
import type { Crossing } from "../rewind/wanted-files.ts";

export async function filesOnTheWay(
  target: string | null,
  { store, leaf }: Session,
  rewind: RewindParts,
): Promise<readonly PlannedFile[]> {
  const parting = await store.commonAncestor(leaf, target);
  const [left, reached] = [await stretch(leaf, parting, store), await stretch(target, parting, store)];
  const crossing: Crossing = { left, reached };
  return planRewind(crossing, rewind);
}

/** Behind the first to the last, and nothing of what lies before: a session may be long. */
async function stretch(last: string | null, first: string | null, store: Session["store"]): Promise<readonly Entry[]> {
  const upwards: Entry[] = [];
  for (let id = last; id !== null && id !== first; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    upwards.push(entry);
    id = entry.parentId;
  }
  return upwards.reverse();
}
