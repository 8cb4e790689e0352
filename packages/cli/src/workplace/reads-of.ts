/** What the model knows of the files in a session that is open: wherever one goes in its tree, that follows. */

import { knownFiles, Reads } from "@pith/agent";
import type { Session } from "@pith/context";

export function readsOf(session: Session, resolve: (path: string) => string): Reads {
  const reads = new Reads(knownFiles(session.window.entries, resolve));
  let { leaf } = session;
  session.watch(([first]) => {
    // What is written elsewhere than behind the leaf is a move.
    if (first && first.parentId !== leaf) reads.relearn(knownFiles(session.window.entries, resolve));
    leaf = session.leaf;
  });
  return reads;
}
