/** Checks a summary candidate before it is committed (content, length, coverage, size), and creates notices about an accepted one. */

import type { ContextSize } from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import { entryReference } from "../references.ts";
import { describeSizeLimit, isFarTooLong } from "../summary/size-limit.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { shouldCompact } from "./budget.ts";
import { isVisibleToModel } from "./cut-point.ts";
import { type CompactionPlan, MODEL_FREE_ROUTE, type SummaryCandidate } from "./plan.ts";
import type { Finding } from "./receipt.ts";

/** Returns visible entries that are neither kept, nor summarized, nor carried over. The list must be empty. */
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
    ? { code: "too-long", note: `the summary has ${tokens} tokens, ${maxTokens} are allowed` }
    : null;
};

/** BOUND4: refuses a summary that is many times too long, before it is read, redacted or counted. */
export function checkFarTooLong(
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
  return uncoveredEntries.length > 0
    ? {
        code: "not-covered",
        note: `${uncoveredEntries.length} entries are in neither part, the first is ${uncoveredEntries[0]?.id}`,
      }
    : null;
};

// CMP9: the context must become smaller.
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

/** Creates a notice for each kept message that is shortened. */
export function createReductionNotices({ reductions, kept }: CompactionPlan): readonly Finding[] {
  const referenceInTail = (id: string): string => entryReference(kept.find((entry) => entry.id === id) ?? { id });
  return reductions.map(({ targetId }) => ({
    code: "result-reduced",
    note: `${referenceInTail(targetId)} is shown as head and tail`,
  }));
}
