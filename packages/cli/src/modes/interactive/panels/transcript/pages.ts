/** Reads a branch of the log as transcript pages, from its end, and extends the newest page as entries are written. */

import type { Entry, Session } from "@pith/context";
import { readBranch } from "../../../../sessions/tree-lines.ts";
import type { Block } from "../../state/blocks.ts";
import { updateSpacing } from "../../state/finished-blocks.ts";
import { reduceEntry } from "../../state/reduce-entry.ts";
import { initialScreenState } from "../../state/screen-state.ts";
import type { GrownPage, PageRef, TranscriptSource } from "./state.ts";

export interface GrowingPage {
  /** What stood on it when it was read; what came since then is told now. */
  start(entries: readonly Entry[]): void;
}

/** Appends entries to the newest page as they are written, without reading it again. */
export function trackNewestPage(
  session: Session,
  onGrowth: (page: GrownPage) => void,
  signal: AbortSignal,
): GrowingPage {
  let pendingEntries: Entry[] | null = [];
  let [lastEntryId, entryCount, state] = [null as string | null, 0, initialScreenState];
  const addEntries = (entries: readonly Entry[]): void => {
    for (const entry of entries)
      [lastEntryId, entryCount, state] = [entry.id, entryCount + 1, reduceEntry(state, entry)];
    // Blocks that stay the same are the same, so that they are not drawn anew.
    state = { ...state, blocks: updateSpacing(state.blocks, null) };
  };
  const grow = (newEntries: readonly Entry[]): void => {
    // What is written on another branch is none of this one.
    const branchEntries = newEntries.filter(
      ({ parentId }, index) => parentId === (index === 0 ? lastEntryId : newEntries[index - 1]?.id),
    );
    if (branchEntries.length < newEntries.length || branchEntries.length === 0) return;
    addEntries(branchEntries);
    if (lastEntryId !== null) onGrowth({ ref: { lastEntryId, entryCount }, blocks: state.blocks });
  };
  const unsubscribe = session.watch((newEntries) =>
    pendingEntries ? pendingEntries.push(...newEntries) : grow(newEntries),
  );
  signal.addEventListener("abort", unsubscribe, { once: true });
  return {
    start: (entries) => {
      addEntries(session.redact(entries));
      const missedEntries = pendingEntries ?? [];
      pendingEntries = null;
      grow(missedEntries);
    },
  };
}

/** Reads from the end, so that a page costs the same however long the branch is. */
export function createTranscriptSource(session: Session, title: string): TranscriptSource {
  const { store, leaf } = session;
  const toBlocks = (entries: readonly Entry[]): readonly Block[] =>
    updateSpacing(session.redact(entries).reduce(reduceEntry, initialScreenState).blocks, null);
  return {
    title,
    readPage: async ({ lastEntryId, entryCount }) => toBlocks(await readBranch(lastEntryId, store, entryCount)),
    loadPages: async (onPages, signal, onGrowth) => {
      const newestPage = trackNewestPage(session, onGrowth, signal);
      let [refs, pages]: [PageRef[], (readonly Block[])[]] = [[], []];
      let sentCount = 0;
      for await (const { entries, isFirst } of readPages(leaf, session)) {
        if (signal.aborted) return;
        refs.push({ lastEntryId: entries.at(-1)?.id ?? "", entryCount: entries.length });
        if (sentCount + pages.length < MAX_EAGER_PAGES) pages.push(toBlocks(entries));
        if (!isFirst && sentCount > 0 && refs.length < BATCH_PAGES) continue;
        onPages({ refs, pages, isLast: isFirst, ...(isFirst && { firstPage: toBlocks(entries) }) });
        if (sentCount === 0) newestPage.start(entries);
        sentCount += refs.length;
        [refs, pages] = [[], []];
      }
      if (leaf !== null) return;
      onPages({ refs: [], pages: [], isLast: true });
      newestPage.start([]);
    },
  };
}

/** Pages that are shown as soon as they are read. */
const MAX_EAGER_PAGES = 3;
/** Of the others so many are told at a time. */
const BATCH_PAGES = 20;

interface LogPage {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly isFirst: boolean;
}

async function* readPages(leaf: string | null, { store }: Session): AsyncGenerator<LogPage> {
  let pageEntries: Entry[] = [];
  for (let id = leaf; id !== null; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    pageEntries.push(entry);
    id = entry.parentId;
    if (id !== null && (pageEntries.length < MIN_PAGE_ENTRIES || !canStartPage(entry))) continue;
    yield { entries: pageEntries.reverse(), isFirst: id === null };
    pageEntries = [];
    // Whoever waits for something else gets a turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Entries. */
const MIN_PAGE_ENTRIES = 100;

/** Between a call and its result no page begins. */
function canStartPage(entry: Entry): boolean {
  if (entry.type === "compaction" || entry.type === "branch_summary") return true;
  return entry.type === "message" && entry.message.role !== "toolResult";
}
