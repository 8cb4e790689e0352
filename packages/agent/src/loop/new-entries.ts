/** What was written to a session since one looked last, whoever wrote it. */

import type { Entry, Session } from "@pith/context";

export class NewEntries {
  readonly #session: Session;
  #seen: string | null;

  constructor(session: Session) {
    this.#session = session;
    this.#seen = session.leaf;
  }

  take(): readonly Entry[] {
    const { window, leaf } = this.#session;
    if (leaf === this.#seen) return [];
    const seen = this.#seen;
    this.#seen = leaf;
    const at = window.entries.findLastIndex(({ id }) => id === seen);
    if (at >= 0 || seen === null) return window.entries.slice(at + 1);
    // A compaction may have left nothing of what was seen; after a move one stands elsewhere.
    const { compactionAt } = window;
    return window.entries.slice(compactionAt >= 0 ? compactionAt : -1);
  }
}
