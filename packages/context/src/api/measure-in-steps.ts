/** Measures a branch ahead of its first compaction plan. It imports no summarizer, because programs load it at startup. */

import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/context-size.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { readUserMessage } from "../summary-parts/user-messages.ts";

/**
 * Measures the entries of a branch in small steps, so that the first plan of a long session is quick. The sizes are cached with
 * each entry; you may stop after any step.
 */
export function* measureInSteps(branch: LoadedBranch): Generator<undefined, void> {
  const { entries, edits } = branch;
  for (const [index, entry] of entries.entries()) {
    entrySize(entry, latestEdit(edits, entry));
    readUserMessage(entries, index, edits);
    if (index % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield undefined;
  }
}

/** Entries of a step; they take less than a millisecond once the code is warm. */
const ENTRIES_PER_STEP = 4;
