/** Prepares the summary of the next compaction in the background, so that a run need not wait for it. The session contains none of it until it is used. */

import { type Budget, compactionDue, contextSize, type NewEntry, type Usage } from "@pith/context";
import { addUsage, planElision, prepareSummary, type SummaryProgress } from "@pith/context/host";
import type { BackgroundSummary, PrepareSummaryResult, RunContext, TakeOptions } from "../loop/run-context.ts";
import { describeSummary } from "./compact.ts";
import { preparationThreshold, preparedTail } from "./thresholds.ts";

type Prepared = Extract<PrepareSummaryResult, { type: "prepared" }>;

/** The summary that is being prepared, or is ready. There is one at a time. */
export class SummaryPreparation implements BackgroundSummary {
  readonly #run: RunContext;
  readonly #budget: Budget;
  /** The tokens that the summary replaces. Everything after them is kept. */
  readonly #coveredTokens: number;
  readonly #controller = new AbortController();
  /** Null if it failed or was aborted; its cost is recorded then. */
  readonly #end: Promise<Prepared | null>;
  #ready: Prepared | null = null;
  #isTaken = false;
  #showProgress: (progress: SummaryProgress) => void = () => {};

  /** Starts at once, with a context of `tokens`. Aborting the run aborts it. */
  constructor(run: RunContext, budget: Budget, tokens: number) {
    this.#run = run;
    this.#budget = budget;
    const tail = preparedTail(budget, tokens);
    this.#coveredTokens = tokens - tail;
    this.#end = this.#prepare({ ...budget, tail });
  }

  get isReady(): boolean {
    return this.#ready !== null;
  }

  get isStale(): boolean {
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
    this.#isTaken = false;
    return prepared?.summary ?? null;
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#end;
  }

  async drop(): Promise<void> {
    await this.stop();
    const prepared = this.#ready;
    this.#ready = null;
    if (prepared) await this.#recordUnused("dropped", prepared.usageEntries);
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
    if (result.type === "prepared" && !stop.aborted) {
      this.#ready = result;
      preparation.emit({
        type: "compaction_preparation",
        state: "ready",
        durationMs: Math.max(0, runtime.now() - startedAt),
      });
      return result;
    }
    preparation.release(this, { mayRetry: stop.aborted });
    const note = result.type === "not-prepared" ? result.findings.at(-1)?.note : undefined;
    await this.#recordUnused(stop.aborted ? "dropped" : "failed", result.usageEntries, note);
    return null;
  }

  // PREP5: the cost of a summary that is not used is in the log.
  async #recordUnused(
    state: "dropped" | "failed",
    usageEntries: readonly NewEntry[],
    errorMessage?: string,
  ): Promise<void> {
    const { session, preparation } = this.#run;
    // A session that cannot be written ends the run at its next append. Here, only the record of the cost is lost.
    if (usageEntries.length > 0) await session.append(...usageEntries).catch(() => undefined);
    const usage = sumUsage(usageEntries);
    preparation.emit({
      type: "compaction_preparation",
      state,
      ...(errorMessage !== undefined && { errorMessage }),
      // EVT5: the events of a compaction that has taken it count the usage.
      ...(usage && !this.#isTaken && { usage }),
    });
  }
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

function sumUsage(entries: readonly NewEntry[]): Usage | null {
  const [first, ...rest] = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
  return first ? rest.reduce(addUsage, first) : null;
}

/** PREP1: starts a preparation if the context is large enough and nothing prevents a compaction. */
export function startPreparation(run: RunContext, budget: Budget): void {
  const { session, preparation, signal } = run;
  if (signal.aborted || !preparation.canStart(session.branch)) return;
  const earlyBudget = { ...budget, limit: preparationThreshold(budget) };
  if (earlyBudget.limit >= budget.limit) return;
  const { type, size } = compactionDue(session.branch, earlyBudget);
  if (type !== "due") return;
  // Removing outdated results will do, without a summary.
  if (planElision(session.branch, earlyBudget)?.isEnough) return;
  preparation.start(session.branch, () => new SummaryPreparation(run, budget, size.tokens));
}
