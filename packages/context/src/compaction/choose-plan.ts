/** Chooses the first reduction level that leaves room to work, or reports what fills the window; previews a compaction. */

import { contextSize } from "../context/context-size.ts";
import { LISTED, referenceOf } from "../context/loaded-skills.ts";
import { type Entry, isStateEntry } from "../entry.ts";
import type { Window } from "../session/loaded-branch.ts";
import { type Budget, rungs, shouldCompact } from "./budget.ts";
import { commit } from "./commit.ts";
import { isShown } from "./cut-point.ts";
import { modelFree } from "./fallback-summary.ts";
import { type NothingToDo, type Plan, prepareCompaction } from "./plan.ts";
import { type Reason, type Receipt, receiptOf } from "./receipt.ts";
import { type Breaker, fillingOf } from "./should-compact.ts";

export type Chosen =
  | {
      readonly type: "planned";
      readonly plan: Plan;
      /** As it would be if code alone wrote it now. */
      readonly receipt: Receipt;
      readonly front: string;
    }
  | NothingToDo
  | { readonly type: "cannot-fit"; readonly breaker: Breaker };

export interface Need {
  readonly reason: Reason;
  /** Compactions that this request has had after refusals; each begins a rung further down. */
  readonly attempt?: number;
}

/** Where the context fits, all that is kept is kept gladly; where it does not, as much as leaves room. */
export function chosenPlan(window: Window, budget: Budget, { reason, attempt = 0 }: Need): Chosen {
  const size = contextSize(window, budget);
  if (reason === "overflow" || shouldCompact(size, budget) !== null)
    return helpful(window, budget, attempt) ?? { type: "cannot-fit", breaker: fillingOf(window, budget) };
  if (window.entries.length === 0) return { type: "nothing-to-do", why: "empty" };
  if (isCompacted(window)) return { type: "nothing-to-do", why: "already-compacted" };
  return onRung(window, budget, 0);
}

// GUARD1: the first plan that leaves room; else the first that frees enough; else the barest, a few times.
function helpful(window: Window, budget: Budget, attempt: number): Chosen | null {
  const ready: Planned[] = [];
  for (let rung = attempt; attempt < RETRIES && rung < rungs.length; rung++) {
    const chosen = onRung(window, budget, rung);
    if (chosen.type !== "planned") continue;
    if (leavesRoom(chosen) && freesEnough(chosen)) return chosen;
    ready.push(chosen);
  }
  return ready.find(freesEnough) ?? (mayTryAgain(window, budget) ? (ready.at(-1) ?? null) : null);
}

// CMP4: after so many refusals of the same request there is nothing left to try.
const RETRIES = 4;

type Planned = Extract<Chosen, { type: "planned" }>;

// What code alone would write fits for certain; a paid writer is asked only where that is known.
function onRung(window: Window, budget: Budget, rung: number): Planned | NothingToDo {
  const prepared = prepareCompaction(window, budget, rungs[rung]);
  if (prepared.type !== "planned") return prepared;
  const { plan } = prepared;
  const committed = commit(plan, modelFree(plan), TRIAL);
  if (committed.type === "refused") return { type: "nothing-to-do", why: "too-little" };
  return { type: "planned", plan, receipt: committed.receipt, front: committed.front };
}

const TRIAL = { id: "trial", reason: "asked", now: 0, durationMs: 0 } as const;

function leavesRoom({ plan: { before, budget }, receipt }: Planned): boolean {
  const { limit } = budget;
  return !Number.isFinite(limit) || receipt.tokens.after <= limit - (limit - before.fixed) * ROOM;
}

/** Of what the fixed part leaves: so much is free after a compaction, if a rung can free it. */
const ROOM = 0.25;

function freesEnough({ plan: { before, budget }, receipt: { tokens, bytes } }: Planned): boolean {
  const least = 1 - budget.limits.progress;
  if (before.bytes > budget.bytes) return bytes.after <= before.bytes * least;
  return tokens.after <= before.tokens * least;
}

function mayTryAgain({ entries, compactionAt }: Window, { limits }: Budget): boolean {
  const compaction = entries[compactionAt];
  const rounds = compaction?.type === "compaction" ? (receiptOf(compaction)?.withoutProgress ?? 0) : 0;
  return rounds < limits.rounds;
}

/** Whether nothing was said since the newest compaction but what stands behind each of them. */
function isCompacted({ entries, compactionAt, edits }: Window): boolean {
  const isSaid = (entry: Entry): boolean =>
    isShown(entry, edits) &&
    !referenceOf(entry) &&
    !isStateEntry(entry) &&
    !(entry.type === "custom_message" && entry.customType === LISTED);
  return compactionAt !== -1 && !entries.slice(compactionAt + 1).some(isSaid);
}

/** Planned: the plan, the receipt as it would be without a model, and what the model would see first. */
export type Preview = Chosen;

/** What `compact` would do now if code alone wrote it: nothing is done, nobody is asked. */
export function previewCompaction(window: Window, budget: Budget, need: Need = { reason: "asked" }): Preview {
  const chosen = chosenPlan(window, budget, need);
  return chosen.type === "planned" ? { ...chosen, receipt: { ...chosen.receipt, reason: need.reason } } : chosen;
}
