/** Measures the entries of a window in small steps, so that the first plan of a long session finds what it needs and nobody waits for it. */

import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/entry-size.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { readUserMessage } from "./user-messages.ts";

/**
 * What was measured is remembered with each entry: `contextSize` and `prepareCompaction` go on from there. Take a step whenever there
 * is time, and stop whenever you like.
 */
export function* measureInSteps(branch: LoadedBranch): Generator<undefined, void> {
  const { entries, edits } = branch;
  for (const [index, entry] of entries.entries()) {
    entrySize(entry, latestEdit(edits, entry));
    readUserMessage(entries, index, edits);
    if (index % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield undefined;
  }
}

/** Entries; less than a millisecond once the code is warm. */
const ENTRIES_PER_STEP = 4;
