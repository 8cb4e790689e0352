/** Reads the parts of a provider's stream until it ends, fails, is aborted or stays silent for too long. */

import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";

type Opening = (abortSignal: AbortSignal) => PromiseLike<LanguageModelV4StreamResult>;

export interface Listening {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds without a sign of life after which the line is given up; a ping is one. */
  readonly silenceMs: () => number;
}

/** Thrown where nothing came for too long. */
export class Silence extends Error {}

export async function* streamParts(open: Opening, listening: Listening): AsyncGenerator<LanguageModelV4StreamPart> {
  const { signal } = listening;
  signal?.throwIfAborted();
  const over = new AbortController();
  const parts = reading(open, signal ? AbortSignal.any([signal, over.signal]) : over.signal);
  try {
    for (;;) {
      const { done, value } = await inTime(parts.next(), listening);
      if (done) return;
      yield value;
    }
  } finally {
    void letGo(parts, over);
  }
}

/** Whoever stops listening ends the request too; but a stream that has all but ended is read to its end, so that its line serves the next one. */
async function letGo(parts: AsyncIterable<unknown>, over: AbortController): Promise<void> {
  const enough = setTimeout(() => over.abort(reasonToEnd()), LAST_BYTES_MS);
  enough.unref();
  try {
    for await (const _ of parts);
  } catch {
    // It is over for everybody; how it took that is nobody's business.
  } finally {
    clearTimeout(enough);
    over.abort(reasonToEnd());
  }
}

let ended: DOMException | null = null;

/** What `abort()` makes anew each time, with a stack; here it is made once. */
function reasonToEnd(): DOMException {
  ended ??= new DOMException("The request is no longer needed", "AbortError");
  return ended;
}

const LAST_BYTES_MS = 200;

async function* reading(open: Opening, signal: AbortSignal): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
  const { stream } = await open(signal);
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

function inTime<Value>(work: Promise<Value>, { signal, silenceMs }: Listening): Promise<Value> {
  const ms = silenceMs();
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const stop = end(() => reject(signal?.reason));
    const timer = setTimeout(
      end(() => reject(new Silence(`said nothing for ${ms / 1000} s`))),
      ms,
    );
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    work.then(
      (value) => end(() => resolve(value))(),
      (error) => end(() => reject(error))(),
    );
  });
}
