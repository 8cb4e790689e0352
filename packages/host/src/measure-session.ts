/** Measures a session in the background. */

import type { Session } from "@pith/context";
import { measureInSteps } from "@pith/context/host";

/** Measures the branch in short slices, after the work that is already scheduled. Does not keep the process alive. */
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

/** Short enough that typing is not delayed. The pause leaves time for other work. */
const SLICE_MS = 4;

const PAUSE_MS = 12;
