/** Where one stands in the tree of a session, in a few words; null where it has but one branch. Read piece by piece, so that nobody waits. */

import type { Session } from "@pith/context";
import { growOutline } from "../../../commands/walking/outlining/grow-outline.ts";
import { emptyOutline, grown, type Outline } from "../../../commands/walking/outlining/outline.ts";

export async function placeInTree({ store, leaf, window }: Session): Promise<string | null> {
  let outline = emptyOutline(leaf);
  for await (const growth of growOutline({ store, leaf, near: window.entries, most: MOST }))
    outline = grown(outline, growth);
  return placeIn(outline);
}

/** Of a longer session only so many entries are looked at. */
const MOST = 5_000;

/** A branch ends with something that was said or done behind which nothing of that kind follows. */
function placeIn(outline: Outline): string | null {
  const spoken = [...outline.nodes.values()].filter(({ kind }) => kind !== "other");
  const followed = new Set(spoken.map(({ parentId }) => spokenAt(outline, parentId)));
  const branches = spoken.filter(({ id }) => !followed.has(id)).length;
  if (branches < 2) return null;
  const isAtEnd = !followed.has(spokenAt(outline, outline.leaf));
  return `${isAtEnd ? "" : "between "}${branches}${outline.reach === "cut" ? "+" : ""} branches`;
}

/** This entry, or the nearest before it that is something to people. */
function spokenAt({ nodes }: Outline, from: string | null): string | null {
  let id = from;
  for (let node = nodes.get(id ?? ""); node?.kind === "other"; node = nodes.get(id ?? "")) id = node.parentId;
  return id;
}
