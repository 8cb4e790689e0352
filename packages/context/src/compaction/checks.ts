/** Checks a candidate before it is committed (content, length, claims, coverage, size), and lists notices about an accepted one. */

import type { ContextSize } from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { entryReference } from "../references.ts";
import { describeSizeLimit, isFarTooLong } from "../summary/audit.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { shouldCompact } from "./budget.ts";
import { isVisibleToModel } from "./cut-point.ts";
import { collectWorkRecord } from "./kept-work.ts";
import { type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "./plan.ts";
import type { Finding } from "./receipt.ts";
import { previousNarrative, previousUserMessages } from "./summary-message.ts";

/**
 * What the model saw before a compaction must be kept, given to the summariser, or carried on. The entries that would fall out; a
 * compaction with any is refused.
 */
export function findUncoveredEntries(
  { branch, cut, previous }: CompactionPlan,
  { covers, narrative }: SummaryCandidate,
): readonly Entry[] {
  const previousCompaction = branch.entries[branch.compactionIndex];
  const isPreviousCovered =
    previous.narrative === "" ||
    narrative !== "" ||
    (previousCompaction !== undefined && covers.has(previousCompaction.id));
  return branch.entries.filter((entry, index) => {
    if (entry.type === "compaction") return index === branch.compactionIndex && !isPreviousCovered;
    return index < cut.index && isVisibleToModel(entry, branch.edits) && !covers.has(entry.id);
  });
}

/** The same plan always gives the same; it is worked out once. */
export function collectPlanEvidence(plan: CompactionPlan): Evidence {
  const cached = evidenceCache.get(plan);
  if (cached) return cached;
  const evidence = gatherEvidence(plan);
  evidenceCache.set(plan, evidence);
  return evidence;
}

const evidenceCache = new WeakMap<CompactionPlan, Evidence>();

function gatherEvidence(plan: CompactionPlan): Evidence {
  const { branch, covered, previous, request } = plan;
  return collectEvidence({
    covered,
    edits: branch.edits,
    previous: previousNarrative(previous),
    isChecked: previous.isChecked,
    userMessages: previousUserMessages(previous),
    pins: branch.state.pins.map(({ text }) => text),
    ledger: renderLedger(collectWorkRecord(plan).ledger, { tokens: MAX_EVIDENCE_LEDGER_TOKENS }),
    request: request?.isPerson ? request : null,
    question: previous.question,
  });
}

/** Tokens of the ledger that names are looked up in: more than any front shows. */
const MAX_EVIDENCE_LEDGER_TOKENS = 100_000;

export interface CheckInput {
  readonly plan: CompactionPlan;
  readonly candidate: SummaryCandidate;
  readonly sizeAfter: ContextSize;
}

type CandidateCheck = (input: CheckInput) => Finding | null;

/** The first thing that speaks against it; null where nothing does. */
export function firstFailedCheck(input: CheckInput): Finding | null {
  for (const check of candidateChecks) {
    const finding = check(input);
    if (finding) return finding;
  }
  return null;
}

// CMP5: an empty summary replaces nothing. What code keeps is never empty: it names at least what can be read again.
const checkNotEmpty: CandidateCheck = ({ candidate: { route, narrative } }) =>
  route !== MODEL_FREE_ROUTE && narrative.trim() === "" ? { code: "empty", note: "the summary is empty" } : null;

// A summariser is given less; one that is a little too long is better than none, and may take the ledger's room.
const checkLength: CandidateCheck = ({ candidate: { route, narrative, notes }, plan }) => {
  if (route === MODEL_FREE_ROUTE) return null;
  const tokens = textTokens(narrative) + textTokens(notes);
  const maxTokens = Math.floor(plan.checkpoint);
  return tokens > maxTokens
    ? { code: "too-long", note: `the summary has ${tokens} tokens, ${maxTokens} are allowed` }
    : null;
};

/** BOUND4: asked before anything reads, redacts or counts it, whoever wrote it. */
export function checkFarTooLong(
  { checkpoint }: CompactionPlan,
  { route, narrative, notes }: SummaryCandidate,
): Finding | null {
  const longest = narrative.length > notes.length ? narrative : notes;
  if (route === MODEL_FREE_ROUTE || !isFarTooLong(longest, checkpoint)) return null;
  return { code: "too-long", note: describeSizeLimit(longest, checkpoint) };
}

/** Code alone made the rest. */
export function newNarrativePart(narrative: string, { previous }: CompactionPlan): string {
  return previous.isChecked && previous.narrative !== "" && narrative.startsWith(previous.narrative)
    ? narrative.slice(previous.narrative.length)
    : narrative;
}

/** Whatever sections it has, however long it is. */
export const ANY_SHAPE: { readonly sections: readonly string[]; readonly tokens: number } = {
  sections: [],
  tokens: Number.POSITIVE_INFINITY,
};

// CMP6
const checkCoverage: CandidateCheck = ({ plan, candidate }) => {
  const uncoveredEntries = findUncoveredEntries(plan, candidate);
  return uncoveredEntries.length > 0
    ? {
        code: "not-covered",
        note: `${uncoveredEntries.length} entries are in neither part, the first is ${uncoveredEntries[0]?.id}`,
      }
    : null;
};

// CMP9
const checkGain: CandidateCheck = ({ plan: { sizeBefore, budget }, sizeAfter }) => {
  const isSmaller =
    sizeAfter.tokens < sizeBefore.tokens || (sizeAfter.bytes < sizeBefore.bytes && sizeBefore.bytes > budget.bytes);
  if (!isSmaller) return { code: "no-gain", note: `${sizeBefore.tokens} tokens would become ${sizeAfter.tokens}` };
  const isSmallGain = sizeAfter.tokens > sizeBefore.tokens * (1 - budget.limits.progress);
  return isSmallGain && shouldCompact(sizeBefore, budget) === null
    ? { code: "no-gain", note: `${sizeBefore.tokens} tokens would become ${sizeAfter.tokens}, which is hardly less` }
    : null;
};

const checkFits: CandidateCheck = ({ plan: { budget }, sizeAfter }) =>
  shouldCompact(sizeAfter, budget) !== null
    ? { code: "does-not-fit", note: `${sizeAfter.tokens} tokens would be left, ${budget.limit} fit` }
    : null;

const candidateChecks: readonly CandidateCheck[] = [checkNotEmpty, checkLength, checkCoverage, checkGain, checkFits];

/** What the user may want to know about a compaction that was done. */
export function createNotices({ userMessages, reductions, kept }: CompactionPlan): readonly Finding[] {
  const keptReference = (id: string): string => entryReference(kept.find((entry) => entry.id === id) ?? { id });
  return [
    ...(userMessages.evicted.length > 0
      ? [{ code: "user-messages-evicted" as const, note: formatEvictedNote(userMessages.evicted) }]
      : []),
    ...userMessages.shortened.map((reference) => ({
      code: "user-messages-shortened" as const,
      note: `${reference} is kept as head and tail`,
    })),
    ...reductions.map(({ targetId }) => ({
      code: "result-reduced" as const,
      note: `${keptReference(targetId)} is shown as head and tail`,
    })),
  ];
}

function formatEvictedNote(references: readonly string[]): string {
  const count = references.length === 1 ? "1 message of the user is" : `${references.length} messages of the user are`;
  return `${count} no longer shown, but can be read again: ${references.join(", ")}`;
}
