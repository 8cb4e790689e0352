/** Checks a candidate before it is committed (content, length, claims, coverage, size), and lists notices about an accepted one. */

import type { ContextSize } from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import { ledgerText } from "../ledger/render-ledger.ts";
import { entryReference } from "../references.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import { describeTooLong, isFarTooLong } from "../summary/size-limit.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { shouldCompact } from "./budget.ts";
import { isShown } from "./cut-point.ts";
import { keptByCode } from "./kept-work.ts";
import { type Candidate, MODEL_FREE, type Plan } from "./plan.ts";
import type { Finding } from "./receipt.ts";
import { carriedNarrative, carriedUserMessages } from "./summary-message.ts";

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

const evidences = new WeakMap<Plan, Evidence>();

function gathered(plan: Plan): Evidence {
  const { window, covered, carried, request } = plan;
  return collectEvidence({
    covered,
    edits: window.edits,
    previous: carriedNarrative(carried),
    isChecked: carried.isChecked,
    userMessages: carriedUserMessages(carried),
    pins: window.state.pins.map(({ text }) => text),
    ledger: ledgerText(keptByCode(plan).ledger, { tokens: LEDGER }),
    request: request?.isPerson ? request : null,
    question: carried.question,
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

// A summariser is given less; one that is a little too long is better than none, and may take the ledger's room.
const isShortEnough: Check = ({ candidate: { route, story, notes }, plan }) => {
  if (route === MODEL_FREE) return null;
  const tokens = textTokens(story) + textTokens(notes);
  const most = Math.floor(plan.checkpoint);
  return tokens > most ? { code: "too-long", note: `the summary has ${tokens} tokens, ${most} are allowed` } : null;
};

/** BOUND4: asked before anything reads, redacts or counts it, whoever wrote it. */
export function sizeObjection({ checkpoint }: Plan, { route, story, notes }: Candidate): Finding | null {
  const longest = story.length > notes.length ? story : notes;
  if (route === MODEL_FREE || !isFarTooLong(longest, checkpoint)) return null;
  return { code: "too-long", note: describeTooLong(longest, checkpoint) };
}

/** Code alone made the rest. */
export function newIn(story: string, { carried }: Plan): string {
  return carried.isChecked && carried.story !== "" && story.startsWith(carried.story)
    ? story.slice(carried.story.length)
    : story;
}

/** Whatever sections it has, however long it is. */
export const ANY_FORM: { readonly sections: readonly string[]; readonly tokens: number } = {
  sections: [],
  tokens: Number.POSITIVE_INFINITY,
};

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

const checks: readonly Check[] = [saysSomething, isShortEnough, leavesNothingOut, makesItSmaller, fits];

/** What the user may want to know about a compaction that was done. */
export function notices({ words, reductions, kept }: Plan): readonly Finding[] {
  const referenceTo = (id: string): string => entryReference(kept.find((entry) => entry.id === id) ?? { id });
  return [
    ...(words.evicted.length > 0 ? [{ code: "words-evicted" as const, note: evictedNote(words.evicted) }] : []),
    ...words.shortened.map((reference) => ({
      code: "words-shortened" as const,
      note: `${reference} is kept as head and tail`,
    })),
    ...reductions.map(({ targetId }) => ({
      code: "result-reduced" as const,
      note: `${referenceTo(targetId)} is shown as head and tail`,
    })),
  ];
}

function evictedNote(references: readonly string[]): string {
  const count = references.length === 1 ? "1 message of the user is" : `${references.length} messages of the user are`;
  return `${count} no longer shown, but can be read again: ${references.join(", ")}`;
}
