/** Maintains the loaded end of a branch: all that the context at its leaf needs, however long the history before it. */

import type { ContextEditEntry, Entry, GapEntry } from "../entry.ts";
import { initialSessionState, reduceState, type SessionState, stateInCompaction } from "./state.ts";

export interface LoadedBranch {
  /** Oldest first; the last is the leaf. */
  readonly entries: readonly Entry[];
  /** What holds at the leaf, wherever it was set. */
  readonly state: SessionState;
  /** Whether `state` was looked for as far as need be. A file without our marks is opened before that is done; its first append is. */
  readonly isStateComplete: boolean;
  /** Where the newest compaction stands among the entries; -1 for none. */
  readonly compactionIndex: number;
  /** Whether nothing lies before the first entry. */
  readonly reachesRoot: boolean;
  /** Places on it where entries were lost. */
  readonly gaps: readonly GapEntry[];
  /** Changes of what its entries give to the context. */
  readonly edits: readonly ContextEditEntry[];
}

/** The window of a session in which nothing was said yet. */
export const emptyBranch: LoadedBranch = {
  entries: [],
  state: initialSessionState,
  isStateComplete: true,
  compactionIndex: -1,
  reachesRoot: true,
  gaps: [],
  edits: [],
};

/** The window at the end of a branch that is given whole, from its root. */
export function loadBranch(entries: readonly Entry[]): LoadedBranch {
  return trimToFirstKept(entries, {
    state: entries.reduce(reduceState, initialSessionState),
    isStateComplete: true,
    reachesRoot: true,
  });
}

/** The window after these entries were appended at its leaf. */
export function appendToBranch(branch: LoadedBranch, newEntries: readonly Entry[]): LoadedBranch {
  const entries = branch.entries.concat(newEntries);
  const state = newEntries.reduce(reduceState, branch.state);
  if (newEntries.some((entry) => entry.type === "compaction")) return trimToFirstKept(entries, { ...branch, state });
  const edits = newEntries.filter((entry) => entry.type === "context_edit");
  return { ...branch, entries, state, edits: edits.length === 0 ? branch.edits : [...branch.edits, ...edits] };
}

/** Whether a compaction among these keeps what lies before the window, so that the window must be read anew. */
export function needsReload(branch: LoadedBranch, newEntries: readonly Entry[]): boolean {
  const isLoaded = (id: string): boolean =>
    [branch.entries, newEntries].some((entries) => entries.some((entry) => entry.id === id));
  return newEntries.some((entry) => entry.type === "compaction" && !isLoaded(entry.firstKeptEntryId));
}

/** The window of a leaf, found by walking up from it; stops as soon as nothing further back matters. */
export function loadBranchFrom(
  leafToRoot: Iterable<Entry>,
  { requireState = true }: { readonly requireState?: boolean } = {},
): LoadedBranch {
  const leafFirst: Entry[] = [];
  let firstKeptId: string | null = null;
  let hasFirstKept = false;
  let hasState = false;
  let reachesRoot = true;
  for (const entry of leafToRoot) {
    leafFirst.push(entry);
    if (entry.type === "compaction") firstKeptId ??= entry.firstKeptEntryId;
    hasFirstKept ||= entry.id === firstKeptId;
    hasState ||= entry.type === "compaction" && stateInCompaction(entry) !== null;
    reachesRoot = entry.parentId === null;
    if (hasFirstKept && (hasState || !requireState)) break;
  }
  const entries = leafFirst.reverse();
  const state = entries.reduce(reduceState, initialSessionState);
  return trimToFirstKept(entries, { state, isStateComplete: hasState || reachesRoot, reachesRoot });
}

/** The same window with the state that entries before it set, given oldest first; those that set none may be left out. */
export function withEarlierState(branch: LoadedBranch, earlierEntries: readonly Entry[]): LoadedBranch {
  return {
    ...branch,
    state: [...earlierEntries, ...branch.entries].reduce(reduceState, initialSessionState),
    isStateComplete: true,
  };
}

/** The id of the last entry; null where there is none. */
export function branchLeaf(branch: LoadedBranch): string | null {
  return branch.entries.at(-1)?.id ?? null;
}

// WIN1: what the newest compaction does not keep is not in the context; if it names nobody on the branch, it keeps nothing.
function trimToFirstKept(
  allEntries: readonly Entry[],
  { state, isStateComplete, reachesRoot }: Pick<LoadedBranch, "state" | "isStateComplete" | "reachesRoot">,
): LoadedBranch {
  const compactionIndex = allEntries.findLastIndex((entry) => entry.type === "compaction");
  const start = compactionIndex === -1 ? 0 : findFirstKeptIndex(allEntries, compactionIndex);
  const entries = start === 0 ? allEntries : allEntries.slice(start);
  return {
    entries,
    state,
    isStateComplete,
    compactionIndex: compactionIndex === -1 ? -1 : compactionIndex - start,
    reachesRoot: reachesRoot && start === 0,
    gaps: entries.filter((entry) => entry.type === "gap"),
    edits: entries.filter((entry) => entry.type === "context_edit"),
  };
}

function findFirstKeptIndex(entries: readonly Entry[], compactionIndex: number): number {
  const compaction = entries[compactionIndex];
  const firstKeptIndex = entries.findIndex(
    (entry) => compaction?.type === "compaction" && entry.id === compaction.firstKeptEntryId,
  );
  return firstKeptIndex === -1 || firstKeptIndex > compactionIndex ? compactionIndex : firstKeptIndex;
}
