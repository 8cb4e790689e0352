/** Limits a summary: its time until the first token, between tokens, per attempt and in total, and its length before any code reads it. */

import type { Runtime } from "../runtime.ts";
import type { SummaryTimeouts } from "../settings.ts";

/** The limits of one summary, and a signal for the end of its total time. */
export interface TimeLimit extends SummaryTimeouts {
  /** Aborted when the total is used up. */
  readonly totalExpired: AbortSignal;
  /** Whether an attempt that reached its limit is repeated; false if another summarizer can be asked instead. */
  readonly mayRetrySlowAttempt: boolean;
}

/** Starts the clock for requests that together may not exceed the total time. */
export function startTimeLimit(
  time: SummaryTimeouts,
  { sleep }: Pick<Runtime, "sleep">,
): TimeLimit & { readonly stop: () => void } {
  const [expired, stopped] = [new AbortController(), new AbortController()];
  void runDelayed(time.total, { sleep, signal: stopped.signal, callback: () => expired.abort() });
  return { ...time, totalExpired: expired.signal, mayRetrySlowAttempt: true, stop: () => stopped.abort() };
}

/** The limit that an attempt has reached. */
export type TimeLimitName = "firstToken" | "nextToken" | "attempt" | "total";

export interface AttemptTimerOptions {
  readonly limit: TimeLimit;
  readonly sleep: Runtime["sleep"];
  /** Called once a minute until the first token arrives. */
  readonly onWait: (elapsedMs: number) => void;
}

/** Measures one attempt. Uses only `sleep`, so that a change of the system clock neither ends nor extends a wait. */
export class AttemptTimer {
  readonly #options: AttemptTimerOptions;
  readonly #expiredController = new AbortController();
  #attemptLimit = new AbortController();
  #tokenLimit = new AbortController();
  #reachedLimit: TimeLimitName = "total";

  constructor(options: AttemptTimerOptions) {
    this.#options = options;
  }

  /** Aborted when a limit of this attempt is reached. */
  get signal(): AbortSignal {
    return this.#expiredController.signal;
  }

  get reachedLimit(): TimeLimitName {
    return this.#reachedLimit;
  }

  /** Starts the limits of a request that is sent after the delay. */
  start(delayMs = 0): void {
    const { firstToken, attempt } = this.#options.limit;
    this.stop();
    this.#attemptLimit = this.#startLimit("attempt", attempt + delayMs);
    this.#tokenLimit = this.#startLimit("firstToken", firstToken + delayMs);
    void this.#reportWait(this.#tokenLimit.signal, delayMs);
  }

  onToken(): void {
    this.#tokenLimit.abort();
    this.#tokenLimit = this.#startLimit("nextToken", this.#options.limit.nextToken);
  }

  stop(): void {
    this.#attemptLimit.abort();
    this.#tokenLimit.abort();
  }

  #startLimit(name: TimeLimitName, ms: number): AbortController {
    const stopController = new AbortController();
    const expire = (): void => {
      if (!this.signal.aborted) this.#reachedLimit = name;
      this.#expiredController.abort();
    };
    void runDelayed(ms, { sleep: this.#options.sleep, signal: stopController.signal, callback: expire });
    return stopController;
  }

  async #reportWait(signal: AbortSignal, delayMs: number): Promise<void> {
    const { sleep, onWait, limit } = this.#options;
    let isOver = delayMs > 0 && !(await trySleep(delayMs, { sleep, signal }));
    for (
      let elapsed = WAIT_REPORT_INTERVAL_MS;
      !isOver && elapsed < limit.firstToken;
      elapsed += WAIT_REPORT_INTERVAL_MS
    ) {
      isOver = !(await trySleep(WAIT_REPORT_INTERVAL_MS, { sleep, signal })) || this.signal.aborted;
      if (!isOver) onWait(elapsed);
    }
  }
}

const WAIT_REPORT_INTERVAL_MS = 60_000;

interface SleepOptions {
  readonly sleep: Runtime["sleep"];
  readonly signal: AbortSignal;
}

/** An infinite limit is never reached. */
async function runDelayed(
  ms: number,
  { callback, ...options }: SleepOptions & { readonly callback: () => void },
): Promise<void> {
  if (Number.isFinite(ms) && (await trySleep(Math.min(ms, MAX_TIMER_MS), options))) callback();
}

/** JavaScript timers with a longer delay (24.8 days) fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sleeps. Returns false if the wait was aborted; a host's clock may reject in that case. */
export async function trySleep(ms: number, { sleep, signal }: SleepOptions): Promise<boolean> {
  try {
    await sleep(ms, { signal });
  } catch {
    return false;
  }
  return !signal.aborted;
}

/** GUARD3: the calls or the cost of summaries have reached the hourly limit. */
export const SPEND_LIMIT_NOTE = "the hourly limit for summaries was reached";

/** Describes the limit that was reached, and what the user can do. */
export function explainReachedLimit(limit: TimeLimitName, time: SummaryTimeouts): string {
  return [describeReachedLimit(limit, time), ...TIME_LIMIT_ADVICE[limit]].join("; ");
}

const FASTER_MODEL_ADVICE = "you can set a faster summary model with compaction.model";

const TIME_LIMIT_ADVICE: Readonly<Record<TimeLimitName, readonly string[]>> = {
  firstToken: [
    "a local model may need longer to read a long prompt: raise firstTokenMinutes in the settings, or summaryTime.firstToken in the library's limits",
  ],
  nextToken: [],
  attempt: [FASTER_MODEL_ADVICE],
  total: [FASTER_MODEL_ADVICE],
};

/** Describes the limit that was reached. */
export function describeReachedLimit(limit: TimeLimitName, time: SummaryTimeouts): string {
  switch (limit) {
    case "firstToken":
      return `no token arrived within ${formatDuration(time.firstToken)}`;
    case "nextToken":
      return `no further token arrived for ${formatDuration(time.nextToken)}`;
    case "attempt":
      return `the summary was not complete after ${formatDuration(time.attempt)}`;
    case "total":
      return `the limit of ${formatDuration(time.total)} for one summary was exceeded`;
  }
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 100) / 10;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** Whether a text is too long to be read as a summary of so many tokens. Compares lengths only, because a check of megabytes would block the program. */
export function isFarTooLong(text: string, tokens: number): boolean {
  return text.length > maxSummaryChars(tokens);
}

/** The maximum number of characters that is read. Slightly longer summaries pass and fail the check of their tokens. */
export function maxSummaryChars(tokens: number): number {
  return Math.min(MAX_CHARS_LIMIT, Math.max(MIN_CHARS_LIMIT, tokens * MAX_CHARS_PER_TOKEN));
}

/** Explains to users why a text was refused. */
export function describeSizeLimit(text: string, tokens: number): string {
  return `the summary has ${text.length} characters; the limit is ${maxSummaryChars(tokens)}`;
}

const MAX_CHARS_PER_TOKEN = 16;
const MIN_CHARS_LIMIT = 64 * 1024;
const MAX_CHARS_LIMIT = 1024 * 1024;
