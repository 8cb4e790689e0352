/** What a move in the tree would do to the files that the session changed; nothing is touched. */

import type { Session } from "@pith/context";
import { type PlannedFile, planRewind, type RewindParts } from "../rewind/plan-rewind.ts";
import type { Crossing } from "../rewind/wanted-files.ts";

export async function filesOnTheWay(
  target: string | null,
  { store, leaf }: Session,
  rewind: RewindParts,
): Promise<readonly PlannedFile[]> {
  const [from, to] = [await store.branch(leaf), await store.branch(target)];
  const parting = to.findIndex(({ id }, at) => from[at]?.id !== id);
  const shared = parting === -1 ? to.length : parting;
  const crossing: Crossing = { left: from.slice(shared), reached: to.slice(shared) };
  return planRewind(crossing, rewind);
}
