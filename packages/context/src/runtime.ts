/** Defines the runtime (clock, ids, sleep, checksum), which callers pass in so that tests are repeatable, and runs work with a timeout. */

/** The effects that this package needs from its host. */
export interface Runtime {
  /** Milliseconds since 1970, for display only; never used to order entries. */
  readonly now: () => number;
  /** A new entry id with at least 80 random bits. */
  readonly entryId: () => string;
  /** A new session id. */
  readonly sessionId: () => string;
  /** A random word that content cannot predict, for delimiters in prompts. */
  readonly nonce: () => string;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, options: { readonly signal?: AbortSignal }) => Promise<void>;
  readonly checksum: Checksum;
}

/** Computes the CRC-32 of bytes, as an unsigned number. */
export type Checksum = (bytes: Uint8Array) => number;

/** Runs work that may throw, hang or be aborted, and returns a value in every case. */
export async function runGuarded<Value>(
  work: () => Promise<Value> | Value,
  { signal, timeout }: GuardOptions = {},
): Promise<GuardedResult<Value>> {
  if (signal?.aborted) return { type: "aborted" };
  const raceController = new AbortController();
  // The abort listener comes first, because the work may abort the signal synchronously.
  const outcomes = [
    new Promise<{ readonly type: "aborted" }>((resolve) =>
      signal?.addEventListener("abort", () => resolve({ type: "aborted" }), { signal: raceController.signal }),
    ),
    runWork(work),
    ...(timeout ? [resolveAfterTimeout(timeout, raceController.signal)] : []),
  ];
  try {
    return await Promise.race<GuardedResult<Value>>(outcomes);
  } catch (error) {
    return { type: "failed", why: errorReason(error) };
  } finally {
    raceController.abort(RACE_OVER);
  }
}

/** The outcome of guarded work; `late` means that it exceeded its timeout. */
export type GuardedResult<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "aborted" }
  | { readonly type: "late" }
  | { readonly type: "failed"; readonly why: string };

/** Options for `runGuarded`. */
export interface GuardOptions {
  readonly signal?: AbortSignal | undefined;
  /** The time limit, and the sleep that measures it. No limit if absent. */
  readonly timeout?: { readonly ms: number; readonly sleep: Runtime["sleep"] };
}

/** An abort reason. Without one, Node creates an error with a stack trace on every call, which is slow. */
const RACE_OVER = "over";

async function runWork<Value>(work: () => Promise<Value> | Value): Promise<GuardedResult<Value>> {
  return { type: "done", value: await work() };
}

async function resolveAfterTimeout(
  { ms, sleep }: NonNullable<GuardOptions["timeout"]>,
  raceSignal: AbortSignal,
): Promise<{ readonly type: "late" }> {
  await sleep(ms, { signal: raceSignal });
  return { type: "late" };
}

/** Reads the message of anything that was thrown. */
export function errorReason(error: unknown): string {
  try {
    return truncateReason(String(error instanceof Error ? error.message : error));
  } catch {
    // Any value can be thrown, including one that cannot be converted to a string.
    return "the error has no message";
  }
}

/** Shortens an error message from outside for the log: some providers send whole pages. */
export function truncateReason(reason: string): string {
  return reason.length > MAX_REASON_CHARS ? `${reason.slice(0, MAX_REASON_CHARS).toWellFormed()}…` : reason;
}

const MAX_REASON_CHARS = 500;
