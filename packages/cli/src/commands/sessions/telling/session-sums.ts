/** What a session holds and has cost, over all its branches. */

import { noTotals, type Session, type SessionTotals, sessionTotals } from "@pith/context";
import { totalsOf } from "@pith/context/node";

/** Null where the file cannot be read. */
export async function sessionSums(session: Session, path: string | null): Promise<SessionTotals | null> {
  if (path === null) return await summed(session);
  const counted = await totalsOf(path);
  return counted.type === "counted" ? counted.totals : null;
}

/** One that is only in memory. */
async function summed({ store }: Session): Promise<SessionTotals> {
  let totals = noTotals;
  const waiting = [...(await store.children(null))];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    totals = sessionTotals(totals, entry);
    waiting.push(...(await store.children(entry.id)));
  }
  return totals;
}
