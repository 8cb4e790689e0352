/** Keeps the context small before a request or a model switch: removes outdated tool results, or compacts. That code is loaded lazily. */

import { type Budget, compactionDue, contextSize, type Entry, type Model, shouldCompact } from "@pith/context";
import {
  fitsWithoutCounting,
  type HookFailure,
  MOVE_TYPE,
  measureWithPauses,
  reportHookFailure,
} from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import type { AgentCompactionOutcome, AgentEvent } from "../events.ts";
import type { HookCompaction } from "../hooks/turn-hooks.ts";
import type { CompactionContext, CompactionRequest } from "./compact.ts";
import { preparationThreshold } from "./preparation-threshold.ts";
import type { RemovalRequest } from "./remove-outdated.ts";

export async function* shrinkContextIfNeeded(run: CompactionContext): AsyncGenerator<AgentEvent> {
  const { session, notices, preparation, runtime } = run;
  const budget = run.getBudget();
  if (preparation.startRestore()) await restoreFromStore(run, budget);
  if (preparation.current?.isOutdated) await preparation.drop();
  // ELI4, PREP2: if the cache is cold, the whole request is paid for in any case, so a changed prefix costs nothing.
  const isCold = isCacheCold(run, budget);
  if (isCold && preparation.isReady && preparation.current?.keepsEnough)
    yield* compactIfEnabled(run, { reason: "due" });
  else if (isCold && !preparation.current) yield* removeOutdatedResults(run, { budget });
  const { branch } = session;
  // PREP1: before the first request after a pause, a summary would cost the full price, too.
  const mayPrepare = budget.limits.prepare === "during-runs" && !isCold && preparation.canStart(branch);
  const noticeThreshold = notices.noticeThreshold(branch, budget);
  const countFrom = mayPrepare ? Math.min(preparationThreshold(budget), noticeThreshold) : noticeThreshold;
  if (fitsWithoutCounting(branch, { ...budget, limit: countFrom })) return;
  await measureWithPauses(branch, runtime);
  const { type, why, size } = compactionDue(branch, budget);
  if (type === "due") {
    if (!preparation.current && (yield* removeOutdatedResults(run, { budget, onlyIfEnough: true }))) return;
    yield* compactIfEnabled(run, { reason: "due" });
    return;
  }
  if (why !== "fits") {
    yield* notices.reportSkip("threshold", why);
    return;
  }
  notices.clearSkip();
  yield* notices.reportSoftThreshold(size, branch, budget);
  if (mayPrepare && size.tokens > preparationThreshold(budget)) await prepareInBackground(run, budget);
}

/** Returns as soon as the preparation has started. Loads the code on first use. */
async function prepareInBackground(run: CompactionContext, budget: Budget): Promise<void> {
  const { startPreparation } = await import("./prepare-summary.ts");
  startPreparation(run, budget);
}

/** Loads the code only if an earlier process has saved a summary. */
async function restoreFromStore(run: CompactionContext, budget: Budget): Promise<void> {
  const text = await run.session.store.preparedSummary?.read();
  if (typeof text !== "string") return;
  const { restorePreparation } = await import("./prepare-summary.ts");
  await restorePreparation(run, budget, text);
}

/** PREP6: a local server answers one request at a time, so its summary is prepared while no run needs it. */
export async function prepareAfterRun(run: CompactionContext): Promise<void> {
  const budget = run.getBudget();
  const { session, preparation } = run;
  if (budget.limits.prepare !== "between-runs" || !preparation.canStart(session.branch)) return;
  if (!fitsWithoutCounting(session.branch, { ...budget, limit: preparationThreshold(budget) }))
    await prepareInBackground(run, budget);
}

export async function stopPreparationBeforeRun(run: CompactionContext): Promise<void> {
  if (run.getBudget().limits.prepare === "between-runs") await run.preparation.stop();
}

/** Whether the provider no longer caches the beginning of the next request, as far as the log tells. */
function isCacheCold(
  { session, model, runtime }: Pick<CompactionContext, "session" | "model" | "runtime">,
  { limits }: Budget,
): boolean {
  const { entries } = session.branch;
  if (!limits.enabled || !entries.some(isReply)) return false;
  // After a move or a fork, another branch or session may have sent the same beginning.
  const lastUse = entries.findLast((entry) => isReplyOf(entry, model) || isMove(entry));
  const times = [session.store.header, ...(lastUse ? [lastUse] : [])].map(({ timestamp }) => Date.parse(timestamp));
  return runtime.now() - Math.max(...times) > limits.outdated.cacheLifetime;
}

function isReply(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

function isReplyOf(entry: Entry, { provider, model }: Model): boolean {
  if (entry.type !== "message" || entry.message.role !== "assistant") return false;
  return entry.message.provider === provider && entry.message.model === model;
}

function isMove(entry: Entry): boolean {
  return entry.type === "branch_summary" || (entry.type === "custom" && entry.customType === MOVE_TYPE);
}

/** Loads the code on first use, too. */
async function* removeOutdatedResults(
  run: CompactionContext,
  request: RemovalRequest,
): AsyncGenerator<AgentEvent, boolean> {
  const { removeOutdatedInRun } = await import("./remove-outdated.ts");
  return yield* removeOutdatedInRun(run, request);
}

/** Loads the compaction code on first use, to keep the start of the program fast. */
export async function* compactIfEnabled(
  run: CompactionContext,
  request: CompactionRequest,
): AsyncGenerator<AgentEvent, AgentCompactionOutcome> {
  const { budget = run.getBudget(), reason } = request;
  // FIT4: if compaction is off, only a request of the user starts one.
  if (!budget.limits.enabled && reason !== "asked") {
    yield* run.notices.reportSkip(reason === "overflow" ? "overflow" : "threshold", "off");
    return { type: "nothing-to-do", why: "off" };
  }
  const { compactInRun } = await import("./compact.ts");
  return yield* compactInRun(run, request);
}

/** Makes the compaction that a hook returned, without summarizers: no model writes a summary if the hook's one is refused. */
export async function* compactForHook(
  compaction: HookCompaction,
  event: HookFailure["event"],
  run: CompactionContext,
): AsyncGenerator<AgentEvent> {
  const { hooks } = run;
  const compactHooks = [...(hooks.session_before_compact ?? []), () => ({ compaction })];
  const hooksWithCompaction = { ...hooks, session_before_compact: compactHooks, onFailure: "cancel" as const };
  const result = yield* compactIfEnabled({ ...run, hooks: hooksWithCompaction, summarizers: [] }, { reason: "asked" });
  if (result.type === "compacted") return;
  const why = "why" in result ? `${result.type}, ${result.why}` : result.type;
  reportHookFailure(hooks, { event, why: `the compaction was not made: ${why}` });
}

/** The outcome of a change of the model. */
export type SetModelResult =
  | { readonly type: "set" }
  /** The context does not fit the new model, even after a compaction. The model is not changed. */
  | {
      readonly type: "too-much";
      readonly tokens: number;
      readonly limit: number;
      readonly compaction: AgentCompactionOutcome;
    };

/** A context too large for the new model is compacted first, by the current one; if it still does not fit, the model is not changed. */
export async function* changeModel(model: Model, run: CompactionContext): AsyncGenerator<AgentEvent, SetModelResult> {
  const { session } = run;
  const budget = run.getBudget(model);
  const exceedsLimit = (): boolean => shouldCompact(contextSize(session.branch, budget), budget) !== null;
  if (exceedsLimit()) {
    const result = yield* compactIfEnabled(run, { reason: "model-switch", budget });
    const { tokens } = contextSize(session.branch, budget);
    if (exceedsLimit()) return { type: "too-much", tokens, limit: budget.limit, compaction: result };
  }
  await appendEntries(session, { type: "model_change", provider: model.provider, modelId: model.model });
  return { type: "set" };
}
