/** Describes the outcome of a compaction: the receipt, or why there is none and what to do next. */

import type { CompactionRefusal } from "@pith/agent";
import { type CompactionOutcome, type Finding, type NoCompaction, type Receipt, refusalNotes } from "@pith/context";
import { breakerNotes } from "@pith/context/host";
import { refusedBecause } from "../commands/busy.ts";
import { type Answer, failed, LEAF_MOVED, told } from "../commands/command.ts";
import { amount, costTold, counted } from "../text/format.ts";

export function compactionTold(compaction: CompactionOutcome | CompactionRefusal): Answer {
  switch (compaction.type) {
    case "refused":
      return failed(`nothing was compacted: ${refusedBecause(compaction.why)}`);
    case "compacted":
      return told(`compacted: ${receiptTold(compaction.receipt)}; /undo takes it back`, compaction.receipt);
    case "nothing-to-do":
      return told(`nothing was compacted: ${nothings[compaction.why]}`, compaction);
    case "postponed":
      return told("nothing was compacted: a hook has put it off", compaction);
    case "cancelled":
      return told("the compaction was cancelled; everything is as it was", compaction);
    case "failed":
      return failed(whyFailed(compaction));
  }
}

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

const nothings: Readonly<Record<NoCompaction["why"], string>> = {
  off: 'automatic compaction is off ("compaction.enabled" in the settings, --no-auto-compact, /autocompact)',
  empty: "nothing was said yet",
  "already-compacted": "nothing was said since the last one; /undo takes that back",
  "too-short": "it is too short; all of it would be kept as it is",
  "too-little": "a summary would be about as long as what it stands for",
};

function whyFailed(compaction: Extract<CompactionOutcome, { type: "failed" }>): string {
  if (compaction.why === "cannot-fit") {
    const { fills, tokens, limit } = compaction.breaker;
    const room = limit === null ? "" : ` (${amount(tokens)} tokens of ${amount(limit)})`;
    return `no compaction can help: ${breakerNotes[fills]}${room}`;
  }
  const why = compaction.why === "leaf-moved" ? LEAF_MOVED : refusalNotes[compaction.why];
  return `nothing was compacted: ${[why, ...compaction.findings.slice(0, MOST).map(({ note }) => note)].join("; ")}`;
}

function notesOf(findings: readonly Finding[]): string {
  const notes = findings.slice(0, MOST).map(({ note }) => note);
  return [...notes, ...(findings.length > MOST ? [`and ${findings.length - MOST} more findings`] : [])].join("; ");
}

const MOST = 3;
