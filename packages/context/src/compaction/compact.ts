/** Runs a compaction: chooses a plan, runs hooks, tries the summarizers in order, checks the summary and appends one batch. */

import { contextSize } from "../context/context-size.ts";
import { BREAKER_TYPE, COMPACTION_USAGE } from "../entry.ts";
import { type Runtime, runGuarded } from "../runtime.ts";
import { branchLeaf } from "../session/loaded-branch.ts";
import type { NewEntry, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import type { OnProgress } from "../summary/ask-model.ts";
import { explainReachedLimit, SPEND_LIMIT_NOTE, type TimeLimit, withTimeLimit } from "../summary/limits.ts";
import { findSentRequest, type RequestBuilder, type SentRequest } from "../summary/sent-request.ts";
import { createUsageEntry } from "../usage.ts";
import { type Breaker, isBreakerOpen } from "./breaker.ts";
import { type Budget, findExceededLimit } from "./budget.ts";
import { type CompactionRequest, choosePlan, type PlanChoice } from "./choose-plan.ts";
import { commitCandidate } from "./commit.ts";
import {
  type CallUsage,
  type CompactionHookRunner,
  type CompactionPlan,
  compareEstimates,
  hasOnlyGrown,
  type NoCompaction,
  POSTPONE_TYPE,
  rebasePlan,
  type SummarizeOptions,
  type Summarizer,
  type SummarizerResult,
  type SummaryCandidate,
} from "./plan.ts";
import { calculateAllowance, type Finding, isAllowed, type Receipt } from "./receipt.ts";
import type { SummaryDesign } from "./summary-message.ts";

export interface CompactionOptions extends CompactionRequest {
  readonly session: Session;
  readonly budget: Budget;
  readonly design: SummaryDesign;
  readonly runtime: Pick<Runtime, "now" | "entryId" | "sleep">;
  /** The summarizers in order of preference. If all fail, the summary is written without a model. */
  readonly summarizers?: readonly Summarizer[];
  /**
   * The order in which the summarizers are tried: as they are listed (the default), or by estimated cost. Those that read everything in
   * full come first then, and those of unknown cost last.
   */
  readonly summarizerOrder?: "listed" | "cheapest";
  /** What the summary should focus on. */
  readonly instructions?: string;
  /**
   * How the session's requests are built: `{ model, build: (context) => buildRequest(context, { model }) }`. The session's model may then
   * write the summary with its last request, which the provider has cached. By default every summarizer gets a transcript.
   */
  readonly requests?: RequestBuilder;
  readonly hooks: CompactionHookRunner;
  readonly progress?: OnProgress;
  readonly signal?: AbortSignal;
}

export interface ProduceCompactionResult {
  readonly batch: CompactionBatch;
  /** Usage entries for calls whose usage is not in the batch. */
  readonly usageEntries: readonly NewEntry[];
  readonly findings: readonly Finding[];
}

export type CompactionBatch =
  | {
      readonly type: "ready";
      readonly id: string;
      /** The leaf to append the batch to. */
      readonly leaf: string | null;
      readonly newEntries: readonly NewEntry[];
      readonly receipt: Receipt;
      /** Usage entries to append if the batch cannot be appended. */
      readonly usageEntries: readonly NewEntry[];
    }
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | { readonly type: "leaf-moved" }
  | { readonly type: "no-summary" }
  | Exclude<PlanChoice, { type: "planned" }>;

export async function produceCompaction(options: CompactionOptions): Promise<ProduceCompactionResult> {
  const state: AttemptState = { options, startTime: options.runtime.now(), findings: [], unusedCalls: [] };
  const batch = options.signal?.aborted ? BATCH_CANCELLED : await planAndSummarize(state);
  const usageEntries = toUsageEntries(state.unusedCalls, options.budget);
  return { batch, usageEntries, findings: state.findings };
}

/** The state shared by all attempts of one compaction. */
interface AttemptState {
  readonly options: CompactionOptions;
  readonly startTime: number;
  readonly findings: Finding[];
  /** Model calls whose summaries were not used. */
  readonly unusedCalls: CallUsage[];
}

const BATCH_CANCELLED: CompactionBatch = { type: "cancelled" };

async function planAndSummarize(state: AttemptState): Promise<CompactionBatch> {
  const { session, design, budget, runtime, requests, hooks, instructions = "" } = state.options;
  state.options.progress?.({ step: "planning" });
  const choice = choosePlan(session.branch, state.options);
  if (choice.type !== "planned") return choice;
  const { plan } = choice;
  const hookResult = await hooks.before(plan, instructions.trim());
  if (hookResult.type !== "continue") return hookResult;
  state.findings.push(...hookResult.findings);
  const { cacheLifetime } = budget.limits.outdated;
  const sent = requests && findSentRequest(plan, { ...requests, now: runtime.now(), cacheLifetime });
  const summarizers = orderSummarizers(plan, state.options, sent ? { sent } : {});
  const attempts = [...(hookResult.hookCandidate ? [hookResult.hookCandidate] : []), ...summarizers];
  const { instructions: focus } = hookResult;
  const batch = await withTimeLimit(budget.limits.summaryTime, runtime, (time) =>
    firstUsableBatch(attempts, plan, { state, instructions: focus, time, ...(sent && { sent }) }),
  );
  if (batch) return batch;
  // A list of turns must not replace the summary that should be written again.
  if (plan.originals && attempts.length > 0) return { type: "no-summary" };
  const currentChoice = session.branch === plan.branch ? choice : choosePlan(session.branch, state.options);
  if (currentChoice.type !== "planned") return currentChoice;
  return (
    tryCommit({ candidate: design.fallback(currentChoice.plan) }, currentChoice.plan, state) ?? {
      type: "leaf-moved",
    }
  );
}

function orderSummarizers(
  plan: CompactionPlan,
  { summarizers = [], summarizerOrder = "listed" }: CompactionOptions,
  options: Pick<SummarizeOptions, "sent">,
): readonly Summarizer[] {
  if (summarizerOrder === "listed" || summarizers.length < 2) return summarizers;
  return summarizers
    .map((summarizer) => ({ summarizer, estimate: summarizer.estimate?.(plan, options) ?? null }))
    .toSorted((one, other) => compareEstimates(one.estimate, other.estimate))
    .map(({ summarizer }) => summarizer);
}

/** Returns the batch of the first attempt that succeeds, or null. */
async function firstUsableBatch(
  attempts: readonly (CandidateWithPlan | Summarizer)[],
  plan: CompactionPlan,
  options: SummarizerAttemptOptions,
): Promise<CompactionBatch | null> {
  const { state, time } = options;
  const { session, signal, design } = state.options;
  for (const [index, attempt] of attempts.entries()) {
    // Only the last summarizer may retry a slow attempt.
    const mayRetrySlowAttempt = index === attempts.length - 1;
    const hasCandidate = "candidate" in attempt;
    const result = hasCandidate
      ? attempt
      : await runSummarizer(attempt, plan, { ...options, time: { ...time, mayRetrySlowAttempt } });
    if (result === "cancelled" || signal?.aborted) return cancelAttempts(result, state);
    const batch =
      result && tryCommit(result, rebasePlan(result.plan ?? plan, session.branch, design.describeImages), state);
    if (batch) return batch;
    if (!hasOnlyGrown(session.branch, plan.branch)) return { type: "leaf-moved" };
  }
  return null;
}

// CMP3: the cost of a summary that arrives after the abort is recorded.
function cancelAttempts(result: CandidateWithPlan | "cancelled" | null, state: AttemptState): CompactionBatch {
  if (result && result !== "cancelled") state.unusedCalls.push(...(result.candidate.calls ?? []));
  return BATCH_CANCELLED;
}

interface CandidateWithPlan {
  readonly candidate: SummaryCandidate;
  readonly plan?: CompactionPlan;
}

interface SummarizerAttemptOptions {
  readonly state: AttemptState;
  readonly instructions: string;
  readonly time: TimeLimit;
  readonly sent?: SentRequest;
}

/** Returns null if the summarizer produces no candidate; its calls are recorded in the state. */
async function runSummarizer(
  summarizer: Summarizer,
  plan: CompactionPlan,
  options: SummarizerAttemptOptions,
): Promise<CandidateWithPlan | "cancelled" | null> {
  const { state, instructions, time, sent } = options;
  const { session, runtime, signal, budget, progress } = state.options;
  if (time.totalExpired.aborted) {
    recordFinding(state, {
      code: "time-limit",
      note: `${summarizer.route} was not used: ${explainReachedLimit("total", time)}`,
    });
    return null;
  }
  // GUARD3: the hourly limit on calls and cost.
  const allowance = calculateAllowance(session.branch, budget.limits.hourly, {
    now: runtime.now(),
    unusedCalls: state.unusedCalls,
  });
  if (summarizer.isPaid && !isAllowed(allowance)) {
    recordFinding(state, { code: "spend-limit", note: SPEND_LIMIT_NOTE });
    return null;
  }
  const summarizeOptions = {
    ...(sent && { sent }),
    ...(signal && { signal }),
    ...(instructions !== "" && { instructions }),
    allowance,
    time,
    ...(progress && { progress }),
  };
  const stop = AbortSignal.any([time.totalExpired, ...(signal ? [signal] : [])]);
  const guarded = await runGuarded(() => summarizer.summarize(plan, summarizeOptions), {
    signal: createGraceSignal(stop, runtime),
  });
  if (guarded.type === "aborted" && !signal?.aborted) {
    recordFinding(state, { code: "time-limit", note: `${summarizer.route}: ${explainReachedLimit("total", time)}` });
    return null;
  }
  if (guarded.type === "aborted" || guarded.type === "late") return "cancelled";
  const result: SummarizerResult = guarded.type === "failed" ? guarded : guarded.value;
  switch (result.type) {
    case "written":
      return result;
    case "cancelled":
      state.unusedCalls.push(...(result.calls ?? []));
      return "cancelled";
    case "nothing":
      return null;
    case "failed":
      recordFinding(state, { code: "summarizer-failed", note: `${summarizer.route}: ${result.why}` });
      state.unusedCalls.push(...(result.calls ?? []));
      return null;
  }
}

/** Records a finding and reports it immediately, because the next summarizer may take a long time. */
function recordFinding({ options, findings }: Pick<AttemptState, "options" | "findings">, finding: Finding): void {
  findings.push(finding);
  options.progress?.({ step: "falling-back", why: finding.note });
}

// CMP3: an aborted summarizer has a short grace period to report its calls. After that, its result is ignored.
function createGraceSignal(signal: AbortSignal, { sleep }: Pick<Runtime, "sleep">): AbortSignal {
  const graceController = new AbortController();
  const stop = (): void => void sleep(GRACE_MS, {}).then(() => graceController.abort());
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return graceController.signal;
}

const GRACE_MS = 100;

/** Returns null if a check refuses the candidate or the covered entries have changed. */
function tryCommit(
  attempt: CandidateWithPlan,
  plan: CompactionPlan | null,
  { options, startTime, findings, unusedCalls }: AttemptState,
): CompactionBatch | null {
  const now = options.runtime.now();
  const { design } = options;
  const context = {
    parts: design.parts,
    id: options.runtime.entryId(),
    reason: options.reason,
    now,
    durationMs: Math.max(0, now - startTime),
    findings,
    unusedCalls,
    redaction: options.session,
  };
  const candidate = plan ? design.review(plan, attempt.candidate) : attempt.candidate;
  const { calls = [] } = candidate;
  const result = plan && commitCandidate(plan, candidate, context);
  if (plan && result?.type === "ready") {
    const usageEntries = toUsageEntries(calls, options.budget);
    return { ...result, id: context.id, leaf: branchLeaf(plan.branch), usageEntries };
  }
  if (result?.type === "refused") recordFinding({ options, findings }, result.finding);
  unusedCalls.push(...calls);
  return null;
}

function toUsageEntries(calls: readonly CallUsage[], { model }: Budget): readonly NewEntry[] {
  return calls.map(({ usage, by }) => createUsageEntry(COMPACTION_USAGE, usage, by ?? model));
}

/** The result of compacting a session. */
export type CompactionOutcome =
  | { readonly type: "compacted"; readonly id: string; readonly receipt: Receipt }
  | NoCompaction
  /** A hook postponed the compaction. The next one cannot be postponed. */
  | { readonly type: "postponed" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "cannot-fit"; readonly breaker: Breaker }
  /** `invalid-cut`: the branch cannot be cut at `firstKeptEntryId`. `no-summary`: no model wrote the summary again. */
  | {
      readonly type: "failed";
      readonly why: "invalid-cut" | "no-summary" | "leaf-moved" | Refusal;
      readonly findings: readonly Finding[];
    };

/** Compacts a session and returns every expected result, failures included, as an outcome. */
export async function compact(options: CompactionOptions): Promise<CompactionOutcome> {
  const { session, budget, reason, hooks } = options;
  // DUE4: if compaction is disabled, only an explicit request compacts.
  if (!budget.limits.enabled && reason !== "asked") return { type: "nothing-to-do", why: "off" };
  const release = session.markBusy("compacting");
  const outcome = await runCompaction(options).finally(release);
  if (outcome.type === "compacted") await hooks.after(outcome.id);
  if (outcome.type === "cancelled") await hooks.failed({ aborted: true });
  if (outcome.type === "failed") await hooks.failed({ aborted: false, errorMessage: outcome.why });
  return outcome;
}

async function runCompaction(options: CompactionOptions): Promise<CompactionOutcome> {
  const { session, signal } = options;
  await session.loadState();
  const { batch, usageEntries, findings } = await produceCompaction(options);
  if (batch.type !== "ready") {
    await appendUsage(session, usageEntries);
    if (batch.type === "cannot-fit") return openBreaker(options, batch.breaker);
    if (batch.type === "postponed") return postponeCompaction(session);
    if (batch.type === "invalid-cut")
      return { type: "failed", why: batch.type, findings: [{ code: batch.why, note: batch.note }] };
    if (batch.type === "leaf-moved" || batch.type === "no-summary")
      return { type: "failed", why: batch.type, findings };
    return batch;
  }
  const appended = await session.appendAtLeaf(batch.leaf, [...usageEntries, ...batch.newEntries], { signal });
  if (appended.type === "appended") return { type: "compacted", id: batch.id, receipt: batch.receipt };
  await appendUsage(session, [...usageEntries, ...batch.usageEntries]);
  if (appended.type === "aborted") return { type: "cancelled" };
  return { type: "failed", why: appended.type === "refused" ? appended.why : appended.type, findings };
}

// HOOK3: the log records the postponement, so that it happens only once, even after a restart.
async function postponeCompaction(session: Session): Promise<CompactionOutcome> {
  await session.append({ type: "custom", customType: POSTPONE_TYPE });
  return { type: "postponed" };
}

// CMP3: a failed attempt appends only its usage.
async function appendUsage(session: Session, usageEntries: readonly NewEntry[]): Promise<void> {
  if (usageEntries.length > 0) await session.append(...usageEntries);
}

// GUARD1: the log records the breaker once, so that it stays open after a restart. A context that fits does not open it.
async function openBreaker(
  { session, budget, reason }: CompactionOptions,
  breaker: Breaker,
): Promise<CompactionOutcome> {
  const { branch } = session;
  const exceedsBudget = findExceededLimit(contextSize(branch, budget), budget) !== null;
  if (reason !== "asked" && exceedsBudget && !isBreakerOpen(branch, budget))
    await session.append({ type: "custom", customType: BREAKER_TYPE, data: breaker });
  return { type: "failed", why: "cannot-fit", breaker };
}
