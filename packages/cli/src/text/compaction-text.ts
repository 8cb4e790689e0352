/** Describes the outcome of a compaction: the receipt, or why there is none and what to do next. */

import type { Agent } from "@pith/agent";
import type { Finding, Receipt, Session } from "@pith/context";
import { formatCost, formatCount, formatNumber } from "./format.ts";

/** One line: what it freed, who wrote the summary, what was covered and kept, what it cost. */
export function formatReceipt({ tokens, by, route, covered, kept, calls, cost, findings }: Receipt): string {
  return [
    `${formatNumber(tokens.before)} → ${formatNumber(tokens.after)} tokens`,
    `summary by ${by ?? (route === "hook" ? "a hook" : "code alone")}`,
    `${formatCount(covered.count, "entry", "entries")} covered, ${formatNumber(kept.count)} kept`,
    ...(calls > 0 ? [`${formatCount(calls, "call")}${cost > 0 ? `, ${formatCost(cost)}` : ""}`] : []),
    ...(findings.length > 0 ? [formatFindings(findings)] : []),
  ].join("; ");
}

function formatFindings(findings: readonly Finding[]): string {
  const notes = findings.slice(0, MAX_FINDINGS).map(({ note }) => note);
  return [
    ...notes,
    ...(findings.length > MAX_FINDINGS ? [`and ${findings.length - MAX_FINDINGS} more findings`] : []),
  ].join("; ");
}

export const MAX_FINDINGS = 3;

type BusyReason = Session["busyReasons"][number];

/** Why a move, an undo or another compaction is not done now, and what to do. */
export function describeBusyRefusal(reason: BusyReason): string {
  return `${busyDescriptions[reason]}; wait for its end, or stop it first`;
}

const busyDescriptions: Readonly<Record<BusyReason, string>> = {
  streaming: "a run is under way here",
  compacting: "a compaction is under way here",
  moving: "another move is under way here",
};

/** What happens to a message that is sent during a compaction; null where none is under way (B80). */
export function getQueuedNotice(agent: Pick<Agent, "session">): string | null {
  return isCompacting(agent) ? MESSAGE_QUEUED_NOTICE : null;
}

export function isCompacting({ session }: Pick<Agent, "session">): boolean {
  return session.busyReasons.includes("compacting");
}

const MESSAGE_QUEUED_NOTICE = "A compaction is under way; your message is kept and is sent when it has ended.";
