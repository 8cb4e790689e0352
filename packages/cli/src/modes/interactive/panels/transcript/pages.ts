/** Reads a branch of the log as transcript pages, from its end, and extends the newest page as entries are written. */

import type { Entry, Session } from "@pith/context";
import { wayTo } from "../../../../sessions/tree-lines.ts";
import type { Block } from "../../state/blocks.ts";
import { spaced } from "../../state/finished-blocks.ts";
import { foldEntry } from "../../state/reduce-entry.ts";
import { nothingShown } from "../../state/screen-state.ts";
import type { GrownPage, PageMark, TranscriptSource } from "./state.ts";

export interface GrowingPage {
  /** What stood on it when it was read; what came since then is told now. */
  begin(entries: readonly Entry[]): void;
}

/** Appends entries to the newest page as they are written, without reading it again. */
export function growingPage(session: Session, tell: (page: GrownPage) => void, signal: AbortSignal): GrowingPage {
  let waiting: Entry[] | null = [];
  let [last, count, state] = [null as string | null, 0, nothingShown];
  const put = (entries: readonly Entry[]): void => {
    for (const entry of entries) [last, count, state] = [entry.id, count + 1, foldEntry(state, entry)];
    // Blocks that stay the same are the same, so that they are not drawn anew.
    state = { ...state, blocks: spaced(state.blocks, null) };
  };
  const grow = (written: readonly Entry[]): void => {
    // What is written on another branch is none of this one.
    const own = written.filter(({ parentId }, at) => parentId === (at === 0 ? last : written[at - 1]?.id));
    if (own.length < written.length || own.length === 0) return;
    put(own);
    if (last !== null) tell({ mark: { last, count }, blocks: state.blocks });
  };
  const release = session.watch((written) => (waiting ? waiting.push(...written) : grow(written)));
  signal.addEventListener("abort", release, { once: true });
  return {
    begin: (entries) => {
      put(session.redact(entries));
      const since = waiting ?? [];
      waiting = null;
      grow(since);
    },
  };
}

/** Reads from the end, so that a page costs the same however long the branch is. */
export function logPages(session: Session, title: string): TranscriptSource {
  const { store, leaf } = session;
  const blocksOf = (entries: readonly Entry[]): readonly Block[] =>
    spaced(session.redact(entries).reduce(foldEntry, nothingShown).blocks, null);
  return {
    title,
    read: async ({ last, count }) => blocksOf(await wayTo(last, store, count)),
    marks: async (tell, signal, grow) => {
      const newest = growingPage(session, grow, signal);
      let [marks, pages]: [PageMark[], (readonly Block[])[]] = [[], []];
      let told = 0;
      for await (const { entries, isFirst } of pagesUp(leaf, session)) {
        if (signal.aborted) return;
        marks.push({ last: entries.at(-1)?.id ?? "", count: entries.length });
        if (told + pages.length < EAGER) pages.push(blocksOf(entries));
        if (!isFirst && told > 0 && marks.length < TOGETHER) continue;
        tell({ marks, pages, isLast: isFirst, ...(isFirst && { beginning: blocksOf(entries) }) });
        if (told === 0) newest.begin(entries);
        told += marks.length;
        [marks, pages] = [[], []];
      }
      if (leaf !== null) return;
      tell({ marks: [], pages: [], isLast: true });
      newest.begin([]);
    },
  };
}

/** Pages that are shown as soon as they are read. */
const EAGER = 3;
/** Of the others so many are told at a time. */
const TOGETHER = 20;

interface LogPage {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  readonly isFirst: boolean;
}

async function* pagesUp(leaf: string | null, { store }: Session): AsyncGenerator<LogPage> {
  let upwards: Entry[] = [];
  for (let id = leaf; id !== null; ) {
    const entry = await store.entry(id);
    if (!entry) break;
    upwards.push(entry);
    id = entry.parentId;
    if (id !== null && (upwards.length < PAGE || !isBeginning(entry))) continue;
    yield { entries: upwards.reverse(), isFirst: id === null };
    upwards = [];
    // Whoever waits for something else gets a turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Entries. */
const PAGE = 100;

/** Between a call and its result no page begins. */
function isBeginning(entry: Entry): boolean {
  if (entry.type === "compaction" || entry.type === "branch_summary") return true;
  return entry.type === "message" && entry.message.role !== "toolResult";
}
