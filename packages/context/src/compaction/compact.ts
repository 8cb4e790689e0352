/** Runs a compaction, whatever triggered it: plans, runs hooks, tries summarisers in turn, commits and appends one batch. */

import { contextSize } from "../context/context-size.ts";
import { BREAKER_TYPE, COMPACTION_USAGE } from "../entry.ts";
import { type Runtime, runGuarded } from "../runtime.ts";
import { branchLeaf } from "../session/loaded-branch.ts";
import type { NewEntry, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import type { OnProgress } from "../summary/ask-model.ts";
import { explainReachedLimit, type TimeLimit, withTimeLimit } from "../summary/time-limit.ts";
import { hookTokenAllowance } from "./added-entries.ts";
import { type Budget, shouldCompact } from "./budget.ts";
import { type CompactionRequest, choosePlan, type PlanChoice } from "./choose-plan.ts";
import { commitCandidate } from "./commit.ts";
import {
  type BeforeCompactOptions,
  type CompactionHooks,
  POSTPONE_TYPE,
  runAfterCompactHooks,
  runBeforeCompactHooks,
  runCompactFailedHooks,
} from "./compaction-hooks.ts";
import { createFallbackSummary } from "./fallback-summary.ts";
import { repairNarrative } from "./model-summarizer.ts";
import {
  type CallUsage,
  type CompactionPlan,
  hasOnlyGrown,
  type NoCompaction,
  rebasePlan,
  type Summarizer,
  type SummarizerResult,
  type SummaryCandidate,
} from "./plan.ts";
import { calculateAllowance, type Finding, isAllowed, type Receipt } from "./receipt.ts";
import { type Breaker, isBreakerOpen } from "./should-compact.ts";

export interface ProduceCompactionOptions extends CompactionRequest {
  readonly session: Session;
  readonly budget: Budget;
  readonly runtime: Pick<Runtime, "now" | "entryId" | "sleep">;
  /** In order of preference; where none of them succeeds, code writes alone. */
  readonly summarizers?: readonly Summarizer[];
  /** What the summary should look at above all. */
  readonly instructions?: string;
  readonly hooks?: CompactionHooks;
  /** Told what is being done, for whoever waits. */
  readonly progress?: OnProgress;
  readonly signal?: AbortSignal;
}

export interface ProduceCompactionResult {
  readonly batch: CompactionBatch;
  /** What was paid for and is not in the batch, as entries. */
  readonly usageEntries: readonly NewEntry[];
  readonly findings: readonly Finding[];
}

export type CompactionBatch =
  | {
      readonly type: "ready";
      readonly id: string;
      /** The leaf it was made for. */
      readonly leaf: string | null;
      readonly newEntries: readonly NewEntry[];
      readonly receipt: Receipt;
      /** What it has cost, as an entry; to be written if the batch cannot be. */
      readonly usageEntries: readonly NewEntry[];
    }
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | { readonly type: "leaf-moved" }
  | Exclude<PlanChoice, { type: "planned" }>;

export async function produceCompaction(options: ProduceCompactionOptions): Promise<ProduceCompactionResult> {
  const state: AttemptState = { options, startTime: options.runtime.now(), findings: [], unusedCalls: [] };
  const batch = options.signal?.aborted ? BATCH_CANCELLED : await planAndSummarize(state);
  const usageEntries = state.unusedCalls.map((call) => compactionUsageEntry(call, options.budget));
  return { batch, usageEntries, findings: state.findings };
}

/** What came up so far. */
interface AttemptState {
  readonly options: ProduceCompactionOptions;
  readonly startTime: number;
  readonly findings: Finding[];
  /** For summaries that were not used. */
  readonly unusedCalls: CallUsage[];
}

const BATCH_CANCELLED: CompactionBatch = { type: "cancelled" };

async function planAndSummarize(state: AttemptState): Promise<CompactionBatch> {
  const { session, budget, summarizers = [], hooks = {}, instructions = "" } = state.options;
  state.options.progress?.({ step: "planning" });
  const choice = choosePlan(session.branch, budget, state.options);
  if (choice.type !== "planned") return choice;
  const { plan } = choice;
  const hookResult = await runBeforeCompactHooks(plan, {
    ...(state.options as BeforeCompactOptions),
    hooks,
    instructions: instructions.trim(),
  });
  if (hookResult.type !== "continue") return hookResult;
  state.findings.push(...hookResult.findings);
  const attempts = [...(hookResult.hookCandidate ? [hookResult.hookCandidate] : []), ...summarizers];
  const { instructions: focus } = hookResult;
  const batch = await withTimeLimit(budget.limits.summaryTime, state.options.runtime, (time) =>
    firstUsableBatch(attempts, plan, { state, instructions: focus, time }),
  );
  if (batch) return batch;
  const currentChoice = session.branch === plan.branch ? choice : choosePlan(session.branch, budget, state.options);
  if (currentChoice.type !== "planned") return currentChoice;
  return (
    tryCommit({ candidate: createFallbackSummary(currentChoice.plan) }, currentChoice.plan, state) ?? {
      type: "leaf-moved",
    }
  );
}

/** Null where nothing came of any of them. */
async function firstUsableBatch(
  attempts: readonly (CandidateWithPlan | Summarizer)[],
  plan: CompactionPlan,
  options: SummarizerAttemptOptions,
): Promise<CompactionBatch | null> {
  const { state, time } = options;
  const { session, signal } = state.options;
  for (const [index, attempt] of attempts.entries()) {
    // With another summariser to ask, one that is too slow is not asked again.
    const mayRetrySlowAttempt = index === attempts.length - 1;
    const hasCandidate = "candidate" in attempt;
    const result = hasCandidate
      ? attempt
      : await runSummarizer(attempt, plan, { ...options, time: { ...time, mayRetrySlowAttempt } });
    if (result === "cancelled" || signal?.aborted) return cancelAttempts(result, state);
    const batch = result && tryCommit(result, rebasePlan(result.plan ?? plan, session.branch), state);
    if (batch) return batch;
    if (!hasOnlyGrown(session.branch, plan.branch)) return { type: "leaf-moved" };
  }
  return null;
}

// CMP3: also a story that came too late to be used was paid for.
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
}

/** Null where nothing came of it; what it cost all the same is on the desk. */
async function runSummarizer(
  summarizer: Summarizer,
  plan: CompactionPlan,
  options: SummarizerAttemptOptions,
): Promise<CandidateWithPlan | "cancelled" | null> {
  const { state, instructions, time } = options;
  const { session, runtime, signal, budget, progress } = state.options;
  if (time.totalExpired.aborted) {
    recordFinding(state, {
      code: "time-limit",
      note: `${summarizer.route} was not asked: ${explainReachedLimit("total", time)}`,
    });
    return null;
  }
  // GUARD3
  const allowance = calculateAllowance(session.branch, budget.limits.hourly, {
    now: runtime.now(),
    unusedCalls: state.unusedCalls,
  });
  if (summarizer.isPaid && !isAllowed(allowance)) {
    recordFinding(state, { code: "spend-limit", note: "summaries have cost as much as they may within an hour" });
    return null;
  }
  const summarizeOptions = {
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

/** What speaks against a writer is told at once: somebody waits for the next. */
function recordFinding({ options, findings }: Pick<AttemptState, "options" | "findings">, finding: Finding): void {
  findings.push(finding);
  options.progress?.({ step: "falling-back", why: finding.note });
}

// CMP3: who is told to stop has a moment to say what it has paid; one that does not stop is not waited for.
function createGraceSignal(signal: AbortSignal, { sleep }: Pick<Runtime, "sleep">): AbortSignal {
  const graceController = new AbortController();
  const stop = (): void => void sleep(GRACE_MS, {}).then(() => graceController.abort());
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return graceController.signal;
}

const GRACE_MS = 100;

/** Null where a check speaks against it, or what it covers is no longer what it was. */
function tryCommit(
  attempt: CandidateWithPlan,
  plan: CompactionPlan | null,
  { options, startTime, findings, unusedCalls }: AttemptState,
): CompactionBatch | null {
  const now = options.runtime.now();
  const context = {
    id: options.runtime.entryId(),
    reason: options.reason,
    now,
    durationMs: Math.max(0, now - startTime),
    findings,
    unusedCalls,
    redaction: options.session,
  };
  const candidate = plan ? repairNarrative(plan, attempt.candidate) : attempt.candidate;
  const { calls = [] } = candidate;
  const result = plan && commitCandidate(plan, candidate, context);
  if (plan && result?.type === "ready") {
    const usageEntries = calls.map((call) => compactionUsageEntry(call, options.budget));
    return { ...result, id: context.id, leaf: branchLeaf(plan.branch), usageEntries };
  }
  if (result?.type === "refused") recordFinding({ options, findings }, result.finding);
  unusedCalls.push(...calls);
  return null;
}

// A hook does not say whose usage it is; then it is taken for the session's own model.
function compactionUsageEntry({ usage, by }: CallUsage, { model: budgetModel }: Budget): NewEntry {
  const { provider = "", model = "" } = by ?? budgetModel ?? {};
  return { type: "usage", kind: COMPACTION_USAGE, provider, model, usage };
}

export type CompactOptions = ProduceCompactionOptions;

/** The result of a compaction of a session. */
export type CompactionOutcome =
  | { readonly type: "compacted"; readonly id: string; readonly receipt: Receipt }
  | NoCompaction
  /** By a hook: nothing is done now, and the next time it is not asked again. */
  | { readonly type: "postponed" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "cannot-fit"; readonly breaker: Breaker }
  | { readonly type: "failed"; readonly why: "leaf-moved" | Refusal; readonly findings: readonly Finding[] };

/** Plans, has the story written, checks it and appends one batch; whatever comes of it is an outcome, never an exception. */
export async function compact(options: CompactOptions): Promise<CompactionOutcome> {
  const { session, budget, reason, hooks = {}, runtime } = options;
  // DUE4: off means off, whatever the reason; somebody who asks is not a reason but a wish.
  if (!budget.limits.enabled && reason !== "asked") return { type: "nothing-to-do", why: "off" };
  const release = session.markBusy("compacting");
  const outcome = await runCompaction(options).finally(release);
  const hookOptions = { session, hooks, runtime, reason, tokens: hookTokenAllowance(session, budget) };
  if (outcome.type === "compacted") await runAfterCompactHooks(outcome.id, hookOptions);
  if (outcome.type === "cancelled") await runCompactFailedHooks({ aborted: true }, hookOptions);
  if (outcome.type === "failed")
    await runCompactFailedHooks({ aborted: false, errorMessage: outcome.why }, hookOptions);
  return outcome;
}

async function runCompaction(options: CompactOptions): Promise<CompactionOutcome> {
  const { session, signal } = options;
  await session.loadState();
  const { batch, usageEntries, findings } = await produceCompaction(options);
  if (batch.type !== "ready") {
    await appendUsage(session, usageEntries);
    if (batch.type === "cannot-fit") return openBreaker(options, batch.breaker);
    if (batch.type === "postponed") return postponeCompaction(session);
    return batch.type === "leaf-moved" ? { type: "failed", why: batch.type, findings } : batch;
  }
  const appended = await session.appendAtLeaf(batch.leaf, [...usageEntries, ...batch.newEntries], { signal });
  if (appended.type === "appended") return { type: "compacted", id: batch.id, receipt: batch.receipt };
  await appendUsage(session, [...usageEntries, ...batch.usageEntries]);
  if (appended.type === "aborted") return { type: "cancelled" };
  return { type: "failed", why: appended.type === "refused" ? appended.why : appended.type, findings };
}

// HOOK3: said in the log, so that it is once, after a restart too.
async function postponeCompaction(session: Session): Promise<CompactionOutcome> {
  await session.append({ type: "custom", customType: POSTPONE_TYPE });
  return { type: "postponed" };
}

// CMP3: nothing of an attempt is written but what it cost.
async function appendUsage(session: Session, usageEntries: readonly NewEntry[]): Promise<void> {
  if (usageEntries.length > 0) await session.append(...usageEntries);
}

// GUARD1: said once, in the log, so that it also stops what comes after a restart. A refusal of a context that fits is no reason.
async function openBreaker({ session, budget, reason }: CompactOptions, breaker: Breaker): Promise<CompactionOutcome> {
  const { branch } = session;
  const exceedsBudget = shouldCompact(contextSize(branch, budget), budget) !== null;
  if (reason !== "asked" && exceedsBudget && !isBreakerOpen(branch, budget))
    await session.append({ type: "custom", customType: BREAKER_TYPE, data: breaker });
  return { type: "failed", why: "cannot-fit", breaker };
}
