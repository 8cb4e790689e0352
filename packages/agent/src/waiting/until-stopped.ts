/** Work that is waited for until somebody stops it, and then only for a moment: one that does not listen holds nobody up. */

import type { Ports } from "@pith/context";

export interface Stopping<Outcome> {
  readonly signal: AbortSignal;
  readonly ports: Pick<Ports, "sleep">;
  /** What came of it where it does not end in time. */
  readonly otherwise: Outcome;
}

const MOMENT_MS = 120;

export async function untilStopped<Outcome>(
  work: () => Promise<Outcome>,
  { signal, ports, otherwise }: Stopping<Outcome>,
): Promise<Outcome> {
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { signal: over.signal });
  });
  const late = stopped.then(() => ports.sleep(MOMENT_MS, { signal: over.signal })).then(() => otherwise);
  try {
    return await Promise.race([work(), late]);
  } finally {
    over.abort();
  }
}
