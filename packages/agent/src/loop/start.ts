/** How a run starts: with something new to say, or from where the log was left. */

import type { Queued } from "@pith/context";
import { beforeStart } from "../hooks/before-start.ts";
import { closeCalls, runCalls } from "./calls/run-calls.ts";
import { type Next, nextAt, type OpenCall } from "./next.ts";
import { deliver, forgetSaid } from "./queue/deliver.ts";
import type { Start } from "./run.ts";
import type { RunParts } from "./run-parts.ts";

/** What was left open is closed, what waited is said, and then this. */
export function saying(said: Queued): Start {
  return {
    id: said.id,
    async *begin(parts) {
      const next = await nextOf(parts);
      if (next.type === "results") await closeCalls(next.calls, parts);
      yield* deliver(parts, () => true, [said]);
      await beforeStart(parts);
      return true;
    },
  };
}

/** What was left open is run, and what waited is said. */
export function takingUp(): Start {
  return {
    async *begin(parts) {
      const next = await nextOf(parts);
      if (next.type === "results") yield* runCalls(next.calls, parts);
      const heard = yield* deliver(parts, () => true);
      if (heard > 0) await beforeStart(parts);
      return next.type !== "nothing" || heard > 0;
    },
  };
}

/** A compaction may have kept no message at all; then the branch before it says what is next. */
async function nextOf({ session, ports }: RunParts): Promise<Next> {
  await forgetSaid(session);
  const next = nextAt(session.window.entries) ?? nextAt(await session.branch());
  if (next?.type !== "results") return next ?? { type: "nothing" };
  const calls: OpenCall[] = [];
  // RUN8: answered on another branch, it was run there.
  for (const open of next.calls)
    calls.push((await session.store.entry(open.id)) ? { ...open, id: ports.entryId(), isBegun: true } : open);
  return { type: "results", calls };
}
