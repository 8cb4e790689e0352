/** Weighs what was said before in small steps, so that nobody who types waits for it; what was weighed once is known from then on. */

import { setImmediate as nextMoment } from "node:timers/promises";
import { type Budget, contextSize, type Window } from "@pith/context";
import { rawParts } from "../../../commands/fitting/weighing/raw-parts.ts";

export async function weighSlowly(window: Window, budget: Budget): Promise<void> {
  let until = performance.now() + MOMENT_MS;
  for (let count = STEP; count < window.entries.length; count += STEP) {
    // Both go on where they stood when they are asked of more.
    const beginning = { ...window, entries: window.entries.slice(0, count) };
    contextSize(beginning, budget);
    if (count > window.compactionAt) rawParts(beginning, budget.to);
    if (performance.now() < until) continue;
    await nextMoment();
    until = performance.now() + MOMENT_MS;
  }
}

/** Entries. */
const STEP = 50;
const MOMENT_MS = 8;
