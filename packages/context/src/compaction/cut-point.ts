/** Finds where the kept part of a branch begins, close to a token target. A call is never separated from its results. */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import { type ContextEditEntry, type Entry, isStateEntry } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";

export interface CutPoint {
  /** The first entry that is kept; as many as there are entries: nothing is. */
  readonly index: number;
  /** Where the turn begins that the cut parts; null where it falls between turns. */
  readonly turnStartIndex: number | null;
}

export interface CutPointOptions {
  /** Tokens to keep. */
  readonly keepTokens: number;
  readonly tokensOf: (entry: Entry) => number;
  readonly edits: readonly ContextEditEntry[];
}

/**
 * Where the kept part begins; null where there is less than should be kept, or no place to cut. Walks no further back
 * than it keeps.
 */
export function findCutPoint(entries: readonly Entry[], options: CutPointOptions): CutPoint | null {
  const candidates = findCutCandidates(entries, options);
  const { below, above } = candidates;
  if (!below || !candidates.hasEnough) return null;
  const isCloseEnough = ({ keptTokens }: CutCandidate): boolean =>
    keptTokens >= options.keepTokens * MIN_KEEP_SHARE && keptTokens <= options.keepTokens * MAX_KEEP_SHARE;
  // CUT1: as much as should be kept or a little less; else a little more; else the smaller.
  const chosen = isCloseEnough(below) || !above || !isCloseEnough(above) ? below : above;
  return toCutPoint({ entries, edits: options.edits }, includeMetadata(entries, chosen.index));
}

/** The cut at this place, wherever it comes from. */
export function toCutPoint({ entries, edits }: Pick<LoadedBranch, "entries" | "edits">, index: number): CutPoint {
  return { index, turnStartIndex: findSplitTurnStart(entries, index, edits) };
}

/** Whether a cut here parts no call from its results. */
export function isCutAllowed(entries: readonly Entry[], index: number, edits: readonly ContextEditEntry[]): boolean {
  const first = entries[index];
  if (first && isToolResultEntry(first)) return false;
  for (const entry of entries.slice(index)) {
    if (!isVisibleToModel(entry, edits)) continue;
    if (isToolResultEntry(entry)) return false;
    if (isAssistantEntry(entry)) return true;
  }
  return true;
}

/** What is kept lies between these shares of what should be, where exchanges allow it. */
const MIN_KEEP_SHARE = 0.5;
const MAX_KEEP_SHARE = 1.25;

interface CutCandidate {
  readonly index: number;
  readonly keptTokens: number;
}

/** The last place from which no more is kept than should be, and the first from which more is. */
interface CutCandidates {
  readonly below: CutCandidate | null;
  readonly above: CutCandidate | null;
  /** Whether there is as much as should be kept. */
  readonly hasEnough: boolean;
}

// CUT2: a call and its results are one; what stands between them goes with them.
function findCutCandidates(entries: readonly Entry[], { keepTokens, tokensOf, edits }: CutPointOptions): CutCandidates {
  let keptTokens = 0;
  let below: CutCandidate | null = null;
  // Whether results were met whose call lies further back.
  let hasOpenResults = false;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as Entry;
    if (!isVisibleToModel(entry, edits)) continue;
    keptTokens += tokensOf(entry);
    hasOpenResults = isToolResultEntry(entry) || (hasOpenResults && !isAssistantEntry(entry));
    if (hasOpenResults) continue;
    const candidate = { index, keptTokens };
    if (keptTokens > keepTokens) return { below: below ?? candidate, above: below && candidate, hasEnough: true };
    below = candidate;
  }
  return { below, above: null, hasEnough: keptTokens >= keepTokens };
}

// CUT6: labels and changes of the model right before the cut go with what is kept; a compaction does not.
function includeMetadata(entries: readonly Entry[], index: number): number {
  let start = index;
  while (start > 0 && isMetadataEntry(entries[start - 1] as Entry)) start--;
  return start;
}

// CUT4: a turn that began before the window has all that is covered in it.
function findSplitTurnStart(
  entries: readonly Entry[],
  cutIndex: number,
  edits: readonly ContextEditEntry[],
): number | null {
  const first = entries.slice(cutIndex).find((entry) => isVisibleToModel(entry, edits));
  if (!first || startsTurn(first)) return null;
  return Math.max(
    0,
    entries.findLastIndex((entry, index) => index < cutIndex && startsTurn(entry) && isVisibleToModel(entry, edits)),
  );
}

/** Whether work begins with it: somebody else than the assistant speaks. */
export function startsTurn(entry: Entry): boolean {
  if (isStateEntry(entry)) return false;
  if (entry.type === "custom_message" || entry.type === "branch_summary") return true;
  if (entry.type === "gap") return entry.kind === "user";
  return entry.type === "message" && ["user", "bashExecution", "custom"].includes(entry.message.role);
}

/** Whether the model sees something of it, in its place: the system's words are folded, and a failed reply is not sent. */
export function isVisibleToModel(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  if (entry.type === "compaction") return false;
  const message = entryMessage(entry, latestEdit(edits, entry));
  if (!message || message.role === "system") return false;
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "bashExecution" || !message.excludeFromContext;
}

function isToolResultEntry(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

function isAssistantEntry(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

function isMetadataEntry(entry: Entry): boolean {
  switch (entry.type) {
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
      return true;
    default:
      return false;
  }
}
