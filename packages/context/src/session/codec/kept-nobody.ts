/** Which compactions name an entry that is not before them on their branch: one walk over the tree, whatever its shape. */

import type { Entry } from "../../entry.ts";
import { type Tree, treeOf } from "../tree.ts";

/** The ids of those compactions. */
export function keptNobody(entries: readonly Entry[]): ReadonlySet<string> {
  const misled = new Set<string>();
  if (!entries.some((entry) => entry.type === "compaction")) return misled;
  const above = new Set<string>();
  for (const { entry, entered } of walk(treeOf(entries))) {
    if (!entered) above.delete(entry.id);
    else above.add(entry.id);
    if (entered && entry.type === "compaction" && !above.has(entry.firstKeptEntryId)) misled.add(entry.id);
  }
  return misled;
}

interface Step {
  readonly entry: Entry;
  readonly entered: boolean;
}

// A list of steps instead of recursion: a branch may be longer than the stack is deep.
function* walk({ children }: Tree): Generator<Step> {
  const ahead: Step[] = [];
  const enter = (entry: Entry): number => ahead.push({ entry, entered: true });
  children.get(null)?.forEach(enter);
  for (let step = ahead.pop(); step; step = ahead.pop()) {
    yield step;
    if (!step.entered) continue;
    ahead.push({ entry: step.entry, entered: false });
    children.get(step.entry.id)?.forEach(enter);
  }
}
