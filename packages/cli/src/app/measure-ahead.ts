/** Measures the entries of an opened session a few milliseconds at a time, so that no request and no compaction waits for all of them. */

import type { Session } from "@pith/context";
import { measureInSteps } from "@pith/context/host";

/** Begins once what is under way has had its turn. Keeps no program running. */
export function measureInBackground({ branch }: Pick<Session, "branch">): void {
  const steps = measureInSteps(branch);
  const measureSlice = (): void => {
    const deadline = performance.now() + SLICE_MS;
    while (performance.now() < deadline) if (steps.next().done) return;
    scheduleSlice();
  };
  const scheduleSlice = (): void => void setTimeout(measureSlice, PAUSE_MS).unref();
  scheduleSlice();
}

/** Short enough to be noticed by nobody who types, with time for everything else in between. */
const SLICE_MS = 4;
const PAUSE_MS = 12;
