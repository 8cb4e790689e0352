/** Limits the time that models take for a summary: until the first token, between tokens, per attempt and in all. */

import type { Ports } from "../runtime.ts";
import type { SummaryTime } from "../settings.ts";

/** The limits of one summary, and a signal for the end of its total time. */
export interface TimeLimit extends SummaryTime {
  /** Aborted when the total is used up. */
  readonly totalExpired: AbortSignal;
  /** Whether an attempt that used up its time is made once more; false where another summariser can be asked instead. */
  readonly mayRetrySlowAttempt: boolean;
}

/** Runs work whose requests together may take no longer than the total. The clock starts now and stops with the work. */
export async function withTimeLimit<Value>(
  time: SummaryTime,
  { sleep }: Pick<Ports, "sleep">,
  work: (limit: TimeLimit) => Promise<Value>,
): Promise<Value> {
  const [expired, done] = [new AbortController(), new AbortController()];
  void runAfter(time.total, { sleep, signal: done.signal, act: () => expired.abort() });
  try {
    return await work({ ...time, totalExpired: expired.signal, mayRetrySlowAttempt: true });
  } finally {
    done.abort();
  }
}

/** Which limit an attempt has reached. */
export type ReachedLimit = "firstToken" | "nextToken" | "attempt" | "total";

export interface AttemptClock {
  readonly limit: TimeLimit;
  readonly sleep: Ports["sleep"];
  /** Called once a minute as long as no token has come. */
  readonly onWait: (elapsedMs: number) => void;
}

/** Measures one attempt. It uses `sleep` alone, so that a change of the system's clock neither ends nor prolongs a wait. */
export class AttemptTimer {
  readonly #clock: AttemptClock;
  readonly #expired = new AbortController();
  #attempt = new AbortController();
  #token = new AbortController();
  #reached: ReachedLimit = "total";

  constructor(clock: AttemptClock) {
    this.#clock = clock;
  }

  /** Aborted when a limit of this attempt is reached. */
  get signal(): AbortSignal {
    return this.#expired.signal;
  }

  get reached(): ReachedLimit {
    return this.#reached;
  }

  /** A request is sent after so long. */
  start(delayMs = 0): void {
    const { firstToken, attempt } = this.#clock.limit;
    this.stop();
    this.#attempt = this.#limit("attempt", attempt + delayMs);
    this.#token = this.#limit("firstToken", firstToken + delayMs);
    void this.#countMinutes(this.#token.signal, delayMs);
  }

  onToken(): void {
    this.#token.abort();
    this.#token = this.#limit("nextToken", this.#clock.limit.nextToken);
  }

  stop(): void {
    this.#attempt.abort();
    this.#token.abort();
  }

  #limit(name: ReachedLimit, ms: number): AbortController {
    const stopped = new AbortController();
    const act = (): void => {
      if (!this.signal.aborted) this.#reached = name;
      this.#expired.abort();
    };
    void runAfter(ms, { sleep: this.#clock.sleep, signal: stopped.signal, act });
    return stopped;
  }

  async #countMinutes(signal: AbortSignal, delayMs: number): Promise<void> {
    const { sleep, onWait, limit } = this.#clock;
    let isOver = delayMs > 0 && !(await hasPassed(delayMs, { sleep, signal }));
    for (let elapsed = MINUTE; !isOver && elapsed < limit.firstToken; elapsed += MINUTE) {
      isOver = !(await hasPassed(MINUTE, { sleep, signal })) || this.signal.aborted;
      if (!isOver) onWait(elapsed);
    }
  }
}

const MINUTE = 60_000;

interface Wait {
  readonly sleep: Ports["sleep"];
  readonly signal: AbortSignal;
}

/** A limit that is not finite is never reached. */
async function runAfter(ms: number, { act, ...wait }: Wait & { readonly act: () => void }): Promise<void> {
  if (Number.isFinite(ms) && (await hasPassed(Math.min(ms, LONGEST_TIMER), wait))) act();
}

/** Timers of JavaScript run out at once if they are set to more: 24.8 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** False if the wait was stopped; a host's clock may also reject then. */
export async function hasPassed(ms: number, { sleep, signal }: Wait): Promise<boolean> {
  try {
    await sleep(ms, { signal });
  } catch {
    return false;
  }
  return !signal.aborted;
}

/** What happened and what to do, for people. */
export function explainReachedLimit(reached: ReachedLimit, time: SummaryTime): string {
  return [describeReachedLimit(reached, time), ...ADVICE[reached]].join("; ");
}

const FASTER = "a faster model for summaries can be named in compaction.model";

const ADVICE: Readonly<Record<ReachedLimit, readonly string[]>> = {
  firstToken: [
    "a local model may need longer to read a long prompt: raise firstTokenMinutes in the settings, or summaryTime.firstToken of the limits in the library",
  ],
  nextToken: [],
  attempt: [FASTER],
  total: [FASTER],
};

/** What happened, for people. */
export function describeReachedLimit(reached: ReachedLimit, time: SummaryTime): string {
  switch (reached) {
    case "firstToken":
      return `no token came within ${formatDuration(time.firstToken)}`;
    case "nextToken":
      return `no further token came for ${formatDuration(time.nextToken)}`;
    case "attempt":
      return `the summary was not complete after ${formatDuration(time.attempt)}`;
    case "total":
      return `the limit of ${formatDuration(time.total)} for one summary was reached`;
  }
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 100) / 10;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
