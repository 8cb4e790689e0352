/** Reads the parts of a provider's stream until it ends, fails, is aborted or stays silent for too long. */

import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";

type OpenStream = (abortSignal: AbortSignal) => PromiseLike<LanguageModelV4StreamResult>;

export interface StreamReadOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds without any data, pings included, before the stream fails. */
  readonly idleTimeoutMs: () => number;
}

/** Thrown when nothing arrived within the idle timeout. */
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

/** Ends the request when the caller stops reading. A stream near its end is read to the end first, so that its connection can be reused. */
async function closeStream(parts: AsyncIterable<unknown>, endController: AbortController): Promise<void> {
  const drainTimer = setTimeout(() => endController.abort(abortReason()), DRAIN_TIMEOUT_MS);
  drainTimer.unref();
  try {
    for await (const _ of parts);
  } catch {
    // The caller has stopped reading, so errors no longer matter.
  } finally {
    clearTimeout(drainTimer);
    endController.abort(abortReason());
  }
}

let cachedAbortReason: DOMException | null = null;

/** Created once: `abort()` without a reason creates an exception with a stack each time. */
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
  // Cancelling ends a read that hangs, which would keep this generator open.
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
      settleOnce(() => reject(new IdleTimeoutError(`sent nothing for ${timeoutMs / 1000} s`))),
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
