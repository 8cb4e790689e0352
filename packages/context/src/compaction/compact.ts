/** Runs a compaction: chooses a plan, runs the hooks, uses the prepared summary or writes one, and appends the batch or records why there is none. */

import { contextSize } from "../context/context-size.ts";
import { BREAKER_TYPE } from "../entry.ts";
import { runWithPauses } from "../event-loop.ts";
import type { NewEntry, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import { type Breaker, isBreakerOpen } from "./breaker.ts";
import { findExceededLimit } from "./budget.ts";
import { choosePlanInSteps, type PlanChoice } from "./choose-plan.ts";
import { type CompactionHookRunner, type NoCompaction, POSTPONE_TYPE } from "./plan.ts";
import { acceptPrepared, dropPrepared, HOOK_NOTE, type PreparedSummary } from "./prepared-summary.ts";
import type { Finding, Receipt } from "./receipt.ts";
import {
  type AttemptState,
  BATCH_CANCELLED,
  type CompactionBatch,
  type ReadyBatch,
  type SummaryOptions,
  type SummaryWishes,
  toUsageEntries,
  withEarlierEntries,
  writeSummary,
} from "./write-summary.ts";

/** The options of a compaction. */
export interface CompactionOptions extends SummaryOptions {
  readonly hooks: CompactionHookRunner;
  /**
   * A summary from `prepareSummary`, or its promise, to use if it still applies; no model is called then. If a hook cancels or postpones the
   * compaction, it can be passed again.
   */
  readonly prepared?: PreparedSummary | Promise<PreparedSummary | null>;
}

/** The result of compacting a session. */
export type CompactionOutcome =
  | { readonly type: "compacted"; readonly id: string; readonly receipt: Receipt }
  | NoCompaction
  /** A hook postponed the compaction. The next one cannot be postponed. */
  | { readonly type: "postponed" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "cannot-fit"; readonly breaker: Breaker }
  /** `invalid-cut`: the branch cannot be cut at `firstKeptEntryId`. `no-summary`: no model could write the new summary. */
  | {
      readonly type: "failed";
      readonly why: "invalid-cut" | "no-summary" | "leaf-moved" | Refusal;
      readonly findings: readonly Finding[];
    };

/** Compacts a session and returns every expected result, failures included, as an outcome. */
export async function compactSession(options: CompactionOptions): Promise<CompactionOutcome> {
  const { session, budget, reason, hooks } = options;
  // DUE4: if compaction is disabled, only an explicit request compacts.
  if (!budget.limits.enabled && reason !== "asked") return { type: "nothing-to-do", why: "off" };
  const release = session.markBusy("compacting");
  let outcome: CompactionOutcome | null = null;
  try {
    await session.loadState();
    while (!outcome) {
      const state = await startAttempts(options);
      outcome = await appendBatch(await produceBatch(state, options), state, options);
    }
  } finally {
    release();
  }
  if (outcome.type === "compacted") await hooks.after(outcome.id);
  if (outcome.type === "cancelled") await hooks.failed({ aborted: true });
  if (outcome.type === "failed") await hooks.failed({ aborted: false, errorMessage: outcome.why });
  return outcome;
}

async function startAttempts(options: CompactionOptions): Promise<AttemptState> {
  const startTime = options.runtime.now();
  // PREP2: a summary that is being prepared is awaited, instead of writing a second one.
  await options.prepared;
  return { options: await withEarlierEntries(options), startTime, findings: [], unusedCalls: [] };
}

/** Chooses a plan, runs the hooks, and fills the plan with the prepared summary or a new one. */
async function produceBatch(
  state: AttemptState,
  { prepared: promised, hooks }: Pick<CompactionOptions, "prepared" | "hooks">,
): Promise<CompactionBatch> {
  const { runtime, signal, progress, instructions = "" } = state.options;
  if (signal?.aborted) return BATCH_CANCELLED;
  progress?.({ step: "planning" });
  const prepared = await promised;
  const preparedBatch = prepared ? await runWithPauses(acceptPrepared(prepared, state), runtime) : null;
  const choice = preparedBatch ?? (await planNext(state));
  if (choice.type !== "planned" && choice.type !== "ready") return choice;
  const wishes = await hooks.before(choice.plan, instructions.trim());
  if (wishes.type !== "continue") return wishes;
  state.findings.push(...wishes.findings);
  const confirmed = prepared && preparedBatch && (await confirmPrepared(prepared, preparedBatch, { wishes, state }));
  if (confirmed) return confirmed;
  // HOOK2: the cut of a prepared summary that is not used keeps more than a new one.
  const current = choice.type === "planned" ? choice : await planNext(state);
  return current.type === "planned" ? writeSummary(current.plan, wishes, state) : current;
}

function planNext(state: AttemptState): Promise<PlanChoice> {
  return runWithPauses(choosePlanInSteps(state.options.session.branch, state.options), state.options.runtime);
}

/** HOOK2: after the hooks ran, the prepared summary still has to say what they ask for, and to fit with what they appended. */
async function confirmPrepared(
  prepared: PreparedSummary,
  batch: ReadyBatch,
  { wishes, state }: { readonly wishes: SummaryWishes; readonly state: AttemptState },
): Promise<ReadyBatch | null> {
  const { session, runtime, instructions = "" } = state.options;
  if (wishes.hookCandidate || wishes.instructions !== instructions.trim())
    return dropPrepared(prepared, HOOK_NOTE, state);
  const isUnchanged = batch.plan.branch === session.branch && state.findings.length === 0;
  return isUnchanged ? batch : runWithPauses(acceptPrepared(prepared, state), runtime);
}

/** Appends the batch, or records why there is none. Null if it has to be produced again. */
async function appendBatch(
  batch: CompactionBatch,
  state: AttemptState,
  options: CompactionOptions,
): Promise<CompactionOutcome | null> {
  const { session, signal, budget } = options;
  const usageEntries = toUsageEntries(state.unusedCalls, budget);
  const findings = session.redact(state.findings);
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
  // PREP2: a message was queued in this moment. The summary still applies.
  if (appended.type === "leaf-moved" && batch.receipt.preparedMs !== undefined) return null;
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
