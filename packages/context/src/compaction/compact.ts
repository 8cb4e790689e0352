/** Runs a compaction, whatever triggered it: plans, runs hooks, tries summarisers in turn, commits and appends one batch. */

import { contextSize } from "../context/context-size.ts";
import { BREAKER, COMPACTION_USAGE } from "../entry.ts";
import { attempted, type Ports } from "../runtime.ts";
import { leafOf } from "../session/loaded-branch.ts";
import type { Drafted, Session } from "../session/session.ts";
import type { Refusal } from "../session/store.ts";
import type { TellProgress } from "../summary/ask-model.ts";
import { explainReachedLimit, type TimeLimit, withTimeLimit } from "../summary/time-limit.ts";
import { roomForHooks } from "./added-entries.ts";
import { type Budget, shouldCompact } from "./budget.ts";
import { type Chosen, chosenPlan, type Need } from "./choose-plan.ts";
import { commit } from "./commit.ts";
import {
  afterCompact,
  afterFailedCompact,
  type BeforeParts,
  beforeCompact,
  type CompactionHooks,
  POSTPONED,
} from "./compaction-hooks.ts";
import { modelFree } from "./fallback-summary.ts";
import { mended } from "./model-summarizer.ts";
import {
  type Candidate,
  isGrownFrom,
  type NothingToDo,
  type Paid,
  type Plan,
  standing,
  type Writer,
  type Written,
} from "./plan.ts";
import { allowanceAt, type Finding, isAllowed, type Receipt } from "./receipt.ts";
import { type Breaker, isOpen } from "./should-compact.ts";

export interface WriteParts extends Need {
  readonly session: Session;
  readonly budget: Budget;
  readonly ports: Pick<Ports, "now" | "entryId" | "sleep">;
  /** In order of preference; where none of them succeeds, code writes alone. */
  readonly writers?: readonly Writer[];
  /** What the summary should look at above all. */
  readonly instructions?: string;
  readonly hooks?: CompactionHooks;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress;
  readonly signal?: AbortSignal;
}

export interface Writing {
  readonly batch: Batch;
  /** What was paid for and is not in the batch, as entries. */
  readonly usages: readonly Drafted[];
  readonly findings: readonly Finding[];
}

export type Batch =
  | {
      readonly type: "ready";
      readonly id: string;
      /** The leaf it was made for. */
      readonly leaf: string | null;
      readonly drafts: readonly Drafted[];
      readonly receipt: Receipt;
      /** What it has cost, as an entry; to be written if the batch cannot be. */
      readonly cost: readonly Drafted[];
    }
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | { readonly type: "leaf-moved" }
  | Exclude<Chosen, { type: "planned" }>;

export async function writeBatch(parts: WriteParts): Promise<Writing> {
  const desk: Desk = { parts, begun: parts.ports.now(), findings: [], paid: [] };
  const batch = parts.signal?.aborted ? CANCELLED : await written(desk);
  const usages = desk.paid.map((paid) => usageEntry(paid, parts.budget));
  return { batch, usages, findings: desk.findings };
}

/** What came up so far. */
interface Desk {
  readonly parts: WriteParts;
  readonly begun: number;
  readonly findings: Finding[];
  /** For summaries that were not used. */
  readonly paid: Paid[];
}

const CANCELLED: Batch = { type: "cancelled" };

async function written(desk: Desk): Promise<Batch> {
  const { session, budget, writers = [], hooks = {}, instructions = "" } = desk.parts;
  desk.parts.progress?.({ step: "planning" });
  const chosen = chosenPlan(session.window, budget, desk.parts);
  if (chosen.type !== "planned") return chosen;
  const { plan } = chosen;
  const said = await beforeCompact(plan, { ...(desk.parts as BeforeParts), hooks, instructions: instructions.trim() });
  if (said.type !== "go-on") return said;
  desk.findings.push(...said.findings);
  const attempts = [...(said.made ? [said.made] : []), ...writers];
  const { instructions: focus } = said;
  const batch = await withTimeLimit(budget.limits.summaryTime, desk.parts.ports, (time) =>
    firstUsable(attempts, plan, { desk, instructions: focus, time }),
  );
  if (batch) return batch;
  const present = session.window === plan.window ? chosen : chosenPlan(session.window, budget, desk.parts);
  if (present.type !== "planned") return present;
  return committed({ candidate: modelFree(present.plan) }, present.plan, desk) ?? { type: "leaf-moved" };
}

/** Null where nothing came of any of them. */
async function firstUsable(attempts: readonly (Made | Writer)[], plan: Plan, trying: Trying): Promise<Batch | null> {
  const { desk, time } = trying;
  const { session, signal } = desk.parts;
  for (const [at, attempt] of attempts.entries()) {
    // With another summariser to ask, one that is too slow is not asked again.
    const mayRetrySlowAttempt = at === attempts.length - 1;
    const isMade = "candidate" in attempt;
    const made = isMade ? attempt : await tried(attempt, plan, { ...trying, time: { ...time, mayRetrySlowAttempt } });
    if (made === "cancelled" || signal?.aborted) return stopped(made, desk);
    const ready = made && committed(made, standing(made.plan ?? plan, session.window), desk);
    if (ready) return ready;
    if (!isGrownFrom(session.window, plan.window)) return { type: "leaf-moved" };
  }
  return null;
}

// CMP3: also a story that came too late to be used was paid for.
function stopped(made: Made | "cancelled" | null, desk: Desk): Batch {
  if (made && made !== "cancelled") desk.paid.push(...(made.candidate.calls ?? []));
  return CANCELLED;
}

interface Made {
  readonly candidate: Candidate;
  readonly plan?: Plan;
}

interface Trying {
  readonly desk: Desk;
  readonly instructions: string;
  readonly time: TimeLimit;
}

/** Null where nothing came of it; what it cost all the same is on the desk. */
async function tried(writer: Writer, plan: Plan, trying: Trying): Promise<Made | "cancelled" | null> {
  const { desk, instructions, time } = trying;
  const { session, ports, signal, budget, progress } = desk.parts;
  if (time.totalExpired.aborted) {
    found(desk, { code: "time-limit", note: `${writer.route} was not asked: ${explainReachedLimit("total", time)}` });
    return null;
  }
  // GUARD3
  const allowance = allowanceAt(session.window, budget.limits.hourly, { now: ports.now(), paid: desk.paid });
  if (writer.isPaid && !isAllowed(allowance)) {
    found(desk, { code: "spend-limit", note: "summaries have cost as much as they may within an hour" });
    return null;
  }
  const asked = {
    ...(signal && { signal }),
    ...(instructions !== "" && { instructions }),
    allowance,
    time,
    ...(progress && { progress }),
  };
  const stop = AbortSignal.any([time.totalExpired, ...(signal ? [signal] : [])]);
  const act = await attempted(() => writer.write(plan, asked), { signal: soonAfter(stop, ports) });
  if (act.type === "aborted" && !signal?.aborted) {
    found(desk, { code: "time-limit", note: `${writer.route}: ${explainReachedLimit("total", time)}` });
    return null;
  }
  if (act.type === "aborted" || act.type === "late") return "cancelled";
  const made: Written = act.type === "failed" ? act : act.value;
  switch (made.type) {
    case "written":
      return made;
    case "cancelled":
      desk.paid.push(...(made.calls ?? []));
      return "cancelled";
    case "nothing":
      return null;
    case "failed":
      found(desk, { code: "writer-failed", note: `${writer.route}: ${made.why}` });
      desk.paid.push(...(made.calls ?? []));
      return null;
  }
}

/** What speaks against a writer is told at once: somebody waits for the next. */
function found({ parts, findings }: Pick<Desk, "parts" | "findings">, finding: Finding): void {
  findings.push(finding);
  parts.progress?.({ step: "falling-back", why: finding.note });
}

// CMP3: who is told to stop has a moment to say what it has paid; one that does not stop is not waited for.
function soonAfter(signal: AbortSignal, { sleep }: Pick<Ports, "sleep">): AbortSignal {
  const late = new AbortController();
  const stop = (): void => void sleep(GRACE, {}).then(() => late.abort());
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return late.signal;
}

const GRACE = 100;

/** Null where a check speaks against it, or what it covers is no longer what it was. */
function committed(made: Made, plan: Plan | null, { parts, begun, findings, paid }: Desk): Batch | null {
  const now = parts.ports.now();
  const occasion = {
    id: parts.ports.entryId(),
    reason: parts.reason,
    now,
    durationMs: Math.max(0, now - begun),
    findings,
    paid,
    redaction: parts.session,
  };
  const candidate = plan ? mended(plan, made.candidate) : made.candidate;
  const { calls = [] } = candidate;
  const result = plan && commit(plan, candidate, occasion);
  if (plan && result?.type === "ready") {
    const cost = calls.map((call) => usageEntry(call, parts.budget));
    return { ...result, id: occasion.id, leaf: leafOf(plan.window), cost };
  }
  if (result?.type === "refused") found({ parts, findings }, result.finding);
  paid.push(...calls);
  return null;
}

// A hook does not say whose usage it is; then it is taken for the session's own model.
function usageEntry({ usage, by }: Paid, { to }: Budget): Drafted {
  const { provider = "", model = "" } = by ?? to ?? {};
  return { type: "usage", kind: COMPACTION_USAGE, provider, model, usage };
}

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
