/** What is remembered of a branch that was left before: it is told once, and then only what came since. */

import type { BranchSummaryEntry, Entry } from "../entry.ts";
import type { Store } from "../session/store.ts";
import type { LeftBranch } from "./collect-entries.ts";

export interface Remembered {
  readonly entry: BranchSummaryEntry;
  readonly story: string;
  /** What came after the place at which it was left then. */
  readonly since: readonly Entry[];
}

/** The newest that tells the same branch from the same beginning with the same focus; null where there is none. */
export async function remembered(store: Store, left: LeftBranch, focus: string): Promise<Remembered | null> {
  const { entries, commonAncestorId } = left;
  const places = new Map(entries.map(({ id }, at) => [id, at]));
  const told = (await store.branchSummaries(new Set(places.keys()))).filter((entry) => {
    const mark = markIn(entry);
    // B70: pi once wrote the destination here.
    return mark && entry.fromId !== entry.parentId && mark.ancestor === commonAncestorId && mark.focus === focus;
  });
  const newest = told.toSorted((one, other) => placeOf(one, places) - placeOf(other, places)).at(-1);
  if (!newest) return null;
  const letters = markIn(newest)?.story ?? 0;
  return {
    entry: newest,
    story: newest.summary.slice(0, letters),
    since: entries.slice(placeOf(newest, places) + 1),
  };
}

/** By what it is known again: where it begins, what it looked at, and how much of it is the story. */
export interface LeftMark {
  readonly ancestor: string | null;
  readonly focus: string;
  /** Letters. */
  readonly story: number;
}

function placeOf({ fromId }: BranchSummaryEntry, places: ReadonlyMap<string, number>): number {
  return places.get(fromId) ?? -1;
}

// It comes from a file; a hook's own is nobody else's.
function markIn({ details, fromHook, summary }: BranchSummaryEntry): LeftMark | null {
  const left = (details as { readonly pith?: { readonly left?: unknown } } | null | undefined)?.pith?.left;
  const { ancestor, focus, story } = Object(left) as Partial<Readonly<Record<keyof LeftMark, unknown>>>;
  if (fromHook || typeof focus !== "string" || typeof story !== "number" || story > summary.length) return null;
  return ancestor === null || typeof ancestor === "string" ? { ancestor, focus, story } : null;
}
