/** Plans which outdated tool results are removed from the context: a line that explains it takes the place of each. It writes nothing. */

import { latestEdit } from "../context/build-context.ts";
import {
  assistantReply,
  collectCalibration,
  contextSize,
  entryTokens,
  findCalibration,
  type ModelCalibration,
} from "../context/context-size.ts";
import { readLoadedSkill } from "../context/loaded-skills.ts";
import type { Reduction } from "../context/shrink-entry.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import {
  collectFinishedCalls,
  fileKey,
  findStaleResults,
  type StaleReason,
  type StaleResult,
} from "../ledger/stale-results.ts";
import { appendToBranch, branchLeaf, type LoadedBranch } from "../session/loaded-branch.ts";
import type { NewEntry } from "../session/session.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { type Budget, findExceededLimit } from "./budget.ts";
import { ELISION_TYPE, isQuietAfterUndo } from "./undo.ts";

/** The removal of outdated tool results as one batch of entries, outside a compaction. */
export interface ElisionPlan {
  readonly newEntries: readonly NewEntry[];
  /** The number of removed results. */
  readonly count: number;
  /** The tokens that the removal frees. */
  readonly tokens: number;
  /** Whether it frees so much that no compaction is needed. */
  readonly isEnough: boolean;
}

/** Plans the removal of outdated tool results; null if there are too few, the setting is off, or the user has just undone one. */
export function planElision(branch: LoadedBranch, budget: Budget): ElisionPlan | null {
  const { enabled, outdated } = budget.limits;
  // ELI5: `off` stops every automatic change of the context.
  if (!enabled || !outdated.enabled || isQuietAfterUndo(branch, budget)) return null;
  const calibration = findCalibration(collectCalibration(branch), budget.model);
  const tail = findTail(branch, budget, calibration);
  const isWorkedOn = createPathLookup(branch.entries.slice(tail), branch.edits);
  const recentIds = new Set(branch.entries.slice(tail).map(({ id }) => id));
  const elisions = elideStaleResults(branch.entries, {
    branch,
    edits: branch.edits,
    calibration,
    // ELI3: nothing else shows the rest of an edited file, so its text stays while the file is worked on.
    acceptsEdited: ({ entry, path }) => !recentIds.has(entry.id) && path !== null && !isWorkedOn(path),
  });
  const tokens = countFreedTokens(elisions, branch, calibration);
  const { tokens: minTokens, share } = outdated.minimum;
  if (elisions.length === 0 || tokens < Math.min(minTokens, budget.shareBase * share)) return null;
  const data = { removed: elisions.length, tokens };
  const newEntries: readonly NewEntry[] = [{ type: "custom", customType: ELISION_TYPE, data }, ...elisions];
  const sizeAfter = contextSize(appendToBranch(branch, toTrialEntries(newEntries, branch)), budget);
  // ELI6
  const isEnough =
    tokens >= budget.shareBase * outdated.insteadOfCompaction && findExceededLimit(sizeAfter, budget) === null;
  return { newEntries, count: elisions.length, tokens, isEnough };
}

export interface ElideOptions {
  readonly branch: LoadedBranch;
  /** The edits of the branch, and those that are planned. */
  readonly edits: readonly ContextEditEntry[];
  readonly calibration: ModelCalibration;
  /** Whether a read of a file that was edited since may be removed. Default: no. */
  readonly acceptsEdited?: (stale: StaleResult) => boolean;
}

/** Plans a context edit for each outdated result among the entries, oldest first. */
export function elideStaleResults(entries: readonly Entry[], options: ElideOptions): readonly Reduction[] {
  const { branch, edits, calibration, acceptsEdited = () => false } = options;
  const pinnedIds = new Set(branch.state.pins.map(({ entryId }) => entryId));
  const newestIds = new Set(entries.slice(entries.findLastIndex(assistantReply)).map(({ id }) => id));
  const accepts = (stale: StaleResult): boolean => {
    const { entry, why } = stale;
    if (newestIds.has(entry.id) || pinnedIds.has(entry.id) || readLoadedSkill(entry)) return false;
    if (entryTokens(entry, undefined, calibration) < MIN_STALE_TOKENS) return false;
    return why !== "edited" || acceptsEdited(stale);
  };
  return findStaleResults(entries, { edits, accepts }).map((stale) => ({
    type: "context_edit",
    targetId: stale.entry.id,
    replacement: { content: [{ type: "text", text: describeRemoval(stale) }] },
    pith: { reduced: true, outdated: true },
  }));
}

/** A smaller result costs about as much as the line that would replace it. */
const MIN_STALE_TOKENS = 200;

/** Returns the tokens that planned removals free. */
export function countFreedTokens(
  elisions: readonly Reduction[],
  { entries }: Pick<LoadedBranch, "entries">,
  calibration: ModelCalibration,
): number {
  const entriesById = new Map(entries.map((entry) => [entry.id, entry]));
  return elisions.reduce((sum, elision) => {
    const entry = entriesById.get(elision.targetId);
    if (!entry) return sum;
    const sizes = [undefined, elision as ContextEditEntry].map((edit) => entryTokens(entry, edit, calibration));
    return sum + (sizes[0] ?? 0) - (sizes[1] ?? 0);
  }, 0);
}

/** The line that the model reads in place of the result. */
function describeRemoval({ entry, why, path, result }: StaleResult): string {
  const what =
    path === null ? `the output of ${sanitizeLine(result.toolName, 80)}` : sanitizeLine(path, MAX_PATH_CHARS);
  return `[Removed to save space: ${what}, as shown here. ${removalReasons[why]} To see the removed text, read ${entryReference(entry)}.]`;
}

const removalReasons: Readonly<Record<StaleReason, string>> = {
  "read-again": "The file was read again later in this conversation; use that text.",
  written: "The whole file was written later in this conversation; use that text.",
  edited:
    "The file has been edited since, so this text is out of date. Read the file again before you rely on it or edit it.",
  repeated: "A later result in this conversation has exactly the same text.",
  "listed-again": "The same listing was made again later in this conversation; use that one.",
};

const MAX_PATH_CHARS = 300;

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
