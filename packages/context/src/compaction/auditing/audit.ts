/** The checks a candidate must pass before it counts, one small function each, and what is worth knowing about one that did. */

import type { ContextSize } from "../../reading/tokens/context-size.ts";
import { textTokens } from "../../reading/tokens/text-tokens.ts";
import { auditSummary } from "../../summary/auditing/audit-summary.ts";
import type { FlawCode } from "../../summary/auditing/flaw.ts";
import { shouldCompact } from "../planning/budget.ts";
import { NARRATIVE, type Plan } from "../planning/plan.ts";
import type { Finding } from "../receipt.ts";
import { type Candidate, MODEL_FREE } from "../writing/candidate.ts";
import { uncovered } from "./coverage.ts";
import { claimEvidence } from "./plan-evidence.ts";

export interface Audited {
  readonly plan: Plan;
  readonly candidate: Candidate;
  readonly after: ContextSize;
}

type Check = (audited: Audited) => Finding | null;

/** The first thing that speaks against it; null where nothing does. */
export function objection(audited: Audited): Finding | null {
  for (const check of checks) {
    const finding = check(audited);
    if (finding) return finding;
  }
  return null;
}

// CMP5: an empty summary replaces nothing. What code keeps is never empty: it names at least what can be read again.
const saysSomething: Check = ({ candidate: { route, story } }) =>
  route !== MODEL_FREE && story.trim() === "" ? { code: "empty", note: "the summary is empty" } : null;

const isShortEnough: Check = ({ candidate: { route, story, notes }, plan }) => {
  if (route === MODEL_FREE) return null;
  const tokens = textTokens(story) + textTokens(notes);
  const most = Math.floor(plan.checkpoint * NARRATIVE);
  return tokens > most ? { code: "too-long", note: `the summary has ${tokens} tokens, ${most} are allowed` } : null;
};

// AUD2, AUD3, AUD4, AUD5: whoever wrote it, what it says of the user and of the work is borne out by the log. What was told
// before is carried on as it was.
const claimsHold: Check = ({ plan, candidate: { route, story } }) => {
  if (route === MODEL_FREE) return null;
  const flaws = auditSummary(newIn(story, plan), claimEvidence(plan), ANY_FORM);
  const flaw = flaws.find(({ code }) => isClaim(code));
  return flaw ? { code: flaw.code, note: flaw.note } : null;
};

/** Code alone made the rest. */
export function newIn(story: string, { carried }: Plan): string {
  return carried.story !== "" && story.startsWith(carried.story) ? story.slice(carried.story.length) : story;
}

/** Whatever sections it has, however long it is. */
export const ANY_FORM: { readonly sections: readonly string[]; readonly tokens: number } = {
  sections: [],
  tokens: Number.POSITIVE_INFINITY,
};

const isClaim = (code: FlawCode): boolean => CLAIMS.some((each) => each === code);
const CLAIMS: readonly FlawCode[] = ["unknown-id", "false-quote", "unfounded", "unknown-name"];

// CMP6
const leavesNothingOut: Check = ({ plan, candidate }) => {
  const left = uncovered(plan, candidate);
  return left.length > 0
    ? { code: "not-covered", note: `${left.length} entries are in neither part, the first is ${left[0]?.id}` }
    : null;
};

// CMP9
const makesItSmaller: Check = ({ plan: { before, budget }, after }) => {
  const isSmaller = after.tokens < before.tokens || (after.bytes < before.bytes && before.bytes > budget.bytes);
  if (!isSmaller) return { code: "no-gain", note: `${before.tokens} tokens would become ${after.tokens}` };
  const isLittle = after.tokens > before.tokens * (1 - budget.limits.progress);
  return isLittle && shouldCompact(before, budget) === null
    ? { code: "no-gain", note: `${before.tokens} tokens would become ${after.tokens}, which is hardly less` }
    : null;
};

const fits: Check = ({ plan: { budget }, after }) =>
  shouldCompact(after, budget) !== null
    ? { code: "does-not-fit", note: `${after.tokens} tokens would be left, ${budget.limit} fit` }
    : null;

const checks: readonly Check[] = [saysSomething, isShortEnough, claimsHold, leavesNothingOut, makesItSmaller, fits];

/** What the user may want to know about a compaction that was done. */
export function notices({ words, reductions }: Plan): readonly Finding[] {
  const evicted = words.evicted.length;
  return [
    ...(words.evictedBlocks + evicted > 0
      ? [{ code: "words-evicted" as const, note: evictedNote(words.evictedBlocks, evicted) }]
      : []),
    ...words.shortened.map((id) => ({
      code: "words-shortened" as const,
      note: `entry:${id} is kept as head and tail`,
    })),
    ...reductions.map(({ targetId }) => ({
      code: "result-reduced" as const,
      note: `entry:${targetId} is shown as head and tail`,
    })),
  ];
}

function evictedNote(blocks: number, messages: number): string {
  const parts = [
    ...(blocks > 0 ? [`the user's words of ${blocks} earlier compactions`] : []),
    ...(messages > 0 ? [`${messages} messages of the user`] : []),
  ];
  return `${parts.join(" and ")} are no longer shown; they can be recalled`;
}
