/** Signals that end the program: what is under way is aborted, so that what it said is kept and what it started ends. */

import type { Agent } from "@pith/agent";

/** The second of a kind ends it at once. What comes back tells the exit code that belongs to the one that came, if one did. */
export function stopOnSignals(agent: Pick<Agent, "abort">): () => number | null {
  let code: number | null = null;
  for (const [signal, own] of codes)
    process.once(signal, () => {
      code ??= own;
      agent.abort();
    });
  return () => code;
}

/** As shells count: 128 and the signal's number. */
const codes = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;
