/** Reads the parts of a provider's stream until it ends, fails, is aborted or stays silent for too long. */

import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";

type OpenStream = (abortSignal: AbortSignal) => PromiseLike<LanguageModelV4StreamResult>;

export interface StreamReadOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds without a sign of life after which the line is given up; a ping is one. */
  readonly idleTimeoutMs: () => number;
}

/** Thrown where nothing came for too long. */
export class IdleTimeoutError extends Error {}

export async function* readStreamParts(
  openStream: OpenStream,
  options: StreamReadOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const { signal } = options;
  signal?.throwIfAborted();
  const endController = new AbortController();
  const parts = readParts(openStream, signal ? AbortSignal.any([signal, endController.signal]) : endController.signal);
  try {
    for (;;) {
      const { done, value } = await withIdleTimeout(parts.next(), options);
      if (done) return;
      yield value;
    }
  } finally {
    void closeStream(parts, endController);
  }
}

/** Whoever stops listening ends the request too; but a stream that has all but ended is read to its end, so that its line serves the next one. */
async function closeStream(parts: AsyncIterable<unknown>, endController: AbortController): Promise<void> {
  const drainTimer = setTimeout(() => endController.abort(abortReason()), DRAIN_TIMEOUT_MS);
  drainTimer.unref();
  try {
    for await (const _ of parts);
  } catch {
    // It is over for everybody; how it took that is nobody's business.
  } finally {
    clearTimeout(drainTimer);
    endController.abort(abortReason());
  }
}

let cachedAbortReason: DOMException | null = null;

/** What `abort()` makes anew each time, with a stack; here it is made once. */
function abortReason(): DOMException {
  cachedAbortReason ??= new DOMException("The request is no longer needed", "AbortError");
  return cachedAbortReason;
}

const DRAIN_TIMEOUT_MS = 200;

async function* readParts(
  openStream: OpenStream,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
  const { stream } = await openStream(signal);
  const reader = stream.getReader();
  // A read that hangs keeps this function from its end; cancelling ends the read.
  signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  if (signal.aborted) await reader.cancel();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    yield value;
  }
}

function withIdleTimeout<Value>(promise: Promise<Value>, { signal, idleTimeoutMs }: StreamReadOptions): Promise<Value> {
  const timeoutMs = idleTimeoutMs();
  return new Promise((resolve, reject) => {
    const settleOnce = (settle: () => void) => (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = settleOnce(() => reject(signal?.reason));
    const timer = setTimeout(
      settleOnce(() => reject(new IdleTimeoutError(`said nothing for ${timeoutMs / 1000} s`))),
      timeoutMs,
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    promise.then(
      (value) => settleOnce(() => resolve(value))(),
      (error) => settleOnce(() => reject(error))(),
    );
  });
}
