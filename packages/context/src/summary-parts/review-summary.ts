/** Checks summaries against the log and marks what the log does not support. */

import { type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "../compaction/plan.ts";
import { previousNarrative } from "../compaction/previous-summary.ts";
import type { Finding } from "../compaction/receipt.ts";
import { collectPart } from "../compaction/summary-part.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { checkSummary, type Flaw } from "../summary/audit.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import { isFarTooLong } from "../summary/size-limit.ts";
import { latestRequest, previousUserMessages, readOpenQuestion } from "./latest-request.ts";
import { collectWorkRecord } from "./work-record.ts";

/** Marks what a summary by a hook, a host or a model claims without support in the log. */
export function reviewSummary(plan: CompactionPlan, candidate: SummaryCandidate): SummaryCandidate {
  const { route, narrative, findings = [] } = candidate;
  const isReviewed = route === MODEL_FREE_ROUTE || candidatesWithReview.has(candidate);
  // A summary that is far too long is refused later, so it is not read.
  if (isReviewed || isFarTooLong(narrative, plan.checkpoint)) return candidate;
  const newPart = newNarrativePart(narrative, plan);
  const { text, flaws } = checkSummary(newPart, { ...collectPlanEvidence(plan), request: null }, ANY_SHAPE);
  const previousPart = narrative.slice(0, narrative.length - newPart.length);
  return { ...candidate, narrative: `${previousPart}${text}`, findings: [...findings, ...flaws.map(toFinding)] };
}

/** Records that a candidate was checked while it was written, so that it is not checked again. */
export function markReviewed(candidate: SummaryCandidate): void {
  candidatesWithReview.add(candidate);
}

const candidatesWithReview = new WeakSet<SummaryCandidate>();

/** Converts a flaw for a receipt, without the lines of the draft. */
export function toFinding({ code, note }: Flaw): Finding {
  return { code, note };
}

/** Returns what is new in a narrative. The summary before was checked when it was written. */
export function newNarrativePart(narrative: string, { previous }: CompactionPlan): string {
  return previous.isChecked && previous.narrative !== "" && narrative.startsWith(previous.narrative)
    ? narrative.slice(previous.narrative.length)
    : narrative;
}

/** Accepts any sections and any length. */
export const ANY_SHAPE: { readonly sections: readonly string[]; readonly tokens: number } = {
  sections: [],
  tokens: Number.POSITIVE_INFINITY,
};

/** Collects what a summary of this plan is checked against; computed once per plan. */
export function collectPlanEvidence(plan: CompactionPlan): Evidence {
  const cached = evidenceCache.get(plan);
  if (cached) return cached;
  const { branch, covered, previous } = plan;
  const { request } = collectPart(latestRequest, plan);
  const evidence = collectEvidence({
    covered,
    edits: branch.edits,
    previous: previousNarrative(previous),
    isChecked: previous.isChecked,
    userMessages: previousUserMessages(previous),
    pins: branch.state.pins.map(({ text }) => text),
    ledger: renderLedger(collectWorkRecord(plan).ledger, { tokens: MAX_EVIDENCE_LEDGER_TOKENS }),
    request: request?.isPerson ? request : null,
    question: readOpenQuestion(previous),
  });
  evidenceCache.set(plan, evidence);
  return evidence;
}

const evidenceCache = new WeakMap<CompactionPlan, Evidence>();

/** The tokens of the ledger that names are looked up in, more than any summary message shows. */
const MAX_EVIDENCE_LEDGER_TOKENS = 100_000;
