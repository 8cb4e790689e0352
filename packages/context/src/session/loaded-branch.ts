/** Maintains the loaded end of a branch: all that the context at its leaf needs, however long the history before it. */

import type { ContextEditEntry, Entry, GapEntry } from "../entry.ts";
import { type Carried, carriedBy, carry, nothingCarried } from "./state.ts";

export interface Window {
  /** Oldest first; the last is the leaf. */
  readonly entries: readonly Entry[];
  /** What holds at the leaf, wherever it was set. */
  readonly state: Carried;
  /** Whether `state` was looked for as far as need be. A file without our marks is opened before that is done; its first append is. */
  readonly settled: boolean;
  /** Where the newest compaction stands among the entries; -1 for none. */
  readonly compactionAt: number;
  /** Whether nothing lies before the first entry. */
  readonly reachesRoot: boolean;
  /** Places on it where entries were lost. */
  readonly gaps: readonly GapEntry[];
  /** Changes of what its entries give to the context. */
  readonly edits: readonly ContextEditEntry[];
}

/** The window of a session in which nothing was said yet. */
export const emptyWindow: Window = {
  entries: [],
  state: nothingCarried,
  settled: true,
  compactionAt: -1,
  reachesRoot: true,
  gaps: [],
  edits: [],
};

/** The window at the end of a branch that is given whole, from its root. */
export function windowOf(branch: readonly Entry[]): Window {
  return trimmed(branch, { state: branch.reduce(carry, nothingCarried), settled: true, reachesRoot: true });
}

/** The window after these entries were appended at its leaf. */
export function extended(window: Window, appended: readonly Entry[]): Window {
  const entries = window.entries.concat(appended);
  const state = appended.reduce(carry, window.state);
  if (appended.some((entry) => entry.type === "compaction")) return trimmed(entries, { ...window, state });
  const edits = appended.filter((entry) => entry.type === "context_edit");
  return { ...window, entries, state, edits: edits.length === 0 ? window.edits : [...window.edits, ...edits] };
}

/** Whether a compaction among these keeps what lies before the window, so that the window must be read anew. */
export function reachesBefore(window: Window, appended: readonly Entry[]): boolean {
  const loaded = (id: string): boolean =>
    [window.entries, appended].some((entries) => entries.some((entry) => entry.id === id));
  return appended.some((entry) => entry.type === "compaction" && !loaded(entry.firstKeptEntryId));
}

/** The window of a leaf, found by walking up from it; stops as soon as nothing further back matters. */
export function windowAt(leafToRoot: Iterable<Entry>, { settle = true }: { readonly settle?: boolean } = {}): Window {
  const upwards: Entry[] = [];
  let firstKept: string | null = null;
  let foundKept = false;
  let foundState = false;
  let reachesRoot = true;
  for (const entry of leafToRoot) {
    upwards.push(entry);
    if (entry.type === "compaction") firstKept ??= entry.firstKeptEntryId;
    foundKept ||= entry.id === firstKept;
    foundState ||= entry.type === "compaction" && carriedBy(entry) !== null;
    reachesRoot = entry.parentId === null;
    if (foundKept && (foundState || !settle)) break;
  }
  const branch = upwards.reverse();
  const state = branch.reduce(carry, nothingCarried);
  return trimmed(branch, { state, settled: foundState || reachesRoot, reachesRoot });
}

/** The same window with the state that entries before it set, given oldest first; those that set none may be left out. */
export function settledBy(window: Window, before: readonly Entry[]): Window {
  return { ...window, state: [...before, ...window.entries].reduce(carry, nothingCarried), settled: true };
}

/** The id of the last entry; null where there is none. */
export function leafOf(window: Window): string | null {
  return window.entries.at(-1)?.id ?? null;
}

// WIN1: what the newest compaction does not keep is not in the context; if it names nobody on the branch, it keeps nothing.
function trimmed(
  branch: readonly Entry[],
  { state, settled, reachesRoot }: Pick<Window, "state" | "settled" | "reachesRoot">,
): Window {
  const at = branch.findLastIndex((entry) => entry.type === "compaction");
  const start = at === -1 ? 0 : firstKeptAt(branch, at);
  const entries = start === 0 ? branch : branch.slice(start);
  return {
    entries,
    state,
    settled,
    compactionAt: at === -1 ? -1 : at - start,
    reachesRoot: reachesRoot && start === 0,
    gaps: entries.filter((entry) => entry.type === "gap"),
    edits: entries.filter((entry) => entry.type === "context_edit"),
  };
}

function firstKeptAt(branch: readonly Entry[], at: number): number {
  const compaction = branch[at];
  const kept = branch.findIndex(
    (entry) => compaction?.type === "compaction" && entry.id === compaction.firstKeptEntryId,
  );
  return kept === -1 || kept > at ? at : kept;
}
