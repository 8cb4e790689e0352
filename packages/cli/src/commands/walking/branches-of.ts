/** How many branches a session has: places where somebody stopped, or stands. */

import type { Session } from "@pith/context";
import { drawTree } from "./draw-tree.ts";
import { treePart } from "./tree-part.ts";

/** Null where the session is too long to be looked at whole. */
export async function branchesOf({ store, leaf }: Pick<Session, "store" | "leaf">): Promise<number | null> {
  const part = await treePart({ end: leaf }, store);
  if (part.isCut) return null;
  const lines = drawTree(part, { labels: await store.labels(), leaf });
  return lines.length === 0 ? 0 : 1 + lines.filter(({ isSide }) => isSide).length;
}
