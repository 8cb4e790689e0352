/** The edit that decides what an entry gives to the context: of several the latest (CTX3). */

import type { ContextEditEntry, Entry } from "../entry.ts";

export function latestEdit(
  edits: readonly ContextEditEntry[],
  { id }: Pick<Entry, "id">,
): ContextEditEntry | undefined {
  return edits.length === 0 ? undefined : byTarget(edits).get(id);
}

// A window's list of edits is never changed, so it is gone through once.
function byTarget(edits: readonly ContextEditEntry[]): ReadonlyMap<string, ContextEditEntry> {
  const known = maps.get(edits);
  if (known) return known;
  const map = new Map(edits.map((edit) => [edit.targetId, edit]));
  maps.set(edits, map);
  return map;
}

const maps = new WeakMap<readonly ContextEditEntry[], ReadonlyMap<string, ContextEditEntry>>();
