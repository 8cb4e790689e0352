/** Defines the transcript page's state, the source it reads from, and the steps from block to block over loaded pages. */

import type { Entry, Session } from "@pith/context";
import { readBranch } from "../../../../sessions/tree-lines.ts";
import type { Block } from "../../state/blocks.ts";
import { updateSpacing } from "../../state/finished-blocks.ts";
import { reduceEntry } from "../../state/reduce-entry.ts";
import { initialScreenState } from "../../state/screen-state.ts";
import type { LineInput } from "../widgets.ts";

export interface TranscriptState {
  /** The pages of the branch, newest first. Each is loaded when it is needed. */
  readonly pageRefs: readonly PageRef[];
  /** Whether the pages reach back to the first entry. */
  readonly isComplete: boolean;
  /** Blocks by the index of their page in `pageRefs`. */
  readonly loadedPages: ReadonlyMap<number, readonly Block[]>;
  readonly selected: BlockPosition;
  /** The first visible row. */
  readonly top: ScrollPosition;
  /** Whether the page is at the end and follows new entries. */
  readonly isFollowing: boolean;
  readonly expandedIds: ReadonlySet<string>;
  /** The place to move to once it is loaded. */
  readonly goal: Goal | null;
  /** The search text while it is typed. Null if no search input is open. */
  readonly searchInput: LineInput | null;
  readonly query: string;
  readonly note: string | null;
}

/** A part of the branch. It never separates a tool call from its result. */
export interface PageRef {
  readonly lastEntryId: string;
  readonly entryCount: number;
}

export interface BlockPosition {
  readonly page: number;
  /** The index in the page, oldest first. */
  readonly block: number;
}

export interface ScrollPosition extends BlockPosition {
  /** The row within the block. */
  readonly row: number;
}

/** `beginning`: the first entry of the branch, as soon as its page is known. */
export type Goal =
  | { readonly type: "position"; readonly position: BlockPosition }
  | { readonly type: "end" }
  | { readonly type: "beginning" };

export const initialTranscript: TranscriptState = {
  pageRefs: [],
  isComplete: false,
  loadedPages: new Map(),
  selected: { page: 0, block: 0 },
  top: { page: 0, block: 0, row: 0 },
  isFollowing: true,
  expandedIds: new Set(),
  goal: { type: "end" },
  searchInput: null,
  query: "",
  note: null,
};

export interface TranscriptSource {
  /** The name of the session. */
  readonly title: string;
  /** Reads from the end to the beginning. Reports all pages, the newest with their blocks, and the entries that are written meanwhile. */
  loadPages(
    onPages: (batch: PageBatch) => void,
    signal: AbortSignal,
    onGrowth: (page: GrownPage) => void,
  ): Promise<void>;
  readPage(ref: PageRef): Promise<readonly Block[]>;
}

/** The newest page, with the entries that were written since it was read. */
export interface GrownPage {
  readonly ref: PageRef;
  readonly blocks: readonly Block[];
}

export interface PageBatch {
  readonly refs: readonly PageRef[];
  /** The blocks of the first pages in `refs`, as far as they are loaded. */
  readonly pages: readonly (readonly Block[])[];
  /** Whether there are no older pages. */
  readonly isLast: boolean;
  /** The blocks of the oldest page, if the batch contains it. */
  readonly firstPage?: readonly Block[];
}

type LoadedState = Pick<TranscriptState, "loadedPages">;

export function getBlock({ loadedPages }: LoadedState, { page, block }: BlockPosition): Block | undefined {
  return loadedPages.get(page)?.[block];
}

/** Returns the next newer block. Null if it is not loaded or does not exist. */
export function findNewer({ loadedPages }: LoadedState, { page, block }: BlockPosition): BlockPosition | null {
  if (block + 1 < (loadedPages.get(page)?.length ?? 0)) return { page, block: block + 1 };
  for (let nextPage = page - 1; nextPage >= 0; nextPage--) {
    const blocks = loadedPages.get(nextPage);
    if (!blocks) return null;
    if (blocks.length > 0) return { page: nextPage, block: 0 };
  }
  return null;
}

/** Returns the next older block. Null if it is not loaded or does not exist. */
export function findOlder({ loadedPages }: LoadedState, { page, block }: BlockPosition): BlockPosition | null {
  if (block > 0) return { page, block: block - 1 };
  for (let nextPage = page + 1; loadedPages.has(nextPage); nextPage++) {
    const count = loadedPages.get(nextPage)?.length ?? 0;
    if (count > 0) return { page: nextPage, block: count - 1 };
  }
  return null;
}

/** Pages are numbered from the end. */
export function isOlder(a: BlockPosition, b: BlockPosition): boolean {
  return a.page === b.page ? a.block < b.block : a.page > b.page;
}

export function findNewest({ loadedPages }: LoadedState): BlockPosition {
  for (let page = 0; loadedPages.has(page); page++) {
    const count = loadedPages.get(page)?.length ?? 0;
    if (count > 0) return { page, block: count - 1 };
  }
  return { page: 0, block: 0 };
}

/** Lists the pages near the selected block that are not loaded, so that the next step finds its page. */
export function listMissingPages({
  loadedPages,
  pageRefs,
  selected,
}: Pick<TranscriptState, "loadedPages" | "pageRefs" | "selected">): readonly number[] {
  const nearbyPages = [selected.page, selected.page - 1, selected.page + 1, selected.page + 2];
  return nearbyPages.filter((page) => page >= 0 && page < pageRefs.length && !loadedPages.has(page));
}

/** Distant pages are loaded again when they are needed. */
export function dropFarPages({
  loadedPages,
  selected,
}: Pick<TranscriptState, "loadedPages" | "selected">): TranscriptState["loadedPages"] {
  return new Map([...loadedPages].filter(([page]) => Math.abs(page - selected.page) <= MAX_PAGE_DISTANCE));
}

const MAX_PAGE_DISTANCE = 6;

export interface GrowingPage {
  /** Sets the entries that the page had when it was read, and reports those that were written since. */
  start(entries: readonly Entry[]): void;
}

/** Appends entries to the newest page as they are written, without reading it again. */
function trackNewestPage(session: Session, onGrowth: (page: GrownPage) => void, signal: AbortSignal): GrowingPage {
  let pendingEntries: Entry[] | null = [];
  let [lastEntryId, entryCount, state] = [null as string | null, 0, initialScreenState];
  const addEntries = (entries: readonly Entry[]): void => {
    for (const entry of entries)
      [lastEntryId, entryCount, state] = [entry.id, entryCount + 1, reduceEntry(state, entry)];
    // Unchanged blocks keep their identity, so that they are not drawn again.
    state = { ...state, blocks: updateSpacing(state.blocks, null) };
  };
  const grow = (newEntries: readonly Entry[]): void => {
    // Ignores entries of another branch.
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

/** The number of pages whose blocks are reported together with their refs. */
const MAX_EAGER_PAGES = 3;

/** The number of other pages that are reported at a time. */
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
    // Lets the event loop handle keys.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const MIN_PAGE_ENTRIES = 100;

/** No page begins between a tool call and its result. */
function canStartPage(entry: Entry): boolean {
  if (entry.type === "compaction" || entry.type === "branch_summary") return true;
  return entry.type === "message" && entry.message.role !== "toolResult";
}
