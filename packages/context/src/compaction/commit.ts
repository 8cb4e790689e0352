/** Turns a plan and a candidate into one batch of entries, or a refusal if a check fails. Pure: nothing is written here. */

import { mergeSystemMessages } from "../context/build-request.ts";
import { type ContextSize, collectCalibration, contextSize } from "../context/context-size.ts";
import { collectLoadedSkills } from "../context/loaded-skills.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { entryReference } from "../references.ts";
import { appendToBranch, branchLeaf } from "../session/loaded-branch.ts";
import { type NewEntry, noRedaction, type Redaction } from "../session/session.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { checkFarTooLong, createNotices, firstFailedCheck } from "./checks.ts";
import { collectWorkRecord } from "./kept-work.ts";
import { type CallUsage, type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "./plan.ts";
import {
  type CompactionTrigger,
  type Finding,
  type Receipt,
  readReceipt,
  recentCallCosts,
  sumUsage,
  toCallCost,
  toEntryRange,
} from "./receipt.ts";
import { renderSummaryMessage, type SummaryMessage } from "./summary-message.ts";

export type CommitResult =
  | {
      readonly type: "ready";
      readonly newEntries: readonly NewEntry[];
      readonly receipt: Receipt;
      /** What the model sees first from then on. */
      readonly summaryText: string;
    }
  | { readonly type: "refused"; readonly finding: Finding };

/** What a commit is told from outside. */
export interface CommitContext {
  /** Of the compaction to be. */
  readonly id: string;
  readonly reason: CompactionTrigger;
  readonly now: number;
  readonly durationMs: number;
  /** What came up before: writers that failed, a limit that was reached. */
  readonly findings?: readonly Finding[];
  /** For summaries that were not used. */
  readonly unusedCalls?: readonly CallUsage[];
  /** What the log will let pass. */
  readonly redaction?: Redaction;
}

export function commitCandidate(
  plan: CompactionPlan,
  unredacted: SummaryCandidate,
  context: CommitContext,
): CommitResult {
  const { redaction = noRedaction } = context;
  const tooLong = checkFarTooLong(plan, unredacted);
  if (tooLong) return { type: "refused", finding: tooLong };
  const candidate = {
    ...unredacted,
    narrative: redaction.redact(unredacted.narrative),
    notes: redaction.redact(unredacted.notes),
  };
  const summaryMessage = buildSummaryMessage(plan, candidate, redaction);
  const compaction = createCompactionEntry(plan, candidate, { summaryMessage, ...context });
  const sizeAfter = estimateCompactedSize(plan, compaction);
  const finding = firstFailedCheck({ plan, candidate, sizeAfter });
  if (finding) return { type: "refused", finding: finding };
  const receipt = createReceipt(plan, candidate, { ...context, sizeAfter });
  const { details } = compaction;
  const compactionWithReceipt = { ...compaction, details: { ...details, pith: { ...details.pith, receipt } } };
  return {
    type: "ready",
    newEntries: [compactionWithReceipt, ...plan.reductions],
    receipt,
    summaryText: summaryMessage.text,
  };
}

// A front is taken apart by the lengths of its parts: nothing in it may change once it is put together.
function buildSummaryMessage(
  plan: CompactionPlan,
  { narrative, notes }: SummaryCandidate,
  redaction: Redaction,
): SummaryMessage {
  const { covered } = plan;
  const { pins, request } = redaction.redact({ pins: plan.pins, request: plan.requestText });
  const userMessages = redaction.redact(plan.userMessages.blocks);
  const freeTokens = plan.checkpoint - textTokens(narrative) - textTokens(notes);
  const tokens = Math.max(freeTokens, plan.checkpoint * MIN_LEDGER_SHARE);
  const ledger = redaction.redact(renderLedger(collectWorkRecord(plan).ledger, { tokens }));
  return renderSummaryMessage({
    pins,
    userMessages,
    narrative,
    notes,
    ledger,
    recall: renderRecallNote(covered),
    request,
  });
}

/** Of the checkpoint: what a summary that is too long leaves to the ledger. */
const MIN_LEDGER_SHARE = 0.1;

function renderRecallNote(covered: readonly Entry[]): string {
  const last = covered.at(-1);
  return last
    ? `# Earlier entries\nUp to ${entryReference(last)}, not shown any more; each can be read by its number.`
    : "";
}

type NewCompactionEntry = NewEntry &
  Pick<CompactionEntry, "type" | "summary" | "firstKeptEntryId"> & {
    readonly id: string;
    readonly details: Readonly<Record<string, unknown>> & { readonly pith: object };
  };

function createCompactionEntry(
  plan: CompactionPlan,
  { route, details, fromHook, calls = [] }: SummaryCandidate,
  { summaryMessage, id, now, unusedCalls = [] }: CommitContext & { readonly summaryMessage: SummaryMessage },
): NewCompactionEntry {
  const { ledger, turns, files } = collectWorkRecord(plan);
  const systemMessage = mergeSystemMessages(plan.branch);
  const references = collectLoadedSkills(plan.branch);
  return {
    type: "compaction",
    id,
    summary: summaryMessage.text,
    firstKeptEntryId: plan.kept[0]?.id ?? id,
    tokensBefore: plan.sizeBefore.tokens,
    details: {
      ...details,
      readFiles: files.read,
      modifiedFiles: files.modified,
      pith: {
        front: summaryMessage.parts,
        ledger,
        turns,
        ...(plan.question && { question: plan.question }),
        ...(references.length > 0 && { references }),
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

// What the one estimator will say once the batch is in the log.
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
    reason,
    durationMs,
    findings = [],
    unusedCalls = [],
    sizeAfter,
  }: CommitContext & { readonly sizeAfter: ContextSize },
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
    findings: [...findings, ...candidateFindings, ...createNotices(plan)],
    withoutProgress: madeProgress ? 0 : rounds + 1,
    undoTo: branchLeaf(plan.branch),
  };
}
