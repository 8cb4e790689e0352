/** Fills a plan: tries the summarizers in order until a summary passes the checks, and records what the others cost and why they were not used. */

import { COMPACTION_USAGE } from "../entry.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import { type Runtime, runGuarded } from "../runtime.ts";
import { branchLeaf } from "../session/loaded-branch.ts";
import type { NewEntry, Session } from "../session/session.ts";
import type { OnProgress } from "../summary/ask-model.ts";
import { explainReachedLimit, SPEND_LIMIT_NOTE, startTimeLimit, type TimeLimit } from "../summary/limits.ts";
import { findSentRequest, type RequestBuilder } from "../summary/sent-request.ts";
import { createUsageEntry } from "../usage.ts";
import type { Budget } from "./budget.ts";
import { type BatchOptions, checkCandidate } from "./check-candidate.ts";
import { type CompactionRequest, choosePlan, type PlanChoice } from "./choose-plan.ts";
import {
  type BeforeCompactOutcome,
  type CallUsage,
  type CompactionPlan,
  compareEstimates,
  coversSameEntries,
  type PlannedCandidate,
  rebasePlan,
  type SummarizeOptions,
  type Summarizer,
  type SummarizerResult,
} from "./plan.ts";
import { calculateAllowance, type Finding, isAllowed, type Receipt } from "./receipt.ts";
import type { SummaryDesign } from "./summary-message.ts";

/** What a compaction and a prepared summary have in common. */
export interface SummaryOptions extends CompactionRequest {
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
  readonly summarizerOrder?: "listed" | "cheapest" | undefined;
  /** What the summary should focus on. */
  readonly instructions?: string | undefined;
  /**
   * How the session's requests are built: `{ model, build: (context) => buildRequest(context, { model }) }`. The session's model may then
   * write the summary with its last request, which the provider has cached. By default every summarizer gets a transcript.
   */
  readonly requests?: RequestBuilder | undefined;
  readonly progress?: OnProgress;
  readonly signal?: AbortSignal;
}

export type CompactionBatch =
  | (PlannedCandidate & {
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

/** What all attempts at one summary share. */
export interface AttemptState {
  readonly options: Omit<SummaryOptions, "session"> & {
    readonly session: Pick<Session, "branch" | "redact">;
    /** Whether only the summary is written, and the compaction follows later. */
    readonly isAhead?: boolean;
  };
  readonly startTime: number;
  readonly findings: Finding[];
  /** Model calls whose summaries were not used. */
  readonly unusedCalls: CallUsage[];
}

/** Loads the entries before the branch that the parts of the summary message read. */
export async function withEarlierEntries<Options extends SummaryOptions>(options: Options): Promise<Options> {
  const { session, design, budget } = options;
  const earlier = (await design.loadEarlier?.(session, budget)) ?? [];
  return earlier.length === 0 ? options : { ...options, earlier };
}

export const BATCH_CANCELLED: CompactionBatch = { type: "cancelled" };

/** What the hooks want from the summary. */
export type SummaryWishes = Pick<Extract<BeforeCompactOutcome, { type: "continue" }>, "hookCandidate" | "instructions">;

/** Returns the batch of the first attempt that succeeds: the summary of a hook, then those of the summarizers, then one without a model. */
export async function writeSummary(
  plan: CompactionPlan,
  { hookCandidate, instructions }: SummaryWishes,
  state: AttemptState,
): Promise<CompactionBatch> {
  const { session, runtime, budget, requests, signal, design } = state.options;
  await yieldToEventLoop(runtime);
  const { cacheLifetime } = budget.limits.outdated;
  const sent = (requests && findSentRequest(plan, { ...requests, now: runtime.now(), cacheLifetime })) ?? undefined;
  const summarizers = orderSummarizers(plan, state.options, { sent });
  const attempts = [...(hookCandidate ? [hookCandidate] : []), ...summarizers];
  const limit = startTimeLimit(budget.limits.summaryTime, runtime);
  try {
    for (const [index, attempt] of attempts.entries()) {
      // Only the last summarizer may retry a slow attempt.
      const time = { ...limit, mayRetrySlowAttempt: index === attempts.length - 1 };
      const result =
        "candidate" in attempt ? attempt : await runSummarizer(attempt, plan, state, { instructions, time, sent });
      await yieldToEventLoop(runtime);
      if (result === "cancelled" || signal?.aborted) return cancelAttempts(result, state);
      const current = result && rebasePlan(result.plan ?? plan, session.branch, design.describeImages);
      const batch = result && acceptCandidate(result, current, state);
      if (batch) return batch;
      if (!coversSameEntries(plan, session.branch)) return { type: "leaf-moved" };
    }
  } finally {
    limit.stop();
  }
  return summarizeWithoutModel(plan, attempts.length > 0, state);
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

function orderSummarizers(
  plan: CompactionPlan,
  { summarizers = [], summarizerOrder = "listed" }: Pick<SummaryOptions, "summarizers" | "summarizerOrder">,
  options: Pick<SummarizeOptions, "sent">,
): readonly Summarizer[] {
  if (summarizerOrder === "listed" || summarizers.length < 2) return summarizers;
  return summarizers
    .map((summarizer) => ({ summarizer, estimate: summarizer.estimate?.(plan, options) ?? null }))
    .toSorted((one, other) => compareEstimates(one.estimate, other.estimate))
    .map(({ summarizer }) => summarizer);
}

// CMP3: the cost of a summary that arrives after the abort is recorded.
function cancelAttempts(result: CandidateWithPlan | "cancelled" | null, state: AttemptState): CompactionBatch {
  if (result && result !== "cancelled") state.unusedCalls.push(...(result.candidate.calls ?? []));
  return BATCH_CANCELLED;
}

type CandidateWithPlan = Pick<PlannedCandidate, "candidate"> & Partial<PlannedCandidate>;

/** Returns null if the summarizer produces no candidate; its calls are recorded in the state. */
async function runSummarizer(
  summarizer: Summarizer,
  plan: CompactionPlan,
  state: AttemptState,
  { instructions, time, sent }: SummarizeOptions & { readonly time: TimeLimit },
): Promise<CandidateWithPlan | "cancelled" | null> {
  const skip = (code: Finding["code"], note: string): null => {
    recordFinding(state, { code, note });
    return null;
  };
  const { session, runtime, signal, budget, progress } = state.options;
  if (time.totalExpired.aborted)
    return skip("time-limit", `${summarizer.name} was not used: ${explainReachedLimit("total", time)}`);
  // GUARD3: the hourly limit on calls and cost.
  const allowance = calculateAllowance(session.branch, budget.limits.hourly, {
    now: runtime.now(),
    unusedCalls: state.unusedCalls,
  });
  if (summarizer.isPaid && !isAllowed(allowance)) return skip("spend-limit", SPEND_LIMIT_NOTE);
  await yieldToEventLoop(runtime);
  const summarizeOptions = { sent, signal, instructions: instructions || undefined, allowance, time, progress };
  const stop = AbortSignal.any([time.totalExpired, ...(signal ? [signal] : [])]);
  const guarded = await runGuarded(() => summarizer.summarize(plan, summarizeOptions), {
    signal: createGraceSignal(stop, runtime),
  });
  if (guarded.type === "aborted" && !signal?.aborted)
    return skip("time-limit", `${summarizer.name}: ${explainReachedLimit("total", time)}`);
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
      state.unusedCalls.push(...(result.calls ?? []));
      return skip("summarizer-failed", `${summarizer.name}: ${result.why}`);
  }
}

/** Records a finding and reports it immediately, because the next summarizer may take a long time. */
export function recordFinding(
  { options, findings }: Pick<AttemptState, "options" | "findings">,
  finding: Finding,
): void {
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

/** Reviews and checks a candidate, and builds the batch to append. */
export function buildBatch(
  { plan, candidate: draft }: PlannedCandidate,
  { options, startTime, findings, unusedCalls, prepared }: AttemptState & Pick<BatchOptions, "prepared">,
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

export function toUsageEntries(calls: readonly CallUsage[], { model }: Budget): readonly NewEntry[] {
  return calls.map(({ usage, by }) => createUsageEntry(COMPACTION_USAGE, usage, by ?? model));
}
