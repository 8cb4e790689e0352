/** Signals that end the program: what is under way is aborted, so that what it said is kept and what it started ends. */

import type { Agent } from "@pith/agent";

/** The second of a kind ends it at once, and so does a program that does not come to its end. What comes back tells the exit code that belongs to the one that came, if one did. */
export function stopOnSignals(agent: Pick<Agent, "abort">): () => number | null {
  let code: number | null = null;
  for (const [signal, own] of codes)
    process.once(signal, () => {
      code ??= own;
      agent.abort();
      setTimeout(() => process.exit(own), GRACE_MS).unref();
    });
  return () => code;
}

const GRACE_MS = 5_000;

/** As shells count: 128 and the signal's number. */
const codes = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;
