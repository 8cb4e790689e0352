/** Places the entries of a whole session in segments, and finds where the context of each begins. */

import type { CompactionEntry, Entry } from "@pith/context";
import { stateInCompaction } from "@pith/context/store";

/** An entry with its place in the tables. */
export interface PlacedEntry {
  readonly entry: Entry;
  readonly seq: number;
  readonly segment: number;
  /** The first entry that the context at this entry needs. */
  readonly contextStart: number;
  readonly parent: PlacedEntry | null;
  /** Whether it is the first entry of its segment. */
  readonly beginsSegment: boolean;
}

/** Places entries. They keep their order, except that an entry whose parent comes later follows its parent. The last one is the leaf. */
export function placeEntries(entries: readonly Entry[]): readonly PlacedEntry[] {
  const leafId = entries.at(-1)?.id;
  const placed: PlacedEntry[] = [];
  const byId = new Map<string, PlacedEntry>();
  const lastOfSegment: PlacedEntry[] = [];
  for (const entry of moveBehindParents(entries)) {
    const parent = (entry.parentId === null ? null : byId.get(entry.parentId)) ?? null;
    // The next append at the leaf continues its segment.
    const continuesSegment = parent !== null && parent.entry.id !== leafId && lastOfSegment[parent.segment] === parent;
    const seq = placed.length;
    const segment = continuesSegment ? parent.segment : lastOfSegment.length;
    const contextStart = findContextStart(entry, { parent, seq, byId });
    const own: PlacedEntry = { entry, seq, segment, contextStart, parent, beginsSegment: !continuesSegment };
    lastOfSegment[segment] = own;
    placed.push(own);
    byId.set(entry.id, own);
  }
  return placed;
}

function moveBehindParents(entries: readonly Entry[]): readonly Entry[] {
  const ids = new Set(entries.map(({ id }) => id));
  const waiting = new Map<string, Entry[]>();
  const ordered: Entry[] = [];
  const orderedIds = new Set<string>();
  const add = (first: Entry): void => {
    const next = [first];
    // Without spreading: so many entries may wait for one parent that they are no list of arguments.
    for (const entry of next) {
      ordered.push(entry);
      orderedIds.add(entry.id);
      for (const child of waiting.get(entry.id) ?? []) next.push(child);
      waiting.delete(entry.id);
    }
  };
  for (const entry of entries) {
    const { parentId } = entry;
    const siblings = parentId === null ? undefined : waiting.get(parentId);
    if (parentId === null || orderedIds.has(parentId) || !ids.has(parentId)) add(entry);
    else if (siblings) siblings.push(entry);
    else waiting.set(parentId, [entry]);
  }
  return ordered;
}

interface PlaceContext {
  readonly parent: PlacedEntry | null;
  readonly seq: number;
  readonly byId: ReadonlyMap<string, PlacedEntry>;
}

/** A compaction that holds the state moves the beginning to the first entry that it keeps. */
function findContextStart(entry: Entry, { parent, seq, byId }: PlaceContext): number {
  const inherited = parent?.contextStart ?? seq;
  if (entry.type !== "compaction") return inherited;
  const firstKept = findFirstKept(entry, parent, byId) ?? seq;
  return stateInCompaction(entry) === null ? Math.min(inherited, firstKept) : firstKept;
}

function findFirstKept(
  { firstKeptEntryId }: CompactionEntry,
  parent: PlacedEntry | null,
  byId: ReadonlyMap<string, PlacedEntry>,
): number | null {
  const wanted = byId.get(firstKeptEntryId);
  if (!wanted) return null;
  for (let each = parent; each && each.seq >= wanted.seq; each = each.parent) if (each === wanted) return wanted.seq;
  return null;
}
