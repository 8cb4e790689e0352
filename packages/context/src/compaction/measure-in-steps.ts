/** Measures the entries of a window in small steps, so that the first plan of a long session finds what it needs and nobody waits for it. */

import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/entry-size.ts";
import type { Window } from "../session/loaded-branch.ts";
import { readUserMessage } from "./user-messages.ts";

/**
 * What was measured is remembered with each entry: `contextSize` and `prepareCompaction` go on from there. Take a step whenever there
 * is time, and stop whenever you like.
 */
export function* measureInSteps(window: Window): Generator<undefined, void> {
  const { entries, edits } = window;
  for (const [at, entry] of entries.entries()) {
    entrySize(entry, latestEdit(edits, entry));
    readUserMessage(entries, at, edits);
    if (at % STEP === STEP - 1) yield undefined;
  }
}

/** Entries; less than a millisecond once the code is warm. */
const STEP = 4;
