/** Defines the ports (clock, ids, sleep, checksum), passed in so that tests are repeatable, and runs work with a timeout and abort. */

export interface Runtime {
  /** Milliseconds since 1970; shown to people, never used to order anything. */
  readonly now: () => number;
  /** A new entry id: at least 80 random bits. */
  readonly entryId: () => string;
  readonly sessionId: () => string;
  /** A random word that no content can foresee, for marks in prompts. */
  readonly nonce: () => string;
  /** Ends when the time is over, or at once when it is aborted. */
  readonly sleep: (ms: number, options: { readonly signal?: AbortSignal }) => Promise<void>;
  readonly checksum: Checksum;
}

/** CRC-32 of the bytes, as an unsigned number. */
export type Checksum = (bytes: Uint8Array) => number;

export type GuardedResult<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "aborted" }
  | { readonly type: "late" }
  | { readonly type: "failed"; readonly why: string };

export interface GuardOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long it may take, and the clock to tell; without them for ever. */
  readonly timeout?: { readonly ms: number; readonly sleep: Runtime["sleep"] };
}

/** What becomes of work that may fail, hang or be aborted: a value in every case. */
export async function runGuarded<Value>(
  work: () => Promise<Value> | Value,
  { signal, timeout }: GuardOptions = {},
): Promise<GuardedResult<Value>> {
  if (signal?.aborted) return { type: "aborted" };
  const raceController = new AbortController();
  // The work comes second: it may abort the signal before it first waits for anything.
  const outcomes = [
    resolveOnAbort(signal, raceController.signal),
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

/** A reason of our own: without one Node makes an error with a stack each time, which takes longer than the rest. */
const RACE_OVER = "over";

function resolveOnAbort(
  signal: AbortSignal | undefined,
  raceSignal: AbortSignal,
): Promise<{ readonly type: "aborted" }> {
  return new Promise((resolve) =>
    signal?.addEventListener("abort", () => resolve({ type: "aborted" }), { signal: raceSignal }),
  );
}

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

function errorReason(error: unknown): string {
  try {
    return truncateReason(String(error instanceof Error ? error.message : error));
  } catch {
    // Anything can be thrown, also what no text can be made of.
    return "it does not say why";
  }
}

/** A reason from outside, short enough to stand in a log: some send whole pages. */
export function truncateReason(reason: string): string {
  return reason.length > MAX_REASON_CHARS ? `${reason.slice(0, MAX_REASON_CHARS).toWellFormed()}…` : reason;
}

const MAX_REASON_CHARS = 500;
