/** Describes the outcome of a compaction: the receipt, or why there is none and what to do next. */

import type { Agent } from "@pith/agent";
import type { Finding, Receipt, Session } from "@pith/context";
import { amount, costTold, counted } from "./format.ts";

/** One line: what it freed, who wrote the summary, what was covered and kept, what it cost. */
export function receiptTold({ tokens, by, route, covered, kept, calls, cost, findings }: Receipt): string {
  return [
    `${amount(tokens.before)} → ${amount(tokens.after)} tokens`,
    `summary by ${by ?? (route === "hook" ? "a hook" : "code alone")}`,
    `${counted(covered.count, "entry", "entries")} covered, ${amount(kept.count)} kept`,
    ...(calls > 0 ? [`${counted(calls, "call")}${cost > 0 ? `, ${costTold(cost)}` : ""}`] : []),
    ...(findings.length > 0 ? [notesOf(findings)] : []),
  ].join("; ");
}

function notesOf(findings: readonly Finding[]): string {
  const notes = findings.slice(0, MOST).map(({ note }) => note);
  return [...notes, ...(findings.length > MOST ? [`and ${findings.length - MOST} more findings`] : [])].join("; ");
}

export const MOST = 3;

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
