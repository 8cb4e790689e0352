/** What waits to be said waits for whoever said it, not for a branch: it comes along. */

import type { Queued, Session } from "@pith/context";
import { enqueue, forgetSaid } from "../loop/queue/deliver.ts";

export async function takeAlong(queue: readonly Queued[], session: Session): Promise<void> {
  await forgetSaid(session);
  const here = new Set(session.window.state.queue.map(({ id }) => id));
  for (const queued of queue)
    if (!here.has(queued.id) && !(await session.store.entry(queued.id))) await enqueue(session, queued);
}
