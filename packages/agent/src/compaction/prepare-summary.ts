/** Prepares the summary of the next compaction in the background, so that a run need not wait for it, and keeps it beside the session. The log contains only its cost until it is used. */

import { type Budget, compactionDue, contextSize, type NewEntry, type Usage } from "@pith/context";
import { planOutdatedRemoval, prepareSummary, type SummaryProgress, sumUsage } from "@pith/context/host";
import type { CompactionPreparationEvent } from "../events.ts";
import { type CompactionContext, describeSummary } from "./compact.ts";
import type { BackgroundSummary, PrepareSummaryResult, TakeOptions } from "./preparation-slot.ts";
import { preparationThreshold, preparedTail } from "./preparation-threshold.ts";

type Prepared = Extract<PrepareSummaryResult, { type: "prepared" }>;

/** The summary that is being prepared, or is ready. There is one at a time. */
class SummaryPreparation implements BackgroundSummary {
  readonly #run: CompactionContext;
  readonly #budget: Budget;
  /** The tokens that the summary replaces. Everything after them is kept. */
  readonly #coveredTokens: number;
  readonly #controller = new AbortController();
  /** Null if it failed or was aborted; its cost is recorded then. */
  readonly #end: Promise<Prepared | null>;
  #ready: Prepared | null;
  #isSaved: boolean;
  #isTaken = false;
  #showProgress: (progress: SummaryProgress) => void = () => {};

  /** Starts at once, with a context of `tokens`, unless it gets a summary that an earlier process has prepared. Aborting the run aborts it. */
  constructor(run: CompactionContext, budget: Budget, { tokens, restored }: PreparationStart) {
    this.#run = run;
    this.#budget = budget;
    const tail = preparedTail(budget, tokens);
    this.#coveredTokens = restored?.coveredTokens ?? tokens - tail;
    this.#ready = restored?.prepared ?? null;
    this.#isSaved = restored !== undefined;
    this.#end = restored ? Promise.resolve(restored.prepared) : this.#prepare({ ...budget, tail });
  }

  get isReady(): boolean {
    return this.#ready !== null;
  }

  get isSaved(): boolean {
    return this.#isSaved;
  }

  get isOutdated(): boolean {
    return this.#ready !== null && !this.#ready.summary.appliesTo(this.#run.session.branch);
  }

  get keepsEnough(): boolean {
    const { tokens } = contextSize(this.#run.session.branch, this.#budget);
    return tokens - this.#coveredTokens >= this.#budget.tail * MIN_EARLY_TAIL;
  }

  async take({ signal, showProgress }: TakeOptions): Promise<Prepared["summary"] | null> {
    this.#showProgress = showProgress;
    this.#isTaken = true;
    // An earlier run may have started it.
    const stop = (): void => this.#controller.abort();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const prepared = await this.#end;
    signal.removeEventListener("abort", stop);
    return prepared?.summary ?? null;
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#end;
  }

  async drop(): Promise<void> {
    await this.stop();
    const wasReady = this.#ready !== null;
    this.#ready = null;
    await this.removeSaved();
    if (wasReady) this.#run.preparation.emit({ type: "compaction_preparation", state: "dropped" });
  }

  async removeSaved(): Promise<void> {
    if (this.#isSaved) await this.#run.session.store.preparedSummary?.remove();
    this.#isSaved = false;
  }

  async #prepare(budget: Budget): Promise<Prepared | null> {
    const { session, runtime, signal, preparation } = this.#run;
    const stop = AbortSignal.any([this.#controller.signal, signal]);
    const startedAt = runtime.now();
    preparation.emit({ type: "compaction_preparation", state: "started" });
    const result = await runPrepared(() =>
      prepareSummary({
        session,
        reason: "due",
        runtime,
        budget,
        signal: stop,
        ...describeSummary(this.#run, {}),
        progress: (progress) => this.#showProgress(progress),
      }),
    );
    const isReady = result.type === "prepared" && !stop.aborted;
    if (!isReady) preparation.release(this, { mayRetry: stop.aborted });
    const usage = await this.#recordUsage(result.usageEntries);
    if (isReady) {
      await this.#save(result);
      this.#ready = result;
      const durationMs = Math.max(0, runtime.now() - startedAt);
      preparation.emit({ type: "compaction_preparation", state: "ready", durationMs, ...usage });
      return result;
    }
    const errorMessage = result.type === "not-prepared" ? result.findings.at(-1)?.note : undefined;
    preparation.emit({
      type: "compaction_preparation",
      state: stop.aborted ? "dropped" : "failed",
      ...(errorMessage !== undefined && { errorMessage }),
      ...usage,
    });
    return null;
  }

  /** PREP5: the cost is in the log before the summary is used, saved or dropped, so that it is there once. */
  async #recordUsage(usageEntries: readonly NewEntry[]): Promise<Pick<CompactionPreparationEvent, "usage" | "calls">> {
    // A session that cannot be written ends the run at its next append. Here, only the record of the cost is lost.
    if (usageEntries.length > 0) await this.#run.session.append(...usageEntries).catch(() => undefined);
    const usage = sumUsageEntries(usageEntries);
    // EVT5: the events of a compaction that has taken it count the usage.
    return usage && !this.#isTaken ? { usage, calls: usageEntries.length } : {};
  }

  /** PREP3: a restart must not pay for it again. */
  async #save({ summary }: Prepared): Promise<void> {
    const { preparedSummary } = this.#run.session.store;
    if (!preparedSummary) return;
    const text = JSON.stringify({ coveredTokens: this.#coveredTokens, prepared: summary });
    // Without the copy, only a restart pays again.
    this.#isSaved = await preparedSummary.write(text).then(
      () => true,
      () => false,
    );
  }
}

interface PreparationStart {
  /** The size of the context. */
  readonly tokens: number;
  readonly restored?: RestoredPreparation;
}

interface RestoredPreparation {
  readonly prepared: Prepared;
  readonly coveredTokens: number;
}

/** PREP2: the share of the tail that must be there before a summary is used below the limit. */
const MIN_EARLY_TAIL = 0.5;

/** A bug or a full disk ends the preparation, not the run. The compaction at the limit reports the error again. */
async function runPrepared(prepare: () => Promise<PrepareSummaryResult>): Promise<PrepareSummaryResult> {
  try {
    return await prepare();
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return {
      type: "not-prepared",
      why: "no-summary",
      findings: [{ code: "summarizer-failed", note }],
      usageEntries: [],
    };
  }
}

function sumUsageEntries(entries: readonly NewEntry[]): Usage | null {
  const usages = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
  return usages.length > 0 ? sumUsage(usages) : null;
}

/** PREP1: starts a preparation if the context is large enough and nothing prevents a compaction. */
export function startPreparation(run: CompactionContext, budget: Budget): void {
  const { session, preparation, signal } = run;
  if (signal.aborted || !preparation.canStart(session.branch)) return;
  const earlyBudget = { ...budget, limit: preparationThreshold(budget) };
  if (earlyBudget.limit >= budget.limit) return;
  const { type, size } = compactionDue(session.branch, earlyBudget);
  if (type !== "due") return;
  // Removing outdated results will do, without a summary.
  if (planOutdatedRemoval(session.branch, earlyBudget)?.isEnough) return;
  preparation.start(session.branch, () => new SummaryPreparation(run, budget, { tokens: size.tokens }));
}

/** PREP3: continues with a summary that an earlier process has saved. One that no longer applies is removed; its cost is in the log. */
export async function restorePreparation(run: CompactionContext, budget: Budget, text: string): Promise<void> {
  const { session, preparation } = run;
  const restored = budget.limits.prepare === "never" ? null : await readSaved(run, budget, text);
  if (!restored) {
    await session.store.preparedSummary?.remove();
    return;
  }
  const { tokens } = contextSize(session.branch, budget);
  preparation.start(session.branch, () => new SummaryPreparation(run, budget, { tokens, restored }));
  const { durationMs } = restored.prepared.summary;
  preparation.emit({ type: "compaction_preparation", state: "ready", durationMs });
}

async function readSaved(run: CompactionContext, budget: Budget, text: string): Promise<RestoredPreparation | null> {
  const { coveredTokens, prepared } = parseObject(text);
  if (typeof coveredTokens !== "number") return null;
  const { session, runtime } = run;
  const saved = JSON.stringify(prepared ?? null);
  const options = { session, reason: "due" as const, runtime, budget, ...describeSummary(run, {}), saved };
  const result = await runPrepared(() => prepareSummary(options));
  return result.type === "prepared" ? { prepared: result, coveredTokens } : null;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    // The file is damaged, so there is no summary.
    return {};
  }
}
