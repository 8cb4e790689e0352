/** Plans the removal of outdated tool results outside a compaction, as one batch of entries. It writes nothing. */

import { latestEdit } from "../context/build-context.ts";
import { findCalibration, type ModelCalibration } from "../context/calibration.ts";
import { collectCalibration, contextSize, entryTokens } from "../context/context-size.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { fileKey } from "../ledger/apply-touches.ts";
import { collectFinishedCalls } from "../ledger/outdated-results.ts";
import { appendToBranch, branchLeaf, type LoadedBranch } from "../session/loaded-branch.ts";
import type { NewEntry } from "../session/session.ts";
import { type Budget, findExceededLimit } from "./budget.ts";
import { countFreedTokens, planResultRemovals } from "./shrink-tail.ts";
import { isQuietAfterUndo, REMOVAL_TYPE } from "./undo.ts";

/** The removal of outdated tool results as one batch of entries, outside a compaction. */
export interface OutdatedRemovalPlan {
  readonly newEntries: readonly NewEntry[];
  /** The number of removed results. */
  readonly count: number;
  /** The tokens that the removal frees. */
  readonly tokens: number;
  /** Whether it frees so much that no compaction is needed. */
  readonly isEnough: boolean;
}

/** Plans the removal of outdated tool results; null if there are too few, the setting is off, or the user has just undone a removal. */
export function planOutdatedRemoval(branch: LoadedBranch, budget: Budget): OutdatedRemovalPlan | null {
  const { enabled, outdated } = budget.limits;
  // ELI5: `off` stops every automatic change of the context.
  if (!enabled || !outdated.enabled || isQuietAfterUndo(branch, budget)) return null;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const tail = findTail(branch, budget, calibration);
  const isWorkedOn = createPathLookup(branch.entries.slice(tail), branch.edits);
  const recentIds = new Set(branch.entries.slice(tail).map(({ id }) => id));
  const removals = planResultRemovals(branch.entries, {
    branch,
    edits: branch.edits,
    calibration,
    // ELI3: nothing else shows the rest of an edited file, so its text stays while the file is worked on.
    acceptsEdited: ({ entry, path }) => !recentIds.has(entry.id) && path !== null && !isWorkedOn(path),
  });
  const tokens = countFreedTokens(removals, branch, calibration);
  const { tokens: minTokens, share } = outdated.minimum;
  if (removals.length === 0 || tokens < Math.min(minTokens, budget.shareBase * share)) return null;
  const data = { removed: removals.length, tokens };
  const newEntries: readonly NewEntry[] = [{ type: "custom", customType: REMOVAL_TYPE, data }, ...removals];
  // ELI6
  const isEnough =
    tokens >= budget.shareBase * outdated.insteadOfCompaction && fitsAfter(newEntries, { branch, budget });
  return { newEntries, count: removals.length, tokens, isEnough };
}

function fitsAfter(
  newEntries: readonly NewEntry[],
  { branch, budget }: { readonly branch: LoadedBranch; readonly budget: Budget },
): boolean {
  const sizeAfter = contextSize(appendToBranch(branch, toTrialEntries(newEntries, branch)), budget);
  return findExceededLimit(sizeAfter, budget) === null;
}

/** Returns the index where the newest tokens begin, as many as a compaction keeps. */
function findTail({ entries, edits }: LoadedBranch, budget: Budget, calibration: ModelCalibration): number {
  let tokens = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry) tokens += entryTokens(entry, latestEdit(edits, entry), calibration);
    if (tokens >= budget.tail) return index;
  }
  return 0;
}

function createPathLookup(entries: readonly Entry[], edits: readonly ContextEditEntry[]): (path: string) => boolean {
  const files = collectFinishedCalls(entries, edits).flatMap(({ readPath, writePath, editPath }) => {
    const path = readPath ?? writePath ?? editPath;
    return path === null ? [] : [fileKey(path)];
  });
  const keys = new Set(files);
  return (path) => keys.has(fileKey(path));
}

function toTrialEntries(newEntries: readonly NewEntry[], branch: LoadedBranch): readonly Entry[] {
  return newEntries.map(
    (entry, index) => ({ id: `trial-${index}`, ...entry, parentId: branchLeaf(branch), timestamp: "" }) as Entry,
  );
}
