/** What a move leaves behind: all that the model saw from where two branches part to the leaf that is left. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { Store } from "../session/store.ts";
import type { Window } from "../session/window.ts";

export interface LeftBranch {
  /** Oldest first, each once; a compaction stands before what it kept. */
  readonly entries: readonly Entry[];
  /** Where the branches part; null where they have nothing in common. */
  readonly commonAncestorId: string | null;
  /** Changes of what these entries give to the context. */
  readonly edits: readonly ContextEditEntry[];
}

/**
 * What a move leaves behind; nothing where the target lies further along the same branch. Costs the context at the old
 * leaf, never the history before it.
 */
export async function collectEntriesForBranchSummary(
  store: Store,
  oldLeafId: string | null,
  targetId: string | null,
): Promise<LeftBranch> {
  const commonAncestorId = await store.commonAncestor(oldLeafId, targetId);
  if (commonAncestorId === oldLeafId) return { entries: [], commonAncestorId, edits: [] };
  const window = await store.window(oldLeafId);
  const entries = seenSince(window, commonAncestorId);
  const ids = new Set(entries.map(({ id }) => id));
  return { entries, commonAncestorId, edits: window.edits.filter((edit) => ids.has(edit.targetId)) };
}

// BR1: what the newest compaction covers is told by its summary alone. Where both branches share all of that, it is not left.
function seenSince({ entries, compactionAt }: Window, ancestorId: string | null): readonly Entry[] {
  const start = entries.findIndex(({ id }) => id === ancestorId) + 1;
  const said = entries.slice(start).filter(({ type }) => type !== "compaction");
  const compaction = entries[compactionAt];
  const isShared = start > 0 || entries[0]?.parentId === ancestorId;
  return compaction && !isShared ? [compaction, ...said] : said;
}
