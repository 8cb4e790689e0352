/** Says what happens to what is asked for while a run, a compaction or a move is under way: the same sentences in every mode. */

import type { Agent } from "@pith/agent";
import type { Session } from "@pith/context";

type BusyReason = Session["busyReasons"][number];

/** Why a move, an undo or another compaction is not done now, and what to do. */
export function refusedBecause(why: BusyReason): string {
  return `${occupations[why]}; wait for its end, or stop it first`;
}

const occupations: Readonly<Record<BusyReason, string>> = {
  streaming: "a run is under way here",
  compacting: "a compaction is under way here",
  moving: "another move is under way here",
};

/** What happens to a message that is sent during a compaction; null where none is under way (B80). */
export function queuedBecause(agent: Pick<Agent, "session">): string | null {
  return isCompacting(agent) ? QUEUED : null;
}

export function isCompacting({ session }: Pick<Agent, "session">): boolean {
  return session.busyReasons.includes("compacting");
}

const QUEUED = "A compaction is under way; your message is kept and is sent when it has ended.";
