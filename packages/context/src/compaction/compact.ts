/** The one path through a compaction, whoever asked for it: plan, writer, commit, one batch in the log. */

import { BREAKER } from "../entry.ts";
import { contextSize } from "../reading/tokens/context-size.ts";
import type { Drafted, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import { type Breaker, isOpen } from "./breaker.ts";
import { afterCompact, afterFailedCompact } from "./hooks/after-compact.ts";
import { POSTPONED } from "./hooks/events.ts";
import { roomForHooks } from "./hooks/room-for-hooks.ts";
import { shouldCompact } from "./planning/budget.ts";
import type { NothingToDo } from "./planning/plan.ts";
import type { Finding, Receipt } from "./receipt.ts";
import { type WriteParts, writeBatch } from "./writing/write-batch.ts";

export type CompactParts = WriteParts;

export type Compaction =
  | { readonly type: "compacted"; readonly id: string; readonly receipt: Receipt }
  | NothingToDo
  /** By a hook: nothing is done now, and the next time it is not asked again. */
  | { readonly type: "postponed" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "cannot-fit"; readonly breaker: Breaker }
  | { readonly type: "failed"; readonly why: "leaf-moved" | Refusal; readonly findings: readonly Finding[] };

/** Plans, has the story written, checks it and appends one batch; whatever comes of it is an outcome, never an exception. */
export async function compact(parts: CompactParts): Promise<Compaction> {
  const { session, budget, reason, hooks = {}, ports } = parts;
  // DUE4: off means off, whatever the reason; somebody who asks is not a reason but a wish.
  if (!budget.limits.enabled && reason !== "asked") return { type: "nothing-to-do", why: "off" };
  const release = session.occupy("compacting");
  const outcome = await compacted(parts).finally(release);
  const told = { session, hooks, ports, reason, tokens: roomForHooks(session, budget) };
  if (outcome.type === "compacted") await afterCompact(outcome.id, told);
  if (outcome.type === "cancelled") await afterFailedCompact({ aborted: true }, told);
  if (outcome.type === "failed") await afterFailedCompact({ aborted: false, errorMessage: outcome.why }, told);
  return outcome;
}

async function compacted(parts: CompactParts): Promise<Compaction> {
  const { session, signal } = parts;
  await session.settle();
  const { batch, usages, findings } = await writeBatch(parts);
  if (batch.type !== "ready") {
    await pay(session, usages);
    if (batch.type === "cannot-fit") return opened(parts, batch.breaker);
    if (batch.type === "postponed") return postponed(session);
    return batch.type === "leaf-moved" ? { type: "failed", why: batch.type, findings } : batch;
  }
  const appended = await session.appendBehind(batch.leaf, [...usages, ...batch.drafts], { signal });
  if (appended.type === "appended") return { type: "compacted", id: batch.id, receipt: batch.receipt };
  await pay(session, [...usages, ...batch.cost]);
  if (appended.type === "aborted") return { type: "cancelled" };
  return { type: "failed", why: appended.type === "refused" ? appended.why : appended.type, findings };
}

// HOOK3: said in the log, so that it is once, after a restart too.
async function postponed(session: Session): Promise<Compaction> {
  await session.append({ type: "custom", customType: POSTPONED });
  return { type: "postponed" };
}

// CMP3: nothing of an attempt is written but what it cost.
async function pay(session: Session, usages: readonly Drafted[]): Promise<void> {
  if (usages.length > 0) await session.append(...usages);
}

// GUARD1: said once, in the log, so that it also stops what comes after a restart. A refusal of a context that fits is no reason.
async function opened({ session, budget, reason }: CompactParts, breaker: Breaker): Promise<Compaction> {
  const { window } = session;
  const isTooMuch = shouldCompact(contextSize(window, budget), budget) !== null;
  if (reason !== "asked" && isTooMuch && !isOpen(window, budget))
    await session.append({ type: "custom", customType: BREAKER, data: breaker });
  return { type: "failed", why: "cannot-fit", breaker };
}
