/** The ids by which an editor tells one message and one compaction from the next. Pure. */

import type { AgentEvent } from "@pith/agent";

export interface Ids {
  /** Of this opening of the session, so that none comes twice. */
  readonly opening: string;
  readonly message: string;
  readonly compaction: string;
  readonly count: number;
}

export function firstIds(opening: string): Ids {
  return { opening, message: `${opening}-0`, compaction: `${opening}-0`, count: 0 };
}

export function idsAt(ids: Ids, event: AgentEvent): Ids {
  const isMessage = event.type === "message_start" && event.message.role === "assistant";
  if (!isMessage && event.type !== "compaction_start") return ids;
  const count = ids.count + 1;
  const id = `${ids.opening}-${count}`;
  return isMessage ? { ...ids, count, message: id } : { ...ids, count, compaction: id };
}
