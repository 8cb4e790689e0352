/** Gets the summary of a left branch: an earlier one is reused, a hook's is taken, or a model writes one. */

import type { Budget } from "../compaction/budget.ts";
import { ANY_FORM } from "../compaction/checks.ts";
import { isShown } from "../compaction/cut-point.ts";
import { allowanceAt, summedUsage } from "../compaction/receipt.ts";
import { BRANCH_USAGE, type BranchSummaryEntry, type Entry } from "../entry.ts";
import { reportTo } from "../hooks.ts";
import type { ThinkingLevel, Usage } from "../message.ts";
import type { Model } from "../model.ts";
import type { Ports } from "../runtime.ts";
import type { Drafted, Redaction, Session } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import type { Call, TellProgress } from "../summary/ask-model.ts";
import { checkSummary } from "../summary/audit.ts";
import { moderate, type SummaryFailure } from "../summary/generate-summary.ts";
import { describeTooLong, isFarTooLong } from "../summary/size-limit.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  branchEvidence,
  generateBranchSummary,
  type LeftBranch,
  type ToldBranch,
  toldBranch,
} from "./summarize-branch.ts";
import type { BeforeTree, HookSummary, TreeHooks } from "./tree-hooks.ts";

export interface Remembered {
  readonly entry: BranchSummaryEntry;
  readonly story: string;
  /** What came after the place at which it was left then. */
  readonly since: readonly Entry[];
}

/** The newest that tells the same branch from the same beginning with the same focus; null where there is none. */
export async function remembered(store: Store, left: LeftBranch, focus: string): Promise<Remembered | null> {
  const { entries, commonAncestorId } = left;
  const places = new Map(entries.map(({ id }, at) => [id, at]));
  const told = (await store.branchSummaries(new Set(places.keys()))).filter((entry) => {
    const mark = markIn(entry);
    // B70: pi once wrote the destination here.
    return mark && entry.fromId !== entry.parentId && mark.ancestor === commonAncestorId && mark.focus === focus;
  });
  const newest = told.toSorted((one, other) => placeOf(one, places) - placeOf(other, places)).at(-1);
  if (!newest) return null;
  const letters = markIn(newest)?.story ?? 0;
  return {
    entry: newest,
    story: newest.summary.slice(0, letters),
    since: entries.slice(placeOf(newest, places) + 1),
  };
}

/** By what it is known again: where it begins, what it looked at, and how much of it is the story. */
export interface LeftMark {
  readonly ancestor: string | null;
  readonly focus: string;
  /** Letters. */
  readonly story: number;
}

function placeOf({ fromId }: BranchSummaryEntry, places: ReadonlyMap<string, number>): number {
  return places.get(fromId) ?? -1;
}

// It comes from a file; a hook's own is nobody else's.
function markIn({ details, fromHook, summary }: BranchSummaryEntry): LeftMark | null {
  const left = (details as { readonly pith?: { readonly left?: unknown } } | null | undefined)?.pith?.left;
  const { ancestor, focus, story } = Object(left) as Partial<Readonly<Record<keyof LeftMark, unknown>>>;
  if (fromHook || typeof focus !== "string" || typeof story !== "number" || story > summary.length) return null;
  return ancestor === null || typeof ancestor === "string" ? { ancestor, focus, story } : null;
}

export interface WantedSummary {
  /** In order of preference, each with its own window. */
  readonly models: readonly Model[];
  readonly instructions?: string;
  /** Whether these take the place of our own task. */
  readonly replaceInstructions?: boolean;
  readonly thinking?: ThinkingLevel;
}

export interface LeftParts {
  readonly session: Session;
  readonly budget: Budget;
  readonly ports: Pick<Ports, "sleep" | "nonce" | "now">;
  readonly summary: WantedSummary;
  /** What hooks had to say before. */
  readonly said: BeforeTree;
  readonly hooks?: TreeHooks;
  readonly progress?: TellProgress;
  readonly signal?: AbortSignal;
}

/** What was paid is to be written where nothing comes of it. */
export type LeftTold =
  | { readonly type: "told"; readonly summary: LeftSummary | null; readonly usages: readonly Drafted[] }
  | { readonly type: "failed"; readonly failures: readonly SummaryFailure[]; readonly usages: readonly Drafted[] }
  | { readonly type: "cancelled"; readonly usages: readonly Drafted[] };

export type LeftSummary = Pick<BranchSummaryEntry, "summary" | "details" | "usage" | "fromHook">;

export async function tellLeft(left: LeftBranch, parts: LeftParts): Promise<LeftTold> {
  const { session, budget, ports, summary, said, progress, signal } = parts;
  const own = said.summary && hookSummary(left, said.summary, parts);
  if (own) return { type: "told", summary: own, usages: [] };
  const refused = said.summary?.usage ? [hookUsage(said.summary.usage, budget)] : [];
  const { instructions, replaceInstructions, focus } = askedFor(said, summary);
  // BR4: a branch that was left, come back to and left again without a word is not told again.
  const found = await remembered(session.store, left, focus);
  // What was taken out since must not come back.
  const known = found?.since.some(({ type }) => type === "context_edit") ? null : found;
  if (known && !known.since.some((entry) => isShown(entry, left.edits)))
    return { type: "told", summary: { summary: known.entry.summary, details: known.entry.details }, usages: [] };
  const outcome = await generateBranchSummary({
    models: summary.models,
    ports,
    left,
    ...(known && { before: known }),
    instructions,
    replaceInstructions,
    tokens: budget.branch,
    thinking: summary.thinking ?? moderate(session.window.state.thinkingLevel),
    allowance: allowanceAt(session.window, budget.limits.hourly, { now: ports.now() }),
    room: budget.branchRoom,
    ...(budget.tools && { tools: budget.tools }),
    time: budget.limits.summaryTime,
    progress,
    signal,
  });
  const usages = [...refused, ...outcome.calls.map(usageEntry)];
  if (outcome.type !== "summarised")
    return outcome.type === "failed" ? { type: "failed", failures: outcome.failures, usages } : { ...outcome, usages };
  const { by, calls } = outcome;
  const told = withoutSecrets(outcome.told, session);
  const mark = { ancestor: left.commonAncestorId, focus, story: told.story.length };
  return {
    type: "told",
    summary: summaryOf(told, { mark, by: `${by.provider}/${by.model}`, usages: calls.map(({ usage }) => usage) }),
    usages,
  };
}

type AskedFor = Required<Pick<WantedSummary, "instructions" | "replaceInstructions">> & Pick<LeftMark, "focus">;

/** Hooks have the last word. */
function askedFor(said: BeforeTree, summary: WantedSummary): AskedFor {
  const instructions = (said.instructions ?? summary.instructions ?? "").trim();
  const replaceInstructions = said.replaceInstructions ?? summary.replaceInstructions ?? false;
  return { instructions, replaceInstructions, focus: replaceInstructions ? `= ${instructions}` : instructions };
}

// Where the story ends is marked by its length, so it is redacted before that is taken.
function withoutSecrets({ story, summary, details }: ToldBranch, redaction: Redaction): ToldBranch {
  const clean = redaction.redacted(story);
  return { story: clean, summary: `${clean}${redaction.redacted(summary.slice(story.length))}`, details };
}

interface Marks {
  readonly mark?: LeftMark;
  readonly by?: string;
  readonly usages: readonly Usage[];
}

function summaryOf({ summary, details }: ToldBranch, { mark, by, usages }: Marks): LeftSummary {
  const { pith } = details as { readonly pith: object };
  return {
    summary,
    details: { ...details, pith: { ...pith, ...(mark && { left: mark }), ...(by && { by }) } },
    ...(usages.length > 0 && { usage: summedUsage(usages) }),
  };
}

// HOOK2: a hook's summary is checked against the log like a model's.
function hookSummary(left: LeftBranch, { summary, details, usage }: HookSummary, parts: LeftParts): LeftSummary | null {
  const { budget, hooks } = parts;
  // BOUND4: by its length first, before anything reads it.
  if (isFarTooLong(summary, budget.branch)) {
    reportTo(hooks ?? {}, { event: "session_before_tree", why: describeTooLong(summary, budget.branch) });
    return null;
  }
  const { text: story } = checkSummary(summary.trim(), branchEvidence(left), ANY_FORM);
  const tokens = textTokens(story);
  const why = story.trim() === "" ? "its summary is empty" : `its summary has ${tokens} tokens`;
  if (story.trim() === "" || tokens > budget.branch) {
    reportTo(hooks ?? {}, { event: "session_before_tree", why });
    return null;
  }
  const told = toldBranch(story, { left, tokens: budget.branch, ...(budget.tools && { tools: budget.tools }) });
  const own = { ...told, details: { ...details, ...told.details } };
  return { ...summaryOf(own, { usages: usage ? [usage] : [] }), fromHook: true };
}

function hookUsage(usage: Usage, { to }: Budget): Drafted {
  const { provider = "", model = "" } = to ?? {};
  return { type: "usage", kind: BRANCH_USAGE, provider, model, usage };
}

function usageEntry({ usage, by }: Call): Drafted {
  return { type: "usage", kind: BRANCH_USAGE, provider: by.provider, model: by.model, usage };
}
