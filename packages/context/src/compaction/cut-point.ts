/** Finds where the kept part of a branch begins, close to a token target. A tool call is never separated from its results. */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import { type ContextEditEntry, type Entry, isStateEntry } from "../entry.ts";
import { isToolResult } from "../session/append-rules.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";

export interface CutPoint {
  /** The index of the first kept entry. It equals the number of entries if nothing is kept. */
  readonly index: number;
  /** The index where the split turn begins; null if the cut is between turns. */
  readonly turnStartIndex: number | null;
}

export interface CutPointOptions {
  /** The target size of the kept part. */
  readonly keepTokens: number;
  readonly tokensOf: (entry: Entry) => number;
  readonly edits: readonly ContextEditEntry[];
}

/**
 * Finds where the kept part begins. Returns null if the entries have fewer tokens than the target, or if no cut is allowed. Reads
 * backwards from the end and stops once the target is exceeded.
 */
export function findCutPoint(entries: readonly Entry[], options: CutPointOptions): CutPoint | null {
  const candidates = findCutCandidates(entries, options);
  const { below, above } = candidates;
  if (!below || !candidates.hasEnough) return null;
  const isCloseEnough = ({ keptTokens }: CutCandidate): boolean =>
    keptTokens >= options.keepTokens * MIN_KEEP_SHARE && keptTokens <= options.keepTokens * MAX_KEEP_SHARE;
  // CUT1: prefers the target or slightly less, then slightly more, then the smaller candidate.
  const chosen = isCloseEnough(below) || !above || !isCloseEnough(above) ? below : above;
  return toCutPoint({ entries, edits: options.edits }, includeMetadata(entries, chosen.index));
}

/** Creates the cut point for a given index. */
export function toCutPoint({ entries, edits }: Pick<LoadedBranch, "entries" | "edits">, index: number): CutPoint {
  return { index, turnStartIndex: findSplitTurnStart(entries, index, edits) };
}

/** Returns whether a cut at this index separates no tool call from its results. */
export function isCutAllowed(entries: readonly Entry[], index: number, edits: readonly ContextEditEntry[]): boolean {
  const first = entries[index];
  if (first && isToolResult(first)) return false;
  for (const entry of entries.slice(index)) {
    if (!isVisibleToModel(entry, edits)) continue;
    if (isToolResult(entry)) return false;
    if (isAssistantEntry(entry)) return true;
  }
  return true;
}

/** Returns the last allowed cut at or before this index, so that a tool result is kept together with its call. */
export function findCutAtOrBefore(branch: Pick<LoadedBranch, "entries" | "edits">, index: number): CutPoint {
  let start = index;
  while (start > 0 && !isCutAllowed(branch.entries, start, branch.edits)) start--;
  return toCutPoint(branch, start);
}

/**
 * PREP8: moves a cut that would keep only the last reply of a turn behind this reply: to the next turn, or to the end if there is none yet.
 * The whole turn is covered then, and no turn is split.
 */
export function moveBehindLastReply(branch: Pick<LoadedBranch, "entries" | "edits">, cut: CutPoint): CutPoint {
  const { entries, edits } = branch;
  const isVisible = (entry: Entry): boolean => isVisibleToModel(entry, edits);
  const reply = entries.findIndex((entry, index) => index >= cut.index && isVisible(entry));
  const next = entries.findIndex((entry, index) => index > reply && isVisible(entry));
  const replyEntry = entries[reply];
  const nextEntry = entries[next];
  if (!replyEntry || !isLastReply(replyEntry) || (nextEntry && !startsTurn(nextEntry))) return cut;
  return toCutPoint(branch, includeMetadata(entries, nextEntry ? next : entries.length));
}

/** Returns whether a cut is allowed at an entry of the conversation after this index. */
export function hasCutAfter({ entries, edits }: Pick<LoadedBranch, "entries" | "edits">, index: number): boolean {
  return entries.some(
    (entry, at) =>
      at > index && isVisibleToModel(entry, edits) && !isStateEntry(entry) && isCutAllowed(entries, at, edits),
  );
}

/** The kept part should be between these shares of the target, if such a cut exists. */
const MIN_KEEP_SHARE = 0.5;
const MAX_KEEP_SHARE = 1.25;

interface CutCandidate {
  readonly index: number;
  readonly keptTokens: number;
}

/** The largest candidate that does not exceed the target, and the next larger one. */
interface CutCandidates {
  readonly below: CutCandidate | null;
  readonly above: CutCandidate | null;
  /** Whether the entries have at least the target number of tokens. */
  readonly hasEnough: boolean;
}

function findCutCandidates(entries: readonly Entry[], { keepTokens, tokensOf, edits }: CutPointOptions): CutCandidates {
  let keptTokens = 0;
  let below: CutCandidate | null = null;
  // Whether the call of a tool result has not been reached yet.
  let hasOpenResults = false;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as Entry;
    if (!isVisibleToModel(entry, edits)) continue;
    keptTokens += tokensOf(entry);
    hasOpenResults = isInsideExchange(entry, hasOpenResults);
    if (hasOpenResults) continue;
    const candidate = { index, keptTokens };
    if (keptTokens > keepTokens) return { below: below ?? candidate, above: below && candidate, hasEnough: true };
    below = candidate;
  }
  return { below, above: null, hasEnough: keptTokens >= keepTokens };
}

/** CUT2, for a walk backwards: returns whether a cut before this visible entry would separate a tool result from its call. */
export function isInsideExchange(entry: Entry, hasOpenResults: boolean): boolean {
  return isToolResult(entry) || (hasOpenResults && !isAssistantEntry(entry));
}

// CUT6: entries without content directly before the cut, such as labels and model changes, are kept. A compaction is not.
function includeMetadata(entries: readonly Entry[], index: number): number {
  let start = index;
  while (start > 0 && isMetadataEntry(entries[start - 1] as Entry)) start--;
  return start;
}

// CUT4: if the turn began before the first loaded entry, all covered entries belong to it.
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

/** Returns whether a turn begins with this entry: its content is not from the assistant or a tool. */
export function startsTurn(entry: Entry): boolean {
  if (isStateEntry(entry)) return false;
  if (entry.type === "custom_message" || entry.type === "branch_summary") return true;
  if (entry.type === "gap") return entry.kind === "user";
  return entry.type === "message" && ["user", "bashExecution", "custom"].includes(entry.message.role);
}

/** Returns whether the entry becomes a message of the request; system messages are merged separately, and failed replies are not sent. */
export function isVisibleToModel(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  if (entry.type === "compaction") return false;
  const message = entryMessage(entry, latestEdit(edits, entry));
  if (!message || message.role === "system") return false;
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "bashExecution" || !message.excludeFromContext;
}

function isAssistantEntry(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

/** A turn ends with a reply that calls no tool. */
function isLastReply(entry: Entry): boolean {
  if (entry.type !== "message" || entry.message.role !== "assistant") return false;
  return !entry.message.content.some(({ type }) => type === "toolCall");
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
