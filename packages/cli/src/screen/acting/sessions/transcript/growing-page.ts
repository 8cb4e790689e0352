/** The newest page of a transcript that somebody reads while work goes on: what is written is put behind it, and nothing is read again for that. */

import type { Entry, Session } from "@pith/context";
import type { GrownPage } from "../../../panels/transcript/transcript-source.ts";
import { foldEntry } from "../../../state/folding/fold-entry.ts";
import { spaced } from "../../../state/printable.ts";
import { nothingShown } from "../../../state/screen-state.ts";

export interface GrowingPage {
  /** What stood on it when it was read; what came since then is told now. */
  begin(entries: readonly Entry[]): void;
}

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
      put(session.redacted(entries));
      const since = waiting ?? [];
      waiting = null;
      grow(since);
    },
  };
}
