/** Maintains the loaded end of a branch: the entries that the context at its leaf needs, without the history before them. */

import type { ContextEditEntry, Entry, GapEntry } from "../entry.ts";
import { initialSessionState, reduceState, type SessionState, stateInCompaction } from "./state.ts";

/** The loaded end of a branch. */
export interface LoadedBranch {
  /** Oldest first; the last is the leaf. */
  readonly entries: readonly Entry[];
  /** The state at the leaf, including what earlier entries set. */
  readonly state: SessionState;
  /** Whether `state` includes all earlier entries. A session file from pi is opened without them; the first append loads them. */
  readonly isStateComplete: boolean;
  /** The index of the newest compaction in `entries`; -1 for none. */
  readonly compactionIndex: number;
  /** Whether the first entry is a root. */
  readonly reachesRoot: boolean;
  /** The gaps among the entries, where lines were lost. */
  readonly gaps: readonly GapEntry[];
  /** The context edits among the entries. */
  readonly edits: readonly ContextEditEntry[];
}

/** Loads a branch from all of its entries, root first. */
export function loadBranch(entries: readonly Entry[]): LoadedBranch {
  return trimToFirstKept(entries, {
    state: entries.reduce(reduceState, initialSessionState),
    isStateComplete: true,
    reachesRoot: true,
  });
}

/** Returns the branch after an append at its leaf. */
export function appendToBranch(branch: LoadedBranch, newEntries: readonly Entry[]): LoadedBranch {
  const entries = branch.entries.concat(newEntries);
  const state = newEntries.reduce(reduceState, branch.state);
  if (newEntries.some((entry) => entry.type === "compaction")) return trimToFirstKept(entries, { ...branch, state });
  const edits = newEntries.filter((entry) => entry.type === "context_edit");
  return { ...branch, entries, state, edits: edits.length === 0 ? branch.edits : [...branch.edits, ...edits] };
}

/** Whether a new compaction keeps entries that are not loaded, so that the branch must be loaded again. */
export function needsReload(branch: LoadedBranch, newEntries: readonly Entry[]): boolean {
  const isLoaded = (id: string): boolean =>
    [branch.entries, newEntries].some((entries) => entries.some((entry) => entry.id === id));
  return newEntries.some((entry) => entry.type === "compaction" && !isLoaded(entry.firstKeptEntryId));
}

/** Loads a branch by reading entries from the leaf to the root. Stops when no earlier entry is needed. */
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

/** Completes the state of a branch with earlier entries, oldest first. Entries that set no state may be omitted. */
export function withEarlierState(branch: LoadedBranch, earlierEntries: readonly Entry[]): LoadedBranch {
  return {
    ...branch,
    state: [...earlierEntries, ...branch.entries].reduce(reduceState, initialSessionState),
    isStateComplete: true,
  };
}

/** Returns the id of the last entry, or null. */
export function branchLeaf(branch: LoadedBranch): string | null {
  return branch.entries.at(-1)?.id ?? null;
}

// WIN1: entries that the newest compaction does not keep are not in the context. If its first kept entry is not on the branch, it keeps none.
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
