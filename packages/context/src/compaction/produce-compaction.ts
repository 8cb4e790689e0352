/** Produces the batch of a compaction: chooses a plan, runs hooks, tries the summarizers in order and checks the summary, which may be prepared earlier. */

import { COMPACTION_USAGE } from "../entry.ts";
import { runWithPauses, type Steps, yieldToEventLoop } from "../event-loop.ts";
import { type Runtime, runGuarded } from "../runtime.ts";
import { branchLeaf } from "../session/loaded-branch.ts";
import type { NewEntry, Session } from "../session/session.ts";
import type { OnProgress } from "../summary/ask-model.ts";
import { explainReachedLimit, SPEND_LIMIT_NOTE, type TimeLimit, withTimeLimit } from "../summary/limits.ts";
import { findSentRequest, type RequestBuilder, type SentRequest } from "../summary/sent-request.ts";
import { createUsageEntry } from "../usage.ts";
import { type Budget, compactionLevels } from "./budget.ts";
import { checkCandidate } from "./check-candidate.ts";
import { type CompactionRequest, choosePlan, choosePlanInSteps, leavesEnough, type PlanChoice } from "./choose-plan.ts";
import {
  type CallUsage,
  type CompactionHookRunner,
  type CompactionPlan,
  compareEstimates,
  coversSameEntries,
  planWithCut,
  rebasePlan,
  type SummarizeOptions,
  type Summarizer,
  type SummarizerResult,
  type SummaryCandidate,
} from "./plan.ts";
import { createPreparedSummary, type PreparedSummary, restoreSummary } from "./prepared-summary.ts";
import { calculateAllowance, type Finding, isAllowed, type Receipt } from "./receipt.ts";
import { collectPartsInSteps, type SummaryDesign } from "./summary-message.ts";

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
  /**
   * A summary from `prepareSummary`, or its promise, to use if it still applies; no model is called then. If a hook cancels or postpones the
   * compaction, it can be passed again.
   */
  readonly prepared?: PreparedSummary | Promise<PreparedSummary | null>;
}

interface SummarizedPlan {
  readonly plan: CompactionPlan;
  /** Before the review and the checks. */
  readonly candidate: SummaryCandidate;
}

export interface ProduceCompactionResult {
  readonly batch: CompactionBatch;
  /** Usage entries for calls whose usage is not in the batch. */
  readonly usageEntries: readonly NewEntry[];
  readonly findings: readonly Finding[];
}

export type CompactionBatch =
  | (SummarizedPlan & {
      readonly type: "ready";
      readonly id: string;
      /** The leaf to append the batch to. */
      readonly leaf: string | null;
      readonly newEntries: readonly NewEntry[];
      readonly receipt: Receipt;
      /** Usage entries to append if the batch cannot be appended. */
      readonly usageEntries: readonly NewEntry[];
    })
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | { readonly type: "leaf-moved" }
  | { readonly type: "no-summary" }
  | Exclude<PlanChoice, { type: "planned" }>;

export async function produceCompaction(requestOptions: CompactionOptions): Promise<ProduceCompactionResult> {
  const startTime = requestOptions.runtime.now();
  const prepared = await requestOptions.prepared;
  const options = await withEarlierEntries(requestOptions);
  const state: AttemptState = { options, startTime, findings: [], unusedCalls: [] };
  // PREP7: several sessions may be due at once.
  if (prepared) await yieldToEventLoop(options.runtime);
  const batch = options.signal?.aborted ? BATCH_CANCELLED : await planAndSummarize(state, prepared ?? null);
  const usageEntries = toUsageEntries(state.unusedCalls, options.budget);
  return { batch, usageEntries, findings: options.session.redact(state.findings) };
}

async function withEarlierEntries<Options extends PrepareSummaryOptions>(options: Options): Promise<Options> {
  const { session, design, budget } = options;
  const earlier = (await design.loadEarlier?.(session, budget)) ?? [];
  return earlier.length === 0 ? options : { ...options, earlier };
}

/** The result of `prepareSummary`. `usageEntries` must be appended in every case: `compact` does not count these calls again. */
export type PrepareSummaryResult =
  | { readonly type: "prepared"; readonly summary: PreparedSummary; readonly usageEntries: readonly NewEntry[] }
  | {
      readonly type: "not-prepared";
      readonly why: Exclude<CompactionBatch["type"], "ready">;
      readonly findings: readonly Finding[];
      readonly usageEntries: readonly NewEntry[];
    };

/**
 * Writes and checks the summary of a compaction from the branch as it is now, and appends nothing. Entries may be appended meanwhile. Pass
 * the summary to `compact` as `prepared`. It does not fall back to a summary without a model.
 */
export async function producePreparedSummary(requestOptions: PrepareSummaryOptions): Promise<PrepareSummaryResult> {
  const options = await withEarlierEntries(requestOptions);
  const { session, runtime, budget, signal, saved } = options;
  if (saved !== undefined) {
    const summary = restoreSummary(saved, options);
    return summary ? { type: "prepared", summary, usageEntries: [] } : NOT_RESTORED;
  }
  const { branch } = session;
  const snapshot = { branch, redact: <Value>(value: Value): Value => session.redact(value) };
  const state: AttemptState = {
    options: { ...options, session: snapshot, isAhead: true },
    startTime: runtime.now(),
    findings: [],
    unusedCalls: [],
  };
  const batch = signal?.aborted ? BATCH_CANCELLED : await planAndSummarize(state, null);
  const { findings, unusedCalls } = state;
  const unusedEntries = toUsageEntries(unusedCalls, budget);
  if (batch.type !== "ready")
    return {
      type: "not-prepared",
      why: batch.type,
      findings: session.redact(findings),
      usageEntries: unusedEntries,
    };
  const { plan, candidate } = batch;
  const durationMs = Math.max(0, runtime.now() - state.startTime);
  return {
    type: "prepared",
    summary: createPreparedSummary({ plan, candidate, findings, unusedCalls, durationMs }, options),
    usageEntries: [...unusedEntries, ...batch.usageEntries],
  };
}

export interface PrepareSummaryOptions extends Omit<CompactionOptions, "prepared"> {
  /** A prepared summary as JSON, e.g. from before a restart. It is used again if it still applies; no model is called. */
  readonly saved?: string;
}

const NOT_RESTORED: PrepareSummaryResult = {
  type: "not-prepared",
  why: "leaf-moved",
  findings: [],
  usageEntries: [],
};

/** The state shared by all attempts of one compaction. */
interface AttemptState {
  readonly options: Omit<CompactionOptions, "session" | "prepared"> & {
    readonly session: Pick<Session, "branch" | "redact">;
    /** Whether only the summary is written, and the compaction follows later. */
    readonly isAhead?: boolean;
  };
  readonly startTime: number;
  readonly findings: Finding[];
  /** Model calls whose summaries were not used. */
  readonly unusedCalls: CallUsage[];
}

const BATCH_CANCELLED: CompactionBatch = { type: "cancelled" };

async function planAndSummarize(state: AttemptState, prepared: PreparedSummary | null): Promise<CompactionBatch> {
  const { session, budget, runtime, requests, hooks, instructions = "" } = state.options;
  state.options.progress?.({ step: "planning" });
  const preparedBatch = prepared && (await runWithPauses(acceptPrepared(prepared, state), runtime));
  const choice = preparedBatch ?? (await runWithPauses(choosePlanInSteps(session.branch, state.options), runtime));
  if (choice.type !== "planned" && choice.type !== "ready") return choice;
  const hookResult = await hooks.before(choice.plan, instructions.trim());
  if (hookResult.type !== "continue") return hookResult;
  state.findings.push(...hookResult.findings);
  const { instructions: focus, hookCandidate } = hookResult;
  if (prepared && preparedBatch) {
    // HOOK2: the prepared summary does not follow what the hooks ask for.
    const isWanted = !hookCandidate && focus === instructions.trim();
    const batch = isWanted
      ? await runWithPauses(acceptPrepared(prepared, state, preparedBatch.plan), runtime)
      : dropPrepared(prepared, HOOK_NOTE, state);
    if (batch) return batch;
  }
  const plan = choice.type === "planned" ? choice.plan : (hookCandidate?.plan ?? null);
  const currentChoice = plan ? { type: "planned" as const, plan } : choosePlan(session.branch, state.options);
  if (currentChoice.type !== "planned") return currentChoice;
  const { plan: currentPlan } = currentChoice;
  await yieldToEventLoop(runtime);
  const { cacheLifetime } = budget.limits.outdated;
  const sent = requests && findSentRequest(currentPlan, { ...requests, now: runtime.now(), cacheLifetime });
  const summarizers = orderSummarizers(currentPlan, state.options, sent ? { sent } : {});
  const attempts = [...(hookCandidate ? [hookCandidate] : []), ...summarizers];
  const batch = await withTimeLimit(budget.limits.summaryTime, runtime, (time) =>
    firstUsableBatch(attempts, currentPlan, { state, instructions: focus, time, ...(sent && { sent }) }),
  );
  return batch ?? summarizeWithoutModel(currentPlan, attempts.length > 0, state);
}

function summarizeWithoutModel(plan: CompactionPlan, hadAttempts: boolean, state: AttemptState): CompactionBatch {
  const { session, design, isAhead } = state.options;
  // A list of turns must not replace the summary that should be written again.
  if (isAhead || (plan.originals && hadAttempts)) return { type: "no-summary" };
  const choice =
    session.branch === plan.branch ? { type: "planned" as const, plan } : choosePlan(session.branch, state.options);
  if (choice.type !== "planned") return choice;
  return acceptCandidate({ candidate: design.fallback(choice.plan) }, choice.plan, state) ?? { type: "leaf-moved" };
}

/**
 * PREP2: the batch of a prepared summary, if it covers the same entries and the context, which has grown since, then fits. A plan that was
 * made before the hooks is used again if they appended nothing.
 */
function* acceptPrepared(
  prepared: PreparedSummary,
  state: AttemptState,
  planBefore?: CompactionPlan,
): Steps<ReadyBatch | null> {
  const { session, design } = state.options;
  const { plan, candidate } = prepared;
  if (!prepared.appliesTo(session.branch)) return dropPrepared(prepared, CHANGED_NOTE, state);
  const attempt = { ...state, prepared, findings: [...prepared.findings, ...state.findings] };
  let note = GROWN_NOTE;
  const plans = planBefore?.branch === session.branch ? [planBefore] : planAgain(plan, state.options);
  for (const current of plans) {
    if (current !== planBefore) yield* collectPartsInSteps(design.parts, current);
    // Entries were appended between two steps.
    if (current.branch !== session.branch) return yield* acceptPrepared(prepared, state);
    const result = buildBatch({ plan: current, candidate }, attempt);
    if (result.type === "ready" && leavesEnough(result)) return result;
    if (result.type === "refused") note = result.finding.note;
  }
  return dropPrepared(prepared, note, state);
}

/** Plans with the same cut on the branch as it is now. A large result that arrived since is shortened, as in any other compaction. */
function* planAgain(
  { cut, originals, earlier }: CompactionPlan,
  { session, budget, design }: AttemptState["options"],
): Generator<CompactionPlan> {
  for (const level of compactionLevels.filter(({ tailShare }) => tailShare === 1)) {
    const options = { budget, level, describeImages: design.describeImages, originals, earlier };
    const plan = planWithCut(session.branch, options, cut.index);
    if (plan) yield plan;
  }
}

const HOOK_NOTE = "a hook changed what the summary should say";
const CHANGED_NOTE = "the entries that it summarizes have changed";
const GROWN_NOTE = "too much was added after it";

function dropPrepared({ findings }: PreparedSummary, why: string, state: AttemptState): null {
  const note = `a summary prepared in the background was not used: ${why}`;
  recordFinding(state, { code: "prepared-dropped", note });
  state.findings.push(...findings);
  return null;
}

function orderSummarizers(
  plan: CompactionPlan,
  { summarizers = [], summarizerOrder = "listed" }: Pick<CompactionOptions, "summarizers" | "summarizerOrder">,
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
      result && acceptCandidate(result, rebasePlan(result.plan ?? plan, session.branch, design.describeImages), state);
    if (batch) return batch;
    if (!coversSameEntries(plan, session.branch)) return { type: "leaf-moved" };
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
      note: `${summarizer.name} was not used: ${explainReachedLimit("total", time)}`,
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
  await yieldToEventLoop(runtime);
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
    recordFinding(state, { code: "time-limit", note: `${summarizer.name}: ${explainReachedLimit("total", time)}` });
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
      state.findings.push(...(("findings" in result && result.findings) || []));
      recordFinding(state, { code: "summarizer-failed", note: `${summarizer.name}: ${result.why}` });
      state.unusedCalls.push(...(result.calls ?? []));
      return null;
  }
}

/** Records a finding and reports it immediately, because the next summarizer may take a long time. */
function recordFinding({ options, findings }: Pick<AttemptState, "options" | "findings">, finding: Finding): void {
  findings.push(finding);
  options.progress?.({ step: "falling-back", why: options.session.redact(finding.note) });
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
function acceptCandidate(
  attempt: CandidateWithPlan,
  plan: CompactionPlan | null,
  state: AttemptState,
): CompactionBatch | null {
  const result = plan && buildBatch({ plan, candidate: attempt.candidate }, state);
  if (result?.type === "ready") return result;
  if (result?.type === "refused") recordFinding(state, result.finding);
  state.unusedCalls.push(...(attempt.candidate.calls ?? []));
  return null;
}

export type ReadyBatch = Extract<CompactionBatch, { type: "ready" }>;

type BuildBatchResult = ReadyBatch | { readonly type: "refused"; readonly finding: Finding };

function buildBatch(
  { plan, candidate: draft }: SummarizedPlan,
  { options, startTime, findings, unusedCalls, prepared }: AttemptState & { readonly prepared?: PreparedSummary },
): BuildBatchResult {
  const now = options.runtime.now();
  const { design } = options;
  const context = {
    parts: design.parts,
    id: options.runtime.entryId(),
    reason: options.reason,
    now,
    durationMs: Math.max(0, now - startTime),
    prepared,
    findings,
    unusedCalls,
    redaction: options.session,
  };
  const candidate = design.review(plan, draft);
  const result = checkCandidate(plan, candidate, context);
  if (result.type === "refused") return result;
  const usageEntries = toUsageEntries(prepared ? [] : (candidate.calls ?? []), options.budget);
  return { ...result, id: context.id, leaf: branchLeaf(plan.branch), usageEntries, plan, candidate: draft };
}

function toUsageEntries(calls: readonly CallUsage[], { model }: Budget): readonly NewEntry[] {
  return calls.map(({ usage, by }) => createUsageEntry(COMPACTION_USAGE, usage, by ?? model));
}
