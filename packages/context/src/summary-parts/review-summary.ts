/** Checks summaries against the log, marks claims that the log does not support, and puts back lines that carry over messages of the user. */

import { getOrCompute } from "../cache.ts";
import { type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "../compaction/plan.ts";
import type { Finding } from "../compaction/receipt.ts";
import { collectPart } from "../compaction/summary-message.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { type ComparedLines, compareLines, putBackLines } from "../summary/carried-lines.ts";
import { checkSummary } from "../summary/check-summary.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import type { Flaw } from "../summary/flaw.ts";
import { isFarTooLong } from "../summary/limits.ts";
import { previousNarrative } from "../summary/parse-summary.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { latestRequest, previousUserMessages, readOpenQuestion } from "./latest-request.ts";
import { readOmittedMessages } from "./omitted-messages.ts";
import { collectWorkRecord } from "./work-record.ts";

/** Marks the claims of a summary by a hook, a host or a model that the log does not support, and puts back lines that it left out. */
export function reviewSummary(plan: CompactionPlan, candidate: SummaryCandidate): SummaryCandidate {
  const { route, narrative } = candidate;
  // A summary that is far too long is refused later, so it is not checked.
  if (route === MODEL_FREE_ROUTE || isFarTooLong(narrative, plan.checkpoint)) return candidate;
  const marked = candidate.isReviewed ? candidate : markClaims(plan, candidate);
  return { ...marked, narrative: putBackCarriedLines(plan, marked) };
}

// KEEP10: a message that has left the context stays in the summary, whatever the model leaves out.
function putBackCarriedLines(plan: CompactionPlan, { narrative, notes }: SummaryCandidate): string {
  if (narrative.trim() === "") return narrative;
  return putBackLines(narrative, compareCarriedLines(plan, narrative), plan.checkpoint - textTokens(notes));
}

/** Compares the lines that carry over messages which have left the context with a new summary. */
export function compareCarriedLines(plan: CompactionPlan, narrative: string): ComparedLines {
  const { previous } = plan;
  return compareLines({
    previous: previous.narrative,
    summary: narrative,
    carried: new Set(readOmittedMessages(previous).carried),
    isUserMessage: (reference) => collectPlanEvidence(plan).sourceOf(reference)?.isFromUser === true,
  });
}

function markClaims(plan: CompactionPlan, candidate: SummaryCandidate): SummaryCandidate {
  const { narrative, findings = [] } = candidate;
  const newPart = newNarrativePart(narrative, plan);
  const { text, flaws } = checkSummary(newPart, { ...collectPlanEvidence(plan), request: null }, ANY_SHAPE);
  const previousPart = narrative.slice(0, narrative.length - newPart.length);
  return { ...candidate, narrative: `${previousPart}${text}`, findings: [...findings, ...flaws.map(toFinding)] };
}

/** Converts a flaw to a finding for the receipt, without the lines of the draft. */
export function toFinding({ code, note }: Flaw): Finding {
  return { code, note };
}

/** Returns the part of a narrative after the previous narrative, if that was already checked. */
export function newNarrativePart(narrative: string, { previous }: CompactionPlan): string {
  return previous.isChecked && previous.narrative !== "" && narrative.startsWith(previous.narrative)
    ? narrative.slice(previous.narrative.length)
    : narrative;
}

/** A summary shape without required sections or a length limit. */
export const ANY_SHAPE: { readonly sections: readonly string[]; readonly tokens: number } = {
  sections: [],
  tokens: Number.POSITIVE_INFINITY,
};

/** Collects the evidence that a summary of this plan is checked against; cached per plan. */
export function collectPlanEvidence(plan: CompactionPlan): Evidence {
  return getOrCompute(evidenceCache, plan, () => {
    const { branch, earlier = [], covered, edits, previous } = plan;
    const { request } = collectPart(latestRequest, plan);
    return collectEvidence({
      covered: [...earlier, ...covered],
      edits,
      previous: previousNarrative(previous),
      isChecked: previous.isChecked,
      userMessages: previousUserMessages(previous),
      pins: branch.state.pins.map(({ text }) => text),
      ledger: renderLedger(collectWorkRecord(plan).ledger, { tokens: MAX_EVIDENCE_LEDGER_TOKENS }),
      request: request?.isPerson ? request : null,
      question: readOpenQuestion(previous),
      ...(plan.budget.tools && { tools: plan.budget.tools }),
    });
  });
}

const evidenceCache = new WeakMap<CompactionPlan, Evidence>();

/** The maximum tokens of the ledger used as evidence; more than any summary message shows. */
const MAX_EVIDENCE_LEDGER_TOKENS = 100_000;
