/** Checks a summary candidate (content, length, coverage, size) and builds its batch of entries, or refuses it. It writes nothing. */

import { mergeSystemMessages } from "../context/build-request.ts";
import { findCalibration } from "../context/calibration.ts";
import { type ContextSize, collectCalibration, contextSize } from "../context/context-size.ts";
import { type CompactionEntry, type Entry, entryReference } from "../entry.ts";
import { appendToBranch, branchLeaf } from "../session/loaded-branch.ts";
import { type NewEntry, noRedaction, type Redaction } from "../session/session.ts";
import { describeSizeLimit, isFarTooLong } from "../summary/limits.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { sumUsage } from "../usage.ts";
import { findExceededLimit } from "./budget.ts";
import { isVisibleToModel } from "./cut-point.ts";
import { type CallUsage, type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "./plan.ts";
import {
  type CompactionTrigger,
  type Finding,
  type Receipt,
  recentCallCosts,
  roundsWithoutProgress,
  toCallCost,
  toEntryRange,
} from "./receipt.ts";
import { countFreedTokens } from "./shrink-tail.ts";
import {
  collectPartDetails,
  collectPartFindings,
  renderSummaryMessage,
  type SummaryMessage,
  type SummaryPart,
} from "./summary-message.ts";

export type CandidateResult =
  | {
      readonly type: "ready";
      readonly newEntries: readonly NewEntry[];
      readonly receipt: Receipt;
      /** The summary message, which the model sees first after the compaction. */
      readonly summaryText: string;
    }
  | { readonly type: "refused"; readonly finding: Finding };

export interface BatchOptions {
  /** The parts of the summary message. */
  readonly parts: readonly SummaryPart[];
  /** The id of the new compaction entry. */
  readonly id: string;
  readonly reason: CompactionTrigger;
  readonly now: number;
  readonly durationMs: number;
  /** Set if the summary was prepared before the compaction. The usage of its calls is in the log already. */
  readonly prepared?: { readonly durationMs: number; readonly unusedCalls: readonly CallUsage[] } | undefined;
  /** Findings of earlier attempts, such as failed summarizers or a reached limit. */
  readonly findings?: readonly Finding[];
  /** Model calls whose summaries were not used. */
  readonly unusedCalls?: readonly CallUsage[];
  /** The session's redaction of secrets. */
  readonly redaction?: Redaction;
}

/** Checks a candidate and builds its batch of entries, or refuses the candidate. Its caller appends the batch. */
export function checkCandidate(
  plan: CompactionPlan,
  unredacted: SummaryCandidate,
  context: BatchOptions,
): CandidateResult {
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
  if (finding) return { type: "refused", finding };
  // A finding may quote the summary as the model wrote it, or an error of a provider.
  const receipt = redaction.redact(createReceipt(plan, candidate, { ...context, summaryMessage, sizeAfter }));
  const { details } = compaction;
  const compactionWithReceipt = { ...compaction, details: { ...details, pith: { ...details.pith, receipt } } };
  return {
    type: "ready",
    newEntries: [compactionWithReceipt, ...plan.shortenings, ...plan.removals],
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
  candidate: SummaryCandidate,
  context: BatchOptions & { readonly summaryMessage: SummaryMessage },
): NewCompactionEntry {
  const { parts, summaryMessage, id, now, prepared, unusedCalls = [] } = context;
  const { route, details, fromHook } = candidate;
  // PREP5: a call is counted once.
  const calls = prepared ? [] : (candidate.calls ?? []);
  const systemMessage = mergeSystemMessages(plan.branch);
  return {
    type: "compaction",
    id,
    summary: summaryMessage.text,
    firstKeptEntryId: plan.kept[0]?.id ?? id,
    tokensBefore: plan.sizeBefore.tokens,
    details: {
      ...details,
      ...collectPartDetails(parts, { plan, candidate }, "piDetails"),
      pith: {
        front: summaryMessage.parts,
        ...collectPartDetails(parts, { plan, candidate }, "details"),
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
  { branch, shortenings, removals, budget }: CompactionPlan,
  compaction: NewCompactionEntry,
): ContextSize {
  const batch = [compaction, ...shortenings, ...removals].map((each, index) => ({
    id: `${compaction.id}-${index}`,
    ...each,
    parentId: branchLeaf(branch),
    timestamp: "",
  }));
  return contextSize(appendToBranch(branch, batch as readonly Entry[]), budget);
}

function createReceipt(
  plan: CompactionPlan,
  candidate: SummaryCandidate,
  context: BatchOptions & { readonly summaryMessage: SummaryMessage; readonly sizeAfter: ContextSize },
): Receipt {
  const { parts, summaryMessage, reason, durationMs, prepared, findings = [], unusedCalls = [], sizeAfter } = context;
  const { route, by, calls = [], expectedCost, findings: candidateFindings = [] } = candidate;
  const { sizeBefore, budget } = plan;
  const allCalls = [...(prepared?.unusedCalls ?? []), ...unusedCalls, ...calls];
  const madeProgress = sizeAfter.tokens <= sizeBefore.tokens * (1 - budget.limits.progress);
  return {
    reason,
    route,
    by: by ? `${by.provider}/${by.model}` : null,
    rung: plan.level.name,
    ...(plan.originals && { fromOriginals: true as const }),
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
    ...(expectedCost !== undefined && { expectedCost }),
    ...computeCachedShare(allCalls),
    durationMs,
    ...(prepared && { preparedMs: prepared.durationMs }),
    findings: [
      ...findings,
      ...candidateFindings,
      ...collectPartFindings(parts, { plan, candidate }),
      ...summaryMessage.findings,
      ...createEditNotices(plan),
      ...createCutNotices(plan),
    ],
    // A summary that is derived again need not free anything.
    withoutProgress: madeProgress ? 0 : roundsWithoutProgress(plan.branch) + (plan.originals ? 0 : 1),
    undoTo: branchLeaf(plan.branch),
  };
}

function computeCachedShare(calls: readonly CallUsage[]): Pick<Receipt, "cachedShare"> {
  if (calls.length === 0) return {};
  const { input, cacheRead, cacheWrite } = sumUsage(calls.map(({ usage }) => usage));
  const share = cacheRead / (input + cacheRead + cacheWrite);
  return Number.isFinite(share) ? { cachedShare: Math.round(share * 1000) / 1000 } : {};
}

/** Returns visible entries that are neither kept, nor summarized, nor carried over. The list must be empty. */
export function findUncoveredEntries(
  { covered, edits, previous: { compaction, narrative: previousNarrative } }: CompactionPlan,
  { covers, narrative }: SummaryCandidate,
): readonly Entry[] {
  const isPreviousCovered =
    compaction === null || previousNarrative === "" || narrative !== "" || covers.has(compaction.id);
  return [
    ...covered.filter((entry) => isVisibleToModel(entry, edits) && !covers.has(entry.id)),
    ...(isPreviousCovered ? [] : [compaction]),
  ];
}

export interface CheckInput {
  readonly plan: CompactionPlan;
  readonly candidate: SummaryCandidate;
  readonly sizeAfter: ContextSize;
}

type CandidateCheck = (input: CheckInput) => Finding | null;

/** Returns the finding of the first check that fails, or null. */
export function firstFailedCheck(input: CheckInput): Finding | null {
  for (const check of candidateChecks) {
    const finding = check(input);
    if (finding) return finding;
  }
  return null;
}

// CMP5: an empty summary is refused. The summary without a model is never empty.
const checkNotEmpty: CandidateCheck = ({ candidate: { route, narrative } }) =>
  route !== MODEL_FREE_ROUTE && narrative.trim() === "" ? { code: "empty", note: "the summary is empty" } : null;

// Summarizers get a lower limit than this one. A summary that is slightly too long may use the ledger's tokens.
const checkLength: CandidateCheck = ({ candidate: { route, narrative, notes }, plan }) => {
  if (route === MODEL_FREE_ROUTE) return null;
  const tokens = textTokens(narrative) + textTokens(notes);
  const maxTokens = Math.floor(plan.checkpoint);
  return tokens > maxTokens
    ? {
        code: "too-long",
        note: `the summary has ${formatTokens(tokens)} tokens; the limit is ${formatTokens(maxTokens)}`,
      }
    : null;
};

/** BOUND4: refuses a summary that is many times too long, before it is read, redacted or counted. */
function checkFarTooLong(
  { checkpoint }: CompactionPlan,
  { route, narrative, notes }: SummaryCandidate,
): Finding | null {
  const longest = narrative.length > notes.length ? narrative : notes;
  if (route === MODEL_FREE_ROUTE || !isFarTooLong(longest, checkpoint)) return null;
  return { code: "too-long", note: describeSizeLimit(longest, checkpoint) };
}

// CMP6: every entry that the model saw is covered or kept.
const checkCoverage: CandidateCheck = ({ plan, candidate }) => {
  const uncoveredEntries = findUncoveredEntries(plan, candidate);
  const [first] = uncoveredEntries;
  if (first === undefined) return null;
  const count = uncoveredEntries.length === 1 ? "1 entry is" : `${uncoveredEntries.length} entries are`;
  return { code: "not-covered", note: `${count} neither summarized nor kept; the first is ${first.id}` };
};

// CMP9: the context must become smaller, except if the summary is derived again from the originals.
const checkGain: CandidateCheck = ({ plan: { sizeBefore, budget, originals }, sizeAfter }) => {
  if (originals) return null;
  const isSmaller =
    sizeAfter.tokens < sizeBefore.tokens || (sizeAfter.bytes < sizeBefore.bytes && sizeBefore.bytes > budget.bytes);
  if (!isSmaller)
    return { code: "no-gain", note: `the context would not shrink (${formatChange(sizeBefore, sizeAfter)})` };
  const isSmallGain = sizeAfter.tokens > sizeBefore.tokens * (1 - budget.limits.progress);
  return isSmallGain && findExceededLimit(sizeBefore, budget) === null
    ? { code: "no-gain", note: `the context would hardly shrink (${formatChange(sizeBefore, sizeAfter)})` }
    : null;
};

function formatChange(before: Pick<ContextSize, "tokens">, after: Pick<ContextSize, "tokens">): string {
  return `${formatTokens(before.tokens)} → ${formatTokens(after.tokens)} tokens`;
}

const formatTokens = (tokens: number): string => tokens.toLocaleString("en-US");

const checkFits: CandidateCheck = ({ plan: { budget }, sizeAfter }) =>
  findExceededLimit(sizeAfter, budget) !== null
    ? {
        code: "does-not-fit",
        note: `${formatTokens(sizeAfter.tokens)} tokens would remain, but only ${formatTokens(budget.limit)} fit`,
      }
    : null;

const candidateChecks: readonly CandidateCheck[] = [checkNotEmpty, checkLength, checkCoverage, checkGain, checkFits];

/** Creates a notice for each kept message that is shortened, and one for all that are removed as outdated. */
export function createEditNotices({ shortenings, removals, kept, ...plan }: CompactionPlan): readonly Finding[] {
  const referenceInTail = (id: string): string => entryReference(kept.find((entry) => entry.id === id) ?? { id });
  const shortened = shortenings.map(
    ({ targetId }): Finding => ({
      code: "result-reduced",
      note: `${referenceInTail(targetId)} is shortened to its beginning and end`,
    }),
  );
  if (removals.length === 0) return shortened;
  const calibration = findCalibration(collectCalibration(plan.branch), plan.budget.model);
  const tokens = formatTokens(countFreedTokens(removals, { entries: kept }, calibration));
  const what = removals.length === 1 ? "1 outdated tool result" : `${removals.length} outdated tool results`;
  return [
    ...shortened,
    { code: "outdated-removed", note: `${what} removed from the kept messages (−${tokens} tokens)` },
  ];
}

// A tool result that should be the first kept entry is kept together with its call.
function createCutNotices({ requestedFirstKept, kept: [first] }: CompactionPlan): readonly Finding[] {
  if (!requestedFirstKept || !first || first.id === requestedFirstKept.id) return [];
  const note = `${entryReference(requestedFirstKept)} belongs to a tool call before it, so everything from ${entryReference(first)} on is kept`;
  return [{ code: "cut-moved", note }];
}
