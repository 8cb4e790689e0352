/** Down the rungs until the context fits with room to work in; where no rung helps, what fills the window. */

import { contextSize } from "../../reading/tokens/context-size.ts";
import { textTokens } from "../../reading/tokens/text-tokens.ts";
import type { Window } from "../../session/window.ts";
import type { Breaker } from "../breaker.ts";
import { type Reason, receiptOf } from "../receipt.ts";
import type { Budget } from "./budget.ts";
import { shouldCompact } from "./budget.ts";
import { isShown } from "./cut.ts";
import { type Plan, type Prepared, prepareCompaction } from "./plan.ts";
import { rungs } from "./rungs.ts";

export type Chosen = Prepared | { readonly type: "cannot-fit"; readonly breaker: Breaker };

export interface Need {
  readonly reason: Reason;
  /** Compactions that this request has had after refusals; each begins a rung further down. */
  readonly attempt?: number;
}

/** Where the context fits, all that is kept is kept gladly; where it does not, as much as leaves room. */
export function chosenPlan(window: Window, budget: Budget, { reason, attempt = 0 }: Need): Chosen {
  const isTooMuch = reason === "overflow" || shouldCompact(contextSize(window, budget), budget) !== null;
  if (isTooMuch) return helpful(window, budget, attempt) ?? { type: "cannot-fit", breaker: breakerFor(window, budget) };
  if (window.entries.length === 0) return { type: "nothing-to-do", why: "empty" };
  return isCompacted(window)
    ? { type: "nothing-to-do", why: "already-compacted" }
    : prepareCompaction(window, budget, rungs[0]);
}

// GUARD1: the first plan that leaves room; else the first that frees enough; else the barest, a few times.
function helpful(window: Window, budget: Budget, attempt: number): Prepared | null {
  const plans: Plan[] = [];
  for (const rung of attempt < RETRIES ? rungs.slice(attempt) : []) {
    const prepared = prepareCompaction(window, budget, rung);
    if (prepared.type !== "planned" || prepared.plan.after > budget.limit) continue;
    if (leavesRoom(prepared.plan) && freesEnough(prepared.plan)) return prepared;
    plans.push(prepared.plan);
  }
  const plan = plans.find(freesEnough) ?? (mayTryAgain(window, budget) ? plans.at(-1) : undefined);
  return plan && plan.after < plan.before.tokens ? { type: "planned", plan } : null;
}

// CMP4: after so many refusals of the same request there is nothing left to try.
const RETRIES = 4;

function leavesRoom({ after, before: { fixed }, budget: { limit } }: Plan): boolean {
  return !Number.isFinite(limit) || after <= limit - (limit - fixed) * ROOM;
}

/** Of what the fixed part leaves: so much is free after a compaction, if a rung can free it. */
const ROOM = 0.25;

function freesEnough({ after, before, budget: { limits } }: Plan): boolean {
  return after <= before.tokens * (1 - limits.progress);
}

function mayTryAgain({ entries, compactionAt }: Window, { limits }: Budget): boolean {
  const compaction = entries[compactionAt];
  const rounds = compaction?.type === "compaction" ? (receiptOf(compaction)?.withoutProgress ?? 0) : 0;
  return rounds < limits.rounds;
}

/** Whether nothing was said since the newest compaction. */
function isCompacted({ entries, compactionAt, edits }: Window): boolean {
  return compactionAt !== -1 && !entries.slice(compactionAt + 1).some((entry) => isShown(entry, edits));
}

/** What the breaker says when nothing helps. */
export function breakerFor(window: Window, budget: Budget): Breaker {
  const { fixed, tokens, bytes } = contextSize(window, budget);
  const pins = window.state.pins.reduce((sum, { text }) => sum + textTokens(text), 0);
  const limit = Number.isFinite(budget.limit) ? budget.limit : tokens;
  if (tokens <= limit && bytes > budget.bytes) return { fills: "bytes", tokens, limit };
  if (Math.max(fixed, pins) <= limit / 2) return { fills: "refill", tokens, limit };
  return fixed >= pins ? { fills: "fixed", tokens: fixed, limit } : { fills: "pins", tokens: pins, limit };
}
