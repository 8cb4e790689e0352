/** Finds where the kept part of a branch begins, close to a token target. A call is never separated from its results. */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import { type ContextEditEntry, type Entry, isStateEntry } from "../entry.ts";
import type { Window } from "../session/loaded-branch.ts";

export interface Cut {
  /** The first entry that is kept; as many as there are entries: nothing is. */
  readonly at: number;
  /** Where the turn begins that the cut parts; null where it falls between turns. */
  readonly turnAt: number | null;
}

export interface CutParts {
  /** Tokens to keep. */
  readonly keep: number;
  readonly tokensOf: (entry: Entry) => number;
  readonly edits: readonly ContextEditEntry[];
}

/**
 * Where the kept part begins; null where there is less than should be kept, or no place to cut. Walks no further back
 * than it keeps.
 */
export function findCutPoint(entries: readonly Entry[], parts: CutParts): Cut | null {
  const found = placesAround(entries, parts);
  const { below, above } = found;
  if (!below || !found.isFull) return null;
  const fits = ({ kept }: Place): boolean => kept >= parts.keep * LEAST && kept <= parts.keep * MOST;
  // CUT1: as much as should be kept or a little less; else a little more; else the smaller.
  const chosen = fits(below) || !above || !fits(above) ? below : above;
  return cutAt({ entries, edits: parts.edits }, withMetadata(entries, chosen.at));
}

/** The cut at this place, wherever it comes from. */
export function cutAt({ entries, edits }: Pick<Window, "entries" | "edits">, at: number): Cut {
  return { at, turnAt: splitTurn(entries, at, edits) };
}

/** Whether a cut here parts no call from its results. */
export function mayCutAt(entries: readonly Entry[], at: number, edits: readonly ContextEditEntry[]): boolean {
  const first = entries[at];
  if (first && isResult(first)) return false;
  for (const entry of entries.slice(at)) {
    if (!isShown(entry, edits)) continue;
    if (isResult(entry)) return false;
    if (isReply(entry)) return true;
  }
  return true;
}

/** What is kept lies between these shares of what should be, where exchanges allow it. */
const LEAST = 0.5;
const MOST = 1.25;

interface Place {
  readonly at: number;
  readonly kept: number;
}

/** The last place from which no more is kept than should be, and the first from which more is. */
interface Places {
  readonly below: Place | null;
  readonly above: Place | null;
  /** Whether there is as much as should be kept. */
  readonly isFull: boolean;
}

// CUT2: a call and its results are one; what stands between them goes with them.
function placesAround(entries: readonly Entry[], { keep, tokensOf, edits }: CutParts): Places {
  let kept = 0;
  let below: Place | null = null;
  // Whether results were met whose call lies further back.
  let isOpen = false;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry;
    if (!isShown(entry, edits)) continue;
    kept += tokensOf(entry);
    isOpen = isResult(entry) || (isOpen && !isReply(entry));
    if (isOpen) continue;
    const place = { at, kept };
    if (kept > keep) return { below: below ?? place, above: below && place, isFull: true };
    below = place;
  }
  return { below, above: null, isFull: kept >= keep };
}

// CUT6: labels and changes of the model right before the cut go with what is kept; a compaction does not.
function withMetadata(entries: readonly Entry[], at: number): number {
  let start = at;
  while (start > 0 && isMetadata(entries[start - 1] as Entry)) start--;
  return start;
}

// CUT4: a turn that began before the window has all that is covered in it.
function splitTurn(entries: readonly Entry[], at: number, edits: readonly ContextEditEntry[]): number | null {
  const first = entries.slice(at).find((entry) => isShown(entry, edits));
  if (!first || startsTurn(first)) return null;
  return Math.max(
    0,
    entries.findLastIndex((entry, index) => index < at && startsTurn(entry) && isShown(entry, edits)),
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
export function isShown(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  if (entry.type === "compaction") return false;
  const message = entryMessage(entry, latestEdit(edits, entry));
  if (!message || message.role === "system") return false;
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "bashExecution" || !message.excludeFromContext;
}

function isResult(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

function isReply(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

function isMetadata(entry: Entry): boolean {
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
