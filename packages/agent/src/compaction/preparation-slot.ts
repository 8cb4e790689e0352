/** Holds the summary of the next compaction that an agent prepares in the background. */

import type { LoadedBranch } from "@pith/context";
import type { prepareSummary, SummaryProgress } from "@pith/context/host";
import type { CompactionPreparationEvent } from "../events.ts";

/** A summary of the next compaction that is being written in the background, or is ready. */
export interface BackgroundSummary {
  readonly isReady: boolean;
  /** Whether it is kept beside the session, so that the next process can use it. */
  readonly isSaved: boolean;
  /** Whether the entries that it summarizes have changed since it was ready. */
  readonly isOutdated: boolean;
  /** Whether enough would be kept if it was used now, and not at the limit. */
  readonly keepsEnough: boolean;
  /** Waits for the summary. Null if there is none. */
  take(options: TakeOptions): Promise<PreparedSummary | null>;
  /** Stops a summary that is not ready. A ready one stays. */
  stop(): Promise<void>;
  /** Stops it, or drops it if it is ready. */
  drop(): Promise<void>;
  /** Removes what is kept beside the session. Call it when a compaction has used the summary, or cannot use it. */
  removeSaved(): Promise<void>;
}

export interface TakeOptions {
  /** Stops the summary if it is not ready. */
  readonly signal: AbortSignal;
  readonly showProgress: (progress: SummaryProgress) => void;
}

export type PrepareSummaryResult = Awaited<ReturnType<typeof prepareSummary>>;
type PreparedSummary = Extract<PrepareSummaryResult, { type: "prepared" }>["summary"];

/** Holds the one summary that an agent prepares in the background. */
export class PreparationSlot {
  /** Emits an event outside of the events of a run. */
  emit: (event: CompactionPreparationEvent) => void = () => {};
  #current: BackgroundSummary | null = null;
  #hasReply = false;
  #isRestored = false;
  /** The compaction after which the last preparation started, and how many have started since. */
  #attempts: { readonly after: string; readonly count: number } = { after: "", count: 0 };

  get current(): BackgroundSummary | null {
    return this.#current;
  }

  get isReady(): boolean {
    return this.#current?.isReady ?? false;
  }

  /** Call it when the agent got a reply. A program that sends one request and ends has no use for a summary. */
  recordReply(): void {
    this.#hasReply = true;
  }

  /** PREP1: after the first reply, one at a time, and only a few between two compactions. */
  canStart(branch: LoadedBranch): boolean {
    const { after, count } = this.#attempts;
    return this.#hasReply && this.#current === null && (after !== toKey(branch) || count < MAX_ATTEMPTS);
  }

  start(branch: LoadedBranch, create: () => BackgroundSummary): void {
    const key = toKey(branch);
    this.#attempts = { after: key, count: this.#attempts.after === key ? this.#attempts.count + 1 : 1 };
    this.#current = create();
  }

  /** Call it when a summary was not written. One that failed would fail again, so it is not repeated before the next compaction. */
  release(preparation: BackgroundSummary, { mayRetry }: { readonly mayRetry: boolean }): void {
    if (this.#current === preparation) this.#current = null;
    if (!mayRetry) this.#attempts = { ...this.#attempts, count: MAX_ATTEMPTS };
  }

  /** Empties the slot for a compaction. */
  take(): BackgroundSummary | null {
    const preparation = this.#current;
    this.#current = null;
    return preparation;
  }

  /** Puts a summary back that a compaction has not used. */
  putBack(preparation: BackgroundSummary | null): void {
    if (preparation?.isReady) this.#current ??= preparation;
  }

  /** True for the first call. An earlier process may have saved a summary. */
  startRestore(): boolean {
    const isFirst = !this.#isRestored;
    this.#isRestored = true;
    return isFirst;
  }

  /** PREP4: call it after a move or an undo. A summary that is being written is dropped, too. */
  async dropIfOutdated(): Promise<void> {
    if (this.#current && (!this.isReady || this.#current.isOutdated)) await this.drop();
  }

  /** Call it when the agent ends. A saved summary stays for the next process. */
  async close(): Promise<void> {
    await this.stop();
    if (!this.#current?.isSaved) await this.drop();
  }

  /** Stops a summary that is not ready. It may start again. */
  async stop(): Promise<void> {
    if (!this.#current || this.isReady) return;
    this.#attempts = { ...this.#attempts, count: this.#attempts.count - 1 };
    await this.#current.stop();
  }

  async drop(): Promise<void> {
    const preparation = this.#current;
    this.#current = null;
    await preparation?.drop();
  }
}

const MAX_ATTEMPTS = 3;

function toKey({ entries, compactionIndex }: LoadedBranch): string {
  return `after ${entries[compactionIndex]?.id ?? ""}`;
}
