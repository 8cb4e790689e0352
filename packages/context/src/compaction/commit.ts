/** Converts a plan and a summary candidate to one batch of entries, or refuses the candidate if a check fails. It writes nothing. */

import { mergeSystemMessages } from "../context/build-request.ts";
import { type ContextSize, collectCalibration, contextSize } from "../context/context-size.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import { appendToBranch, branchLeaf } from "../session/loaded-branch.ts";
import { type NewEntry, noRedaction, type Redaction } from "../session/session.ts";
import { sumUsage } from "../usage.ts";
import { checkFarTooLong, createReductionNotices, firstFailedCheck } from "./checks.ts";
import { type CallUsage, type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "./plan.ts";
import {
  type CompactionTrigger,
  type Finding,
  type Receipt,
  readReceipt,
  recentCallCosts,
  toCallCost,
  toEntryRange,
} from "./receipt.ts";
import {
  collectPartDetails,
  collectPartFindings,
  renderSummaryMessage,
  type SummaryMessage,
  type SummaryPart,
} from "./summary-part.ts";

export type CommitResult =
  | {
      readonly type: "ready";
      readonly newEntries: readonly NewEntry[];
      readonly receipt: Receipt;
      /** The summary message, which the model sees first after the compaction. */
      readonly summaryText: string;
    }
  | { readonly type: "refused"; readonly finding: Finding };

export interface CommitContext {
  /** The parts of the summary message. */
  readonly parts: readonly SummaryPart[];
  /** The id of the new compaction entry. */
  readonly id: string;
  readonly reason: CompactionTrigger;
  readonly now: number;
  readonly durationMs: number;
  /** Findings of earlier attempts, such as failed summarizers or a reached limit. */
  readonly findings?: readonly Finding[];
  /** Model calls whose summaries were not used. */
  readonly unusedCalls?: readonly CallUsage[];
  /** The session's redaction of secrets. */
  readonly redaction?: Redaction;
}

/** Builds the batch of entries for a candidate, or refuses the candidate. */
export function commitCandidate(
  plan: CompactionPlan,
  unredacted: SummaryCandidate,
  context: CommitContext,
): CommitResult {
  const { parts, redaction = noRedaction } = context;
  const tooLong = checkFarTooLong(plan, unredacted);
  if (tooLong) return { type: "refused", finding: tooLong };
  const candidate = {
    ...unredacted,
    narrative: redaction.redact(unredacted.narrative),
    notes: redaction.redact(unredacted.notes),
  };
  const summaryMessage = renderSummaryMessage(parts, { plan, candidate, redaction });
  const compaction = createCompactionEntry(plan, candidate, { summaryMessage, ...context });
  const sizeAfter = estimateCompactedSize(plan, compaction);
  const finding = firstFailedCheck({ plan, candidate, sizeAfter });
  if (finding) return { type: "refused", finding: finding };
  const receipt = createReceipt(plan, candidate, { ...context, summaryMessage, sizeAfter });
  const { details } = compaction;
  const compactionWithReceipt = { ...compaction, details: { ...details, pith: { ...details.pith, receipt } } };
  return {
    type: "ready",
    newEntries: [compactionWithReceipt, ...plan.reductions],
    receipt,
    summaryText: summaryMessage.text,
  };
}

type NewCompactionEntry = NewEntry &
  Pick<CompactionEntry, "type" | "summary" | "firstKeptEntryId"> & {
    readonly id: string;
    readonly details: Readonly<Record<string, unknown>> & { readonly pith: object };
  };

function createCompactionEntry(
  plan: CompactionPlan,
  { route, details, fromHook, calls = [] }: SummaryCandidate,
  { parts, summaryMessage, id, now, unusedCalls = [] }: CommitContext & { readonly summaryMessage: SummaryMessage },
): NewCompactionEntry {
  const systemMessage = mergeSystemMessages(plan.branch);
  return {
    type: "compaction",
    id,
    summary: summaryMessage.text,
    firstKeptEntryId: plan.kept[0]?.id ?? id,
    tokensBefore: plan.sizeBefore.tokens,
    details: {
      ...details,
      ...collectPartDetails(parts, plan, "piDetails"),
      pith: {
        front: summaryMessage.parts,
        ...collectPartDetails(parts, plan, "details"),
        calibration: collectCalibration(plan.branch),
        checked: route !== MODEL_FREE_ROUTE || plan.previous.isChecked,
        ...(calls.length > 1 && { ownCalls: calls.length }),
        spending: [
          ...recentCallCosts(plan.branch, now),
          ...unusedCalls.map(({ usage }) => toCallCost(new Date(now).toISOString(), usage)),
        ],
      },
    },
    ...(calls.length > 0 && { usage: sumUsage(calls.map(({ usage }) => usage)) }),
    ...(fromHook && { fromHook }),
    ...(systemMessage && { systemMessage }),
  };
}

// Must equal the estimate after the batch is appended.
function estimateCompactedSize(
  { branch, reductions, budget }: CompactionPlan,
  compaction: NewCompactionEntry,
): ContextSize {
  const batch = [compaction, ...reductions].map((each, index) => ({
    id: `${compaction.id}-${index}`,
    ...each,
    parentId: branchLeaf(branch),
    timestamp: "",
  }));
  return contextSize(appendToBranch(branch, batch as readonly Entry[]), budget);
}

function createReceipt(
  plan: CompactionPlan,
  { route, by, calls = [], findings: candidateFindings = [] }: SummaryCandidate,
  {
    parts,
    summaryMessage,
    reason,
    durationMs,
    findings = [],
    unusedCalls = [],
    sizeAfter,
  }: CommitContext & { readonly summaryMessage: SummaryMessage; readonly sizeAfter: ContextSize },
): Receipt {
  const { sizeBefore, budget } = plan;
  const previous = plan.branch.entries[plan.branch.compactionIndex];
  const rounds = previous?.type === "compaction" ? (readReceipt(previous)?.withoutProgress ?? 0) : 0;
  const allCalls = [...unusedCalls, ...calls];
  const madeProgress = sizeAfter.tokens <= sizeBefore.tokens * (1 - budget.limits.progress);
  return {
    reason,
    route,
    by: by ? `${by.provider}/${by.model}` : null,
    rung: plan.level.name,
    covered: toEntryRange(plan.covered),
    kept: toEntryRange(plan.kept),
    tokens: {
      before: sizeBefore.tokens,
      after: sizeAfter.tokens,
      limit: Number.isFinite(budget.limit) ? budget.limit : null,
    },
    bytes: { before: sizeBefore.bytes, after: sizeAfter.bytes },
    calls: allCalls.length,
    cost: allCalls.reduce((sum, { usage: { cost } }) => sum + cost.total, 0),
    durationMs,
    findings: [
      ...findings,
      ...candidateFindings,
      ...collectPartFindings(parts, plan),
      ...summaryMessage.findings,
      ...createReductionNotices(plan),
    ],
    withoutProgress: madeProgress ? 0 : rounds + 1,
    undoTo: branchLeaf(plan.branch),
  };
}
