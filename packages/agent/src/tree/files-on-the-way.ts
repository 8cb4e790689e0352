/** What a move in the tree would do to the files that the session changed; nothing is touched. */

import type { Entry, Session } from "@pith/context";
import { type PlannedFile, planRewind, type RewindParts } from "../rewind/plan-rewind.ts";
import type { Crossing } from "../rewind/wanted-files.ts";

export async function filesOnTheWay(
  target: string | null,
  session: Session,
  rewind: RewindParts,
): Promise<readonly PlannedFile[]> {
  const { store, leaf } = session;
  const parting = await store.commonAncestor(leaf, target);
  const left = loaded(session, parting) ?? (await stretch(leaf, parting, store));
  const crossing: Crossing = { left, reached: await stretch(target, parting, store) };
  return planRewind(crossing, rewind);
}

/** Behind this entry to the leaf, from what is loaded already; null where that does not reach so far. */
function loaded({ window: { entries }, leaf }: Session, first: string | null): readonly Entry[] | null {
  const upwards: Entry[] = [];
  let wanted = leaf;
  for (let at = entries.length - 1; at >= 0 && wanted !== first; at--) {
    const entry = entries[at];
    // Where something was lost they do not follow each other.
    if (entry?.id !== wanted) return null;
    upwards.push(entry);
    wanted = entry.parentId;
  }
  return wanted === first ? upwards.reverse() : null;
}

/** Behind the first to the last, and nothing of what lies before: a session may be long. */
async function stretch(last: string | null, first: string | null, store: Session["store"]): Promise<readonly Entry[]> {
  const upwards: Entry[] = [];
  for (let id = last; id !== null && id !== first; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    upwards.push(entry);
    id = entry.parentId;
    // Others work in between.
    if (upwards.length % BREATH === 0) await new Promise(setImmediate);
  }
  return upwards.reverse();
}

const BREATH = 100;
