/** Bounds the size of a provider's response: one event of a stream, a whole stream, any other body, an error. */

import { PlainResponse } from "./http-response.ts";

/** Thrown when a limit is exceeded. The message continues a sentence that begins with the provider's name. */
export class SizeLimitError extends Error {}

/** The first `SizeLimitError` in an error and its causes; provider packages wrap what a body throws. */
export function findSizeLimitError(thrown: unknown): SizeLimitError | null {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSE_DEPTH && error instanceof Error; depth += 1) {
    if (error instanceof SizeLimitError) return error;
    error = error.cause;
  }
  return null;
}

const MAX_CAUSE_DEPTH = 5;

export interface ResponseLimits {
  /** Bytes of one event, or of one line in a stream of JSON lines. Provider packages buffer it until it ends. */
  readonly event: number;
  /** Bytes of a stream. Events take about 300 bytes per token. */
  readonly stream: number;
  /** Bytes of any other body. */
  readonly body: number;
  /** Bytes of an error response; the rest is not read. */
  readonly error: number;
}

const MB = 1024 * 1024;

/** OpenAI's last event repeats the whole reply and the instructions, so an event may be larger than a reply. */
const responseLimits: ResponseLimits = { event: 8 * MB, stream: 256 * MB, body: 16 * MB, error: MB };

/** Wraps `fetch` so that responses fail or end when they exceed the limits. Nothing beyond the limits is buffered. */
export function limitResponses(
  fetch: typeof globalThis.fetch,
  limits: ResponseLimits = responseLimits,
): typeof globalThis.fetch {
  return async (...fetchArguments) => {
    const response = await fetch(...fetchArguments);
    const { body, status, statusText, headers, url, redirected } = response;
    if (body === null) return response;
    const limited = limitBody(body, chooseLimiter(response, limits));
    return new PlainResponse({ status, statusText, headers, url, redirected, body: limited });
  };
}

/** Returns the bytes to pass on; fewer than given end the body. Throws if the body must fail. */
type ChunkLimiter = (bytes: Uint8Array) => Uint8Array;

function chooseLimiter({ ok, headers }: Response, limits: ResponseLimits): ChunkLimiter {
  if (!ok) return truncateAt(limits.error);
  const type = headers.get("content-type") ?? "";
  if (/event-stream/i.test(type))
    return combineLimiters(limitUnit("event", EVENT_ENDS, limits.event), limitTotal(limits.stream));
  if (/ndjson|jsonl|json-seq/i.test(type))
    return combineLimiters(limitUnit("line", LINE_ENDS, limits.event), limitTotal(limits.stream));
  return limitTotal(/eventstream/i.test(type) ? limits.stream : limits.body);
}

function combineLimiters(first: ChunkLimiter, second: ChunkLimiter): ChunkLimiter {
  return (bytes) => second(first(bytes));
}

const ADVICE = "try again, or choose another model or provider";

function truncateAt(maxBytes: number): ChunkLimiter {
  let remainingBytes = maxBytes;
  return (bytes) => {
    const accepted = bytes.subarray(0, remainingBytes);
    remainingBytes -= accepted.length;
    return accepted;
  };
}

function limitTotal(maxBytes: number): ChunkLimiter {
  let remainingBytes = maxBytes;
  return (bytes) => {
    remainingBytes -= bytes.length;
    if (remainingBytes < 0)
      throw new SizeLimitError(
        `sent more than ${formatMegabytes(maxBytes)} in one response, so it was stopped; ${ADVICE}`,
      );
    return bytes;
  };
}

/** The ends of a line and of an event; a stream may use LF, CRLF or CR. */
const LINE_ENDS: readonly string[] = ["\n"];
const EVENT_ENDS: readonly string[] = ["\n\n", "\n\r\n", "\r\r"];
const MAX_END_LENGTH = 3;

/** Counts from the end of the last unit. An end may be split between two chunks. */
function limitUnit(name: string, ends: readonly string[], maxBytes: number): ChunkLimiter {
  let unitBytes = 0;
  let previousTail = Buffer.alloc(0);
  return (bytes) => {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const seam = Buffer.concat([previousTail, chunk.subarray(0, MAX_END_LENGTH)]);
    const end = Math.max(findLastEnd(chunk, ends), findLastEnd(seam, ends) - previousTail.length);
    unitBytes = end > 0 ? chunk.length - end : unitBytes + chunk.length;
    previousTail = Buffer.concat([previousTail, chunk.subarray(-MAX_END_LENGTH)]).subarray(-MAX_END_LENGTH);
    if (unitBytes > maxBytes)
      throw new SizeLimitError(
        `sent one ${name} of more than ${formatMegabytes(maxBytes)}, so the reply was stopped; ${ADVICE}`,
      );
    return bytes;
  };
}

function findLastEnd(bytes: Buffer, ends: readonly string[]): number {
  return Math.max(
    ...ends.map((end) => {
      const at = bytes.lastIndexOf(end);
      return at < 0 ? 0 : at + end.length;
    }),
  );
}

export function formatMegabytes(bytes: number): string {
  return bytes % MB === 0 ? `${bytes / MB} MB` : `${(bytes / MB).toFixed(1)} MB`;
}

/**
 * Buffers nothing: each chunk is read on demand. BOUND7: it yields to the event loop between chunks. Otherwise a flood would be
 * read as long as the socket has bytes, about 2 MB, before an abort or input is handled.
 */
function limitBody(body: ReadableStream<Uint8Array>, limitChunk: ChunkLimiter): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let lastYield = performance.now();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (performance.now() - lastYield > MAX_BLOCKING_MS) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          lastYield = performance.now();
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        try {
          const accepted = limitChunk(value);
          if (accepted.length > 0) controller.enqueue(accepted);
          if (accepted.length < value.length) {
            controller.close();
            await reader.cancel();
          }
        } catch (error) {
          controller.error(error);
          await reader.cancel();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const MAX_BLOCKING_MS = 5;
