/** A branch of the log as pages of a transcript, read from its end: however long it is, a page costs a page. */

import type { Entry, Session } from "@pith/context";
import { wayTo } from "../../../../commands/walking/tree-part.ts";
import type { TranscriptSource } from "../../../panels/transcript/transcript-source.ts";
import type { PageMark } from "../../../panels/transcript/transcript-state.ts";
import type { Block } from "../../../state/block.ts";
import { foldEntry } from "../../../state/folding/fold-entry.ts";
import { spaced } from "../../../state/printable.ts";
import { nothingShown } from "../../../state/screen-state.ts";
import { growingPage } from "./growing-page.ts";

export function logPages(session: Session, title: string): TranscriptSource {
  const { store, leaf } = session;
  const blocksOf = (entries: readonly Entry[]): readonly Block[] =>
    spaced(session.redacted(entries).reduce(foldEntry, nothingShown).blocks, null);
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
