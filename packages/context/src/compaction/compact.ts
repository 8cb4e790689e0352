/** The one path through a compaction, whoever asked for it: plan, writer, commit, one batch in the log. */

import { BREAKER } from "../entry.ts";
import type { Refusal } from "../session/store.ts";
import { type Breaker, breakerAt } from "./breaker.ts";
import type { Budget } from "./planning/budget.ts";
import { shouldCompact } from "./planning/budget.ts";
import { breakerFor, chosenPlan, type Need } from "./planning/ladder.ts";
import type { NothingToDo, Plan } from "./planning/plan.ts";
import type { Finding, Reason, Receipt } from "./receipt.ts";
import { type WriteParts, type WrittenBatch, writeBatch } from "./writing/write-batch.ts";

export interface CompactParts extends Need, WriteParts {
  readonly reason: Reason;
  readonly budget: Budget;
}

export type Compaction =
  | { readonly type: "compacted"; readonly id: string; readonly receipt: Receipt }
  | NothingToDo
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: "cannot-fit"; readonly breaker: Breaker }
  | {
      readonly type: "failed";
      readonly why: "refused" | "leaf-moved" | Refusal;
      readonly findings: readonly Finding[];
    };

export async function compact(parts: CompactParts): Promise<Compaction> {
  const { session, budget, signal } = parts;
  await session.settle();
  if (signal?.aborted) return { type: "cancelled" };
  const chosen = chosenPlan(session.window, budget, parts);
  if (chosen.type === "cannot-fit") return opened(parts, chosen.breaker);
  if (chosen.type === "nothing-to-do") return chosen;

  const batch = await writeBatch(chosen.plan, parts);
  if (batch.type === "cancelled") return batch;
  if (batch.type !== "ready") return notWritten(parts, batch, chosen.plan);
  const appended = await session.appendBehind(batch.leaf, batch.drafts);
  if (appended.type === "appended") return { type: "compacted", id: batch.id, receipt: batch.receipt };
  const why = appended.type === "refused" ? appended.why : appended.type;
  return { type: "failed", why, findings: batch.receipt.findings };
}

// GUARD1: said once, in the log, so that it also stops what comes after a restart.
async function opened({ session, reason }: CompactParts, breaker: Breaker): Promise<Compaction> {
  const known = breakerAt(session.window);
  const isKnown = known?.fills === breaker.fills && known.limit === breaker.limit;
  if (reason !== "asked" && !isKnown) await session.append({ type: "custom", customType: BREAKER, data: breaker });
  return { type: "failed", why: "cannot-fit", breaker };
}

type NotWritten = Extract<WrittenBatch, { type: "refused" | "leaf-moved" }>;

// CMP3: nothing of the attempt is written but what it cost.
async function notWritten(parts: CompactParts, batch: NotWritten, { window, before }: Plan): Promise<Compaction> {
  const { session, budget } = parts;
  const { type, findings, usages } = batch;
  if (usages.length > 0) await session.append(...usages);
  const hopeless = ["no-gain", "does-not-fit"].includes(findings.at(-1)?.code ?? "");
  if (!hopeless) return { type: "failed", why: type, findings };
  if (shouldCompact(before, budget)) return opened(parts, breakerFor(window, budget));
  return { type: "nothing-to-do", why: "too-little" };
}
