/** Defines the ports (clock, ids, sleep, checksum), passed in so that tests are repeatable, and runs work with a timeout and abort. */

export interface Ports {
  /** Milliseconds since 1970; shown to people, never used to order anything. */
  readonly now: () => number;
  /** A new entry id: at least 80 random bits. */
  readonly entryId: () => string;
  readonly sessionId: () => string;
  /** A random word that no content can foresee, for marks in prompts. */
  readonly nonce: () => string;
  /** Ends when the time is over, or at once when it is aborted. */
  readonly sleep: (ms: number, act: { readonly signal?: AbortSignal }) => Promise<void>;
  readonly checksum: Checksum;
}

/** CRC-32 of the bytes, as an unsigned number. */
export type Checksum = (bytes: Uint8Array) => number;

export type Attempted<Value> =
  | { readonly type: "done"; readonly value: Value }
  | { readonly type: "aborted" }
  | { readonly type: "late" }
  | { readonly type: "failed"; readonly why: string };

export interface Attempt {
  readonly signal?: AbortSignal | undefined;
  /** How long it may take, and the clock to tell; without them for ever. */
  readonly within?: { readonly ms: number; readonly sleep: Ports["sleep"] };
}

/** What becomes of work that may fail, hang or be aborted: a value in every case. */
export async function attempted<Value>(
  work: () => Promise<Value> | Value,
  { signal, within }: Attempt = {},
): Promise<Attempted<Value>> {
  if (signal?.aborted) return { type: "aborted" };
  const over = new AbortController();
  // The work comes second: it may abort the signal before it first waits for anything.
  const ways = [aborted(signal, over.signal), done(work), ...(within ? [late(within, over.signal)] : [])];
  try {
    return await Promise.race<Attempted<Value>>(ways);
  } catch (error) {
    return { type: "failed", why: whyOf(error) };
  } finally {
    over.abort(OVER);
  }
}

/** A reason of our own: without one Node makes an error with a stack each time, which takes longer than the rest. */
const OVER = "over";

function aborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<{ readonly type: "aborted" }> {
  return new Promise((resolve) =>
    signal?.addEventListener("abort", () => resolve({ type: "aborted" }), { signal: over }),
  );
}

async function done<Value>(work: () => Promise<Value> | Value): Promise<Attempted<Value>> {
  return { type: "done", value: await work() };
}

async function late(
  { ms, sleep }: NonNullable<Attempt["within"]>,
  over: AbortSignal,
): Promise<{ readonly type: "late" }> {
  await sleep(ms, { signal: over });
  return { type: "late" };
}

function whyOf(error: unknown): string {
  try {
    return briefly(String(error instanceof Error ? error.message : error));
  } catch {
    // Anything can be thrown, also what no text can be made of.
    return "it does not say why";
  }
}

/** A reason from outside, short enough to stand in a log: some send whole pages. */
export function briefly(reason: string): string {
  return reason.length > LONGEST ? `${reason.slice(0, LONGEST).toWellFormed()}…` : reason;
}

const LONGEST = 500;
