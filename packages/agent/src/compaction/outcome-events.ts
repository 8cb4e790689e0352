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
import { breakerNotes, COMPACTION_USAGE, MARK_CODES, sumUsage } from "@pith/context/host";
import type {
  AgentCompactionOutcome,
  CompactionEndEvent,
  CompactionEvent,
  CompactionReason,
  QualityFinding,
  SkipReason,
} from "../events.ts";
import { compactionSkippedEvent, skipNotes } from "../notices.ts";

type CompactionTrigger = Receipt["reason"];

export interface QualityFacts {
  /** Whether a model was supposed to write the summary. */
  readonly hasSummarizers: boolean;
  /** Whether the branch had a compaction before. */
  readonly wasCompactedBefore: boolean;
}

export const COMPACTION_REASONS: Readonly<Record<CompactionTrigger, CompactionReason>> = {
  asked: "manual",
  due: "threshold",
  overflow: "overflow",
  "model-switch": "threshold",
};

export interface CompactionEndInfo extends QualityFacts {
  readonly reason: CompactionTrigger;
  readonly durationMs: number;
  /** The entries that were appended during the compaction. */
  readonly writtenEntries: readonly Entry[];
  readonly compaction: CompactionOutcome;
}

export function compactionEndEvents(
  outcome: AgentCompactionOutcome,
  info: CompactionEndInfo,
): readonly CompactionEvent[] {
  const reason = COMPACTION_REASONS[info.reason];
  const end = createEndEvent(outcome, info);
  switch (outcome.type) {
    case "compacted": {
      const findings = findQualityIssues(outcome.receipt, info);
      const quality = { type: "compaction_quality", compactionId: outcome.id, findings } as const;
      return findings.length > 0 ? [end, quality] : [end];
    }
    case "failed":
      return [end, { type: "compaction_failed", reason, code: outcome.why, errorMessage: failureNote(outcome) }];
    case "nothing-to-do":
      return [end, compactionSkippedEvent(reason, outcome.why)];
    case "postponed":
      return [end, compactionSkippedEvent(reason, "postponed" satisfies SkipReason)];
    case "cancelled":
      return [end];
  }
}

export function findQualityIssues(
  { route, findings, fromOriginals }: Receipt,
  { hasSummarizers, wasCompactedBefore }: QualityFacts,
): readonly QualityFinding[] {
  const problems = findings.filter(({ code }) => !OMISSION_CODES.includes(code));
  const marks = problems.filter(({ code }) => MARK_CODES.has(code));
  const isModelFree = route === "model-free" && hasSummarizers;
  return [
    ...(isModelFree ? [{ code: "no-model-summary" as const, note: noModelNote(problems) }] : []),
    ...(!isModelFree && marks.length > 0 ? [{ code: "repaired" as const, note: describeMarks(marks) }] : []),
    ...(isModelFree ? [] : problems.filter(({ code }) => !MARK_CODES.has(code))),
    ...findings.filter(({ code }) => UNCARRIED_CODES.includes(code)),
    ...(wasCompactedBefore && !fromOriginals ? [{ code: "compacted-again" as const, note: COMPACTED_AGAIN_NOTE }] : []),
  ];
}

/** Messages of the user that the model can no longer read without opening them. */
const UNCARRIED_CODES: readonly Finding["code"][] = ["user-messages-stubbed", "user-messages-hidden"];

/** Content that was left out for lack of space, or kept in addition. It is not an error of the summary. */
const OMISSION_CODES: readonly Finding["code"][] = [
  ...UNCARRIED_CODES,
  "user-messages-carried",
  "user-messages-shortened",
  "user-messages-without-question",
  "result-reduced",
  "cut-moved",
  "outdated-removed",
  "prepared-dropped",
  "reply-unused",
];

function noModelNote(problems: readonly Finding[]): string {
  const why = problems.at(-1)?.note;
  return `the summary was built without a model and lists your messages, the files, and the latest test and build results${why === undefined ? "" : `. The reason: ${why}`}`;
}

function describeMarks(marks: readonly Finding[]): string {
  const first = marks[0]?.note.replace(/\.$/, "");
  return marks.length === 1
    ? `1 line of the summary could not be verified: ${first}`
    : `${marks.length} lines of the summary could not be verified. The first: ${first}`;
}

// B84
const COMPACTED_AGAIN_NOTE =
  "this branch has been compacted more than once, so details may get lost; pin what must stay (/pin), rewrite the summary from the original entries (/compact --from-originals), or start fresh with /handoff <goal>";

function createEndEvent(
  outcome: AgentCompactionOutcome,
  { reason, durationMs, writtenEntries, compaction }: CompactionEndInfo,
): CompactionEndEvent {
  const usage = sumCompactionUsage(writtenEntries);
  const aborted = outcome.type === "cancelled";
  const fields = {
    type: "compaction_end",
    reason: COMPACTION_REASONS[reason],
    aborted,
    ...(usage && { usage }),
    calls: outcome.type === "compacted" && !isPrepared(outcome) ? outcome.receipt.calls : countUnused(writtenEntries),
    durationMs,
    compaction,
  } as const;
  if (outcome.type !== "compacted") {
    const errorMessage = errorMessageOf(outcome);
    return { ...fields, willRetry: false, ...(errorMessage !== null && { errorMessage }) };
  }
  const { summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter, details } = outcome;
  const result = { summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter };
  return {
    ...fields,
    result: { ...result, ...(details !== undefined && { details }) },
    willRetry: reason === "overflow",
  };
}

/** PREP5: the calls of a prepared summary are in its own events. */
function isPrepared({ receipt }: Extract<AgentCompactionOutcome, { type: "compacted" }>): boolean {
  return receipt.preparedMs !== undefined;
}

function countUnused(entries: readonly Entry[]): number {
  return entries.filter(isUnusedUsage).length;
}

function errorMessageOf(outcome: Exclude<AgentCompactionOutcome, { type: "compacted" }>): string | null {
  switch (outcome.type) {
    case "cancelled":
      return null;
    case "postponed":
      return skipNotes.postponed;
    case "nothing-to-do":
      return skipNotes[outcome.why];
    case "failed":
      return failureNote(outcome);
  }
}

/** For the user: what failed, and what to do. */
function failureNote(failure: Extract<AgentCompactionOutcome, { type: "failed" }>): string {
  if (failure.why === "cannot-fit") return breakerNotes[failure.breaker.fills];
  if (failure.why === "leaf-moved") return LEAF_MOVED_NOTE;
  if (failure.why !== "invalid-cut" && failure.why !== "no-summary") return refusalNotes[failure.why];
  const notes = failure.findings.map(({ note }) => note);
  return (failure.why === "no-summary" ? [NO_SUMMARY_NOTE, ...notes] : notes).join("; ");
}

const NO_SUMMARY_NOTE =
  "no model could rewrite the summary, so the context is unchanged; try again, or choose another model";

const LEAF_MOVED_NOTE = "the session changed during the compaction; try again";

// EVT5: the usage is read from the log, so that events and log agree.
function sumCompactionUsage(entries: readonly Entry[]): Usage | null {
  const usages = entries.flatMap((entry) => {
    if (entry.type === "compaction") return entry.usage ? [entry.usage] : [];
    return isUnusedUsage(entry) ? [entry.usage] : [];
  });
  return usages.length > 0 ? sumUsage(usages) : null;
}

/** Usage of model calls whose summary was not used. */
function isUnusedUsage(entry: Entry): entry is UsageEntry {
  return entry.type === "usage" && entry.kind === COMPACTION_USAGE;
}
