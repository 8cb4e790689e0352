/** Builds the events at the end of a compaction: its outcome, its cost and its quality findings. */

import {
  type CompactionOutcome,
  type Entry,
  type Finding,
  type Receipt,
  refusalNotes,
  type Usage,
  type UsageEntry,
} from "@pith/context";
import { addUsage, breakerNotes, COMPACTION_USAGE } from "@pith/context/host";
import type {
  Compacted,
  CompactionEnd,
  CompactionEvent,
  CompactionReason,
  QualityFinding,
  SkipReason,
} from "../events.ts";
import { skip, skipNotes } from "../loop/run-context.ts";

type CompactionTrigger = Receipt["reason"];

export interface Circumstances {
  /** Whether a model was meant to tell it. */
  readonly hasWriters: boolean;
  /** Whether the conversation had been summed up before. */
  readonly isAgain: boolean;
}

export function qualityOf(
  { route, findings }: Receipt,
  { hasWriters, isAgain }: Circumstances,
): readonly QualityFinding[] {
  const mended = findings.filter(({ code }) => ![...LEFT_OUT, ...FAILURES].includes(code));
  const failures = findings.filter(({ code }) => !LEFT_OUT.includes(code));
  const isByCode = route === "model-free" && hasWriters;
  return [
    ...(isByCode ? [{ code: "no-model-summary" as const, note: byCode(failures) }] : []),
    ...(!isByCode && mended.length > 0 ? [{ code: "repaired" as const, note: repaired(mended) }] : []),
    ...(isByCode ? [] : findings.filter(({ code }) => FAILURES.includes(code))),
    ...findings.filter(({ code }) => code === "user-messages-evicted"),
    ...(isAgain ? [{ code: "compacted-again" as const, note: AGAIN }] : []),
  ];
}

/** What code left out for want of room: no flaw of a story. */
const LEFT_OUT: readonly Finding["code"][] = ["user-messages-evicted", "user-messages-shortened", "result-reduced"];

/** Why somebody else had to tell it. */
const FAILURES: readonly Finding["code"][] = [
  "summarizer-failed",
  "hook-failed",
  "spend-limit",
  "time-limit",
  "not-covered",
  "no-gain",
  "does-not-fit",
];

function byCode(failures: readonly Finding[]): string {
  const why = failures.at(-1)?.note;
  return `no model wrote the summary: it lists your messages, your files and the last checks${why === undefined ? "" : ` (${why})`}`;
}

function repaired(flaws: readonly Finding[]): string {
  const [first] = flaws;
  const more = flaws.length === 1 ? "" : `, and ${flaws.length - 1} more`;
  return `the log does not confirm all of the summary: ${first?.note}${more}`;
}

// B84
const AGAIN =
  "the branch was compacted before; all entries stay readable, /pin keeps what must stay, /handoff starts a new session";

export const REASONS: Readonly<Record<CompactionTrigger, CompactionReason>> = {
  asked: "manual",
  due: "threshold",
  overflow: "overflow",
  "model-switch": "threshold",
};

export interface Occasion extends Circumstances {
  readonly reason: CompactionTrigger;
  readonly durationMs: number;
  /** What was written on the way. */
  readonly written: readonly Entry[];
  readonly compaction: CompactionOutcome;
}

export function endEvents(compacted: Compacted, occasion: Occasion): readonly CompactionEvent[] {
  const reason = REASONS[occasion.reason];
  const end = endEvent(compacted, occasion);
  switch (compacted.type) {
    case "compacted": {
      const findings = qualityOf(compacted.receipt, occasion);
      const quality = { type: "compaction_quality", compactionId: compacted.id, findings } as const;
      return findings.length > 0 ? [end, quality] : [end];
    }
    case "failed":
      return [end, { type: "compaction_failed", reason, code: compacted.why, errorMessage: failureNote(compacted) }];
    case "nothing-to-do":
      return [end, skip(reason, compacted.why)];
    case "postponed":
      return [end, skip(reason, "postponed" satisfies SkipReason)];
    case "cancelled":
      return [end];
  }
}

function endEvent(compacted: Compacted, { reason, durationMs, written, compaction }: Occasion): CompactionEnd {
  const usage = costOf(written);
  const aborted = compacted.type === "cancelled";
  const told = {
    type: "compaction_end",
    reason: REASONS[reason],
    aborted,
    ...(usage && { usage }),
    calls: compacted.type === "compacted" ? compacted.receipt.calls : written.filter(isUnused).length,
    durationMs,
    compaction,
  } as const;
  if (compacted.type !== "compacted") {
    const errorMessage = reasonIn(compacted);
    return { ...told, willRetry: false, ...(errorMessage !== null && { errorMessage }) };
  }
  const { summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter, details } = compacted;
  const result = { summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter };
  return {
    ...told,
    result: { ...result, ...(details !== undefined && { details }) },
    willRetry: reason === "overflow",
  };
}

function reasonIn(compacted: Exclude<Compacted, { type: "compacted" }>): string | null {
  switch (compacted.type) {
    case "cancelled":
      return null;
    case "postponed":
      return skipNotes.postponed;
    case "nothing-to-do":
      return skipNotes[compacted.why];
    case "failed":
      return failureNote(compacted);
  }
}

/** For people: why, and what to do. */
function failureNote(failed: Extract<Compacted, { type: "failed" }>): string {
  if (failed.why === "cannot-fit") return breakerNotes[failed.breaker.fills];
  return failed.why === "leaf-moved" ? LEAF_MOVED : refusalNotes[failed.why];
}

const LEAF_MOVED = "somebody else has written to this session meanwhile; try once more";

// EVT5: what it cost is what the log says of it, so that both add up to the same.
function costOf(written: readonly Entry[]): Usage | null {
  const usages = written.flatMap((entry) => {
    if (entry.type === "compaction") return entry.usage ? [entry.usage] : [];
    return isUnused(entry) ? [entry.usage] : [];
  });
  const [first, ...rest] = usages;
  return first ? rest.reduce(addUsage, first) : null;
}

/** Paid for, and nothing came of it. */
function isUnused(entry: Entry): entry is UsageEntry {
  return entry.type === "usage" && entry.kind === COMPACTION_USAGE;
}
