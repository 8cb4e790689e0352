/** Checks a candidate before it is committed (content, length, claims, coverage, size), and lists notices about an accepted one. */

import type { ContextSize } from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import { ledgerText } from "../ledger/render-ledger.ts";
import { auditSummary, type FlawCode } from "../summary/audit.ts";
import { type Evidence, evidenceOf } from "../summary/evidence.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { shouldCompact } from "./budget.ts";
import { isShown } from "./cut-point.ts";
import { keptByCode } from "./kept-work.ts";
import { type Candidate, MODEL_FREE, NARRATIVE, type Plan } from "./plan.ts";
import type { Finding } from "./receipt.ts";
import { carriedNarrative } from "./summary-message.ts";
import { isUsersRequest, requestIn } from "./user-messages.ts";

/**
 * What the model saw before a compaction must be kept, given to the summariser, or carried on. The entries that would fall out; a
 * compaction with any is refused.
 */
export function uncovered({ window, cut, carried }: Plan, { covers, story }: Candidate): readonly Entry[] {
  const before = window.entries[window.compactionAt];
  const isCarried = carried.story === "" || story !== "" || (before !== undefined && covers.has(before.id));
  return window.entries.filter((entry, at) => {
    if (entry.type === "compaction") return at === window.compactionAt && !isCarried;
    return at < cut.at && isShown(entry, window.edits) && !covers.has(entry.id);
  });
}

/** The same plan always gives the same; it is worked out once. */
export function planEvidence(plan: Plan): Evidence {
  const known = evidences.get(plan);
  if (known) return known;
  const evidence = gathered(plan);
  evidences.set(plan, evidence);
  return evidence;
}

/** For a story of any form: whether it says what was asked for last is not looked at. */
export function claimEvidence(plan: Plan): Evidence {
  return { ...planEvidence(plan), request: null };
}

const evidences = new WeakMap<Plan, Evidence>();

function gathered(plan: Plan): Evidence {
  const { window, covered, carried, request } = plan;
  const { id, words } = requestIn(request);
  return evidenceOf({
    covered,
    edits: window.edits,
    previous: carriedNarrative(carried),
    isOurs: carried.isChecked,
    words: carried.words.map(({ text }) => text).join(""),
    pins: window.state.pins.map(({ text }) => text),
    ledger: ledgerText(keptByCode(plan).ledger, { tokens: LEDGER }),
    request: isUsersRequest(request) ? { id, text: words } : null,
  });
}

/** Tokens of the ledger that names are looked up in: more than any front shows. */
const LEDGER = 100_000;

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
