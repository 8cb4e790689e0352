/** Plans a compaction: where it cuts, what it covers and keeps; defines what a summariser returns. Pure and cheap: it is the preview. */

import { latestEdit } from "../context/build-context.ts";
import { type ContextSize, calibrationAt, contextSize, entryBytes, type Fit, fitOf } from "../context/context-size.ts";
import type { Entry } from "../entry.ts";
import type { Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import { leafOf, type Window } from "../session/loaded-branch.ts";
import type { Allowance, TellProgress } from "../summary/ask-model.ts";
import type { TimeLimit } from "../summary/time-limit.ts";
import { type Budget, type Rung, rungs, shouldCompact } from "./budget.ts";
import { type Cut, cutAt, findCutPoint, isShown, mayCutAt } from "./cut-point.ts";
import { pinsText } from "./pins.ts";
import type { Finding } from "./receipt.ts";
import { keptBytes, type Reduction, reducedTokens, reductions } from "./shrink-tail.ts";
import { type CarriedFront, carriedFront, nothingBefore } from "./summary-message.ts";
import {
  type ActiveRequest,
  findActiveRequest,
  findOpenQuestion,
  type KeptWords,
  keepUserMessages,
  type OpenQuestion,
  parseRequest,
  renderRequest,
} from "./user-messages.ts";

export interface Plan {
  readonly window: Window;
  readonly budget: Budget;
  readonly rung: Rung;
  readonly cut: Cut;
  /** Oldest first; among them the compaction before, whose front is carried on. */
  readonly covered: readonly Entry[];
  /** The covered beginning of the turn that the cut parts. */
  readonly turn: readonly Entry[];
  readonly kept: readonly Entry[];
  /** What is reduced in the kept part. */
  readonly reductions: readonly Reduction[];
  readonly carried: CarriedFront;
  readonly pins: string;
  readonly words: KeptWords;
  /** What the user asked for last, where the kept part does not have it. */
  readonly request: ActiveRequest | null;
  /** As it stands at the end of the summary message; empty for none. */
  readonly requestText: string;
  /** What the first kept message answers, where that is no longer shown. */
  readonly question: OpenQuestion | null;
  /** Tokens of the narrative and the ledger at most. */
  readonly checkpoint: number;
  readonly before: ContextSize;
}

export type Prepared = { readonly type: "planned"; readonly plan: Plan } | NothingToDo;

export interface NothingToDo {
  readonly type: "nothing-to-do";
  readonly why: "off" | "empty" | "already-compacted" | "too-short" | "too-little";
}

/** The plan on one rung of the ladder; the first, where nothing else is said. */
export function prepareCompaction(window: Window, budget: Budget, rung: Rung = rungs[0]): Prepared {
  const cut = cutOn(window, budget, rung);
  if (!cut) return { type: "nothing-to-do", why: "too-short" };
  const covered = window.entries.slice(0, cut.at);
  if (!covered.some((entry) => isShown(entry, window.edits))) return { type: "nothing-to-do", why: "too-short" };
  return { type: "planned", plan: planned(window, { budget, rung, cut, covered }) };
}

/** The plan with a cut of one's own, e.g. a hook's; null where nothing can be cut there. */
export function prepareAt(window: Window, { budget, rung }: Pick<Plan, "budget" | "rung">, at: number): Plan | null {
  if (!mayCutAt(window.entries, at, window.edits)) return null;
  return planned(window, { budget, rung, cut: cutAt(window, at), covered: window.entries.slice(0, at) });
}

/** The same plan for a window that has grown since; null where what it covers is no longer what it was. */
export function standing(plan: Plan, window: Window): Plan | null {
  if (window === plan.window) return plan;
  return isGrownFrom(window, plan.window) ? prepareAt(window, plan, plan.cut.at) : null;
}

/** Whether nothing but talk was added behind it. */
export function isGrownFrom(window: Window, before: Window): boolean {
  return (
    leafOf(before) === (window.entries[before.entries.length - 1]?.id ?? null) &&
    window.compactionAt === before.compactionAt &&
    window.edits.length === before.edits.length
  );
}

// What is too big for the tail counts with what will be left of it; what is too heavy for the wire is cut by its weight.
function cutOn(window: Window, budget: Budget, rung: Rung): Cut | null {
  const { entries, edits } = window;
  if (rung.tail === 0) return entries.length === 0 ? null : cutAt(window, entries.length);
  const parts = { window, budget, rung, fit: fitAt(window, budget) };
  const tokensOf = (entry: Entry): number => reducedTokens(entry, parts);
  const byTokens = findCutPoint(entries, { keep: budget.tail * rung.tail, tokensOf, edits });
  switch (shouldCompact(contextSize(window, budget), budget)) {
    case null:
      return byTokens;
    case "tokens":
      return byTokens ?? oldestOnly(window, tokensOf);
    case "bytes":
      return laterOf(byTokens, byWeight(window, budget));
  }
}

// Once all that is too big is reduced, the rest may be less than should be kept: then hardly anything need be covered.
function oldestOnly({ entries, edits }: Window, tokensOf: (entry: Entry) => number): Cut | null {
  const shown = entries.filter((entry) => isShown(entry, edits));
  const all = shown.reduce((sum, entry) => sum + tokensOf(entry), 0);
  return findCutPoint(entries, { keep: all - 1, tokensOf, edits });
}

function byWeight({ entries, edits }: Window, budget: Budget): Cut | null {
  const tokensOf = (entry: Entry): number => entryBytes(entry, latestEdit(edits, entry));
  return findCutPoint(entries, { keep: keptBytes(budget), tokensOf, edits });
}

function laterOf(one: Cut | null, other: Cut | null): Cut | null {
  return one && other && one.at > other.at ? one : (other ?? one);
}

interface Beginnings {
  readonly budget: Budget;
  readonly rung: Rung;
  readonly cut: Cut;
  readonly covered: readonly Entry[];
}

function planned(window: Window, { budget, rung, cut, covered }: Beginnings): Plan {
  const kept = window.entries.slice(cut.at);
  const fit = fitAt(window, budget);
  const compaction = window.entries[window.compactionAt];
  const carried = compaction?.type === "compaction" ? carriedFront(compaction) : nothingBefore;
  const { edits } = window;
  const tokens = inEstimates(budget.words * rung.front, fit);
  const requestBefore = parseRequest(carried.request);
  const { question } = carried;
  const request = findActiveRequest({ before: requestBefore, covered, kept, edits, question });
  const words = keepUserMessages({ before: carried.words, covered, edits, tokens, request, requestBefore, question });
  const pins = pinsText(window.state.pins);
  const checkpoint = inEstimates(budget.checkpoint * rung.front, fit);
  return {
    window,
    budget,
    rung,
    cut,
    covered,
    turn: cut.turnAt === null ? [] : window.entries.slice(cut.turnAt, cut.at),
    kept,
    reductions: reductions(kept, { window, budget, rung, fit }),
    carried,
    pins,
    words,
    request,
    requestText: renderRequest(request, tokens),
    question: findOpenQuestion(window.entries, cut.at, edits),
    checkpoint,
    before: contextSize(window, budget),
  };
}

// Budgets are real tokens; texts are measured in estimated ones.
function inEstimates(tokens: number, { factor }: Fit): number {
  return Math.floor(tokens / factor);
}

function fitAt(window: Window, { to }: Budget): Fit {
  return fitOf(calibrationAt(window), to);
}

/** Of the checkpoint: what a narrative has at most; the ledger has the rest. */
export const NARRATIVE = 0.75;

/** A summary for a plan, not checked yet, and what it cost. */
export interface Candidate {
  readonly route: string;
  /** A summary by a model or a hook; empty where there is none. */
  readonly story: string;
  /** What code has to say; empty where a story says it all. */
  readonly notes: string;
  /** Ids of the entries that were put before the writer. */
  readonly covers: ReadonlySet<string>;
  /** The model that wrote it. */
  readonly by?: ModelName;
  readonly calls?: readonly Paid[];
  /** What is worth knowing about it, e.g. what code had to mend. */
  readonly findings?: readonly Finding[];
  /** Of a hook: kept beside our own. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly fromHook?: boolean;
}

/** One call to a model: what it cost, and whose it was, where that is known. */
export interface Paid {
  readonly usage: Usage;
  readonly by?: ModelName;
}

/** The route of code itself. */
export const MODEL_FREE = "model-free";

export interface Writer {
  readonly route: string;
  /** Whether it costs money: then the hourly limit holds for it. */
  readonly isPaid: boolean;
  write(plan: Plan, act: WriteAct): Promise<Written> | Written;
}

export interface WriteAct {
  readonly signal?: AbortSignal;
  /** What the user, or a hook, wants looked at. */
  readonly instructions?: string;
  /** What may be spent on it; a paid writer keeps to it. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress;
  /** How long it may take, all summarisers together. */
  readonly time?: TimeLimit;
}

export type Written =
  /** With a plan of its own where it cuts elsewhere. */
  | { readonly type: "written"; readonly candidate: Candidate; readonly plan?: Plan }
  | { readonly type: "nothing" }
  | { readonly type: "cancelled"; readonly calls?: readonly Paid[] }
  | { readonly type: "failed"; readonly why: string; readonly calls?: readonly Paid[] };
