/** Runs a compaction: produces its batch and appends it, or records why there is none. */

import { contextSize } from "../context/context-size.ts";
import { BREAKER_TYPE } from "../entry.ts";
import type { NewEntry, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import { type Breaker, isBreakerOpen } from "./breaker.ts";
import { findExceededLimit } from "./budget.ts";
import { type NoCompaction, POSTPONE_TYPE } from "./plan.ts";
import { type CompactionOptions, produceCompaction, type ReadyBatch } from "./produce-compaction.ts";
import type { Finding, Receipt } from "./receipt.ts";

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
  const outcome = await produceAndAppend(options).finally(release);
  if (outcome.type === "compacted") await hooks.after(outcome.id);
  if (outcome.type === "cancelled") await hooks.failed({ aborted: true });
  if (outcome.type === "failed") await hooks.failed({ aborted: false, errorMessage: outcome.why });
  return outcome;
}

async function produceAndAppend(options: CompactionOptions): Promise<CompactionOutcome> {
  const { session, signal } = options;
  await session.loadState();
  const prepared = await options.prepared;
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
  // PREP2: a message was queued in this moment. The summary still applies.
  if (appended.type === "leaf-moved" && prepared && isPreparedBatch(batch))
    return produceAndAppend({ ...options, prepared });
  if (appended.type === "appended") return { type: "compacted", id: batch.id, receipt: batch.receipt };
  await appendUsage(session, [...usageEntries, ...batch.usageEntries]);
  if (appended.type === "aborted") return { type: "cancelled" };
  return { type: "failed", why: appended.type === "refused" ? appended.why : appended.type, findings };
}

function isPreparedBatch({ receipt }: ReadyBatch): boolean {
  return receipt.preparedMs !== undefined;
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
