/** How a run starts: with something new to say, or from where the log was left. */

import type { Queued } from "@pith/context";
import { closeCalls, runCalls } from "./calls/run-calls.ts";
import { deliver } from "./deliver.ts";
import { type Next, nextAt } from "./next.ts";
import type { Start } from "./run.ts";
import type { RunParts } from "./run-parts.ts";

/** What was left open is closed, what waited is said, and then this. */
export function saying(said: Queued): Start {
  return {
    id: said.id,
    async *begin(parts) {
      const next = await nextOf(parts);
      if (next.type === "results") await closeCalls(next.calls, parts);
      const { queue } = parts.session.window.state;
      yield* deliver(queue.some(({ id }) => id === said.id) ? queue : [...queue, said], parts);
      return true;
    },
  };
}

/** What was left open is run, and what waited is said. */
export function takingUp(id: string): Start {
  return {
    id,
    async *begin(parts) {
      const next = await nextOf(parts);
      if (next.type === "results") yield* runCalls(next.calls, parts);
      const { queue } = parts.session.window.state;
      yield* deliver(queue, parts);
      return next.type !== "nothing" || queue.length > 0;
    },
  };
}

/** A compaction may have kept no message at all; then the branch before it says what is next. */
async function nextOf({ session }: RunParts): Promise<Next> {
  const { entries, reachesRoot } = session.window;
  const isEnough = reachesRoot || entries.some((entry) => entry.type === "message" && entry.message.role !== "system");
  return nextAt(isEnough ? entries : await session.branch());
}
