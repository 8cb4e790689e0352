/** Measures the entries of an opened session a few milliseconds at a time, so that no request and no compaction waits for all of them. */

import type { Session } from "@pith/context";
import { measureInSteps } from "@pith/context/host";

/** Begins once what is under way has had its turn. Keeps no program running. */
export function measureAhead({ branch: window }: Pick<Session, "branch">): void {
  const steps = measureInSteps(window);
  const work = (): void => {
    const until = performance.now() + MOMENT_MS;
    while (performance.now() < until) if (steps.next().done) return;
    soon();
  };
  const soon = (): void => void setTimeout(work, PAUSE_MS).unref();
  soon();
}

/** Short enough to be noticed by nobody who types, with time for everything else in between. */
const MOMENT_MS = 4;
const PAUSE_MS = 12;
