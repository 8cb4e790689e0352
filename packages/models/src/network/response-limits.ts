/** Bounds what a provider's response may send: one event of a stream, the whole of a stream, any other body, an error. */

import { Answer } from "./http-response.ts";

/** Thrown where more came than is taken. The sentence continues one that begins with the provider's name. */
export class TooLarge extends Error {}

/** The first `TooLarge` in an error and its causes; provider packages wrap what a body throws. */
export function findTooLarge(thrown: unknown): TooLarge | null {
  let error = thrown;
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    if (error instanceof TooLarge) return error;
    error = error.cause;
  }
  return null;
}

const DEEPEST_CAUSE = 5;

export interface ResponseLimits {
  /** Bytes of one event, or of one line of a stream of JSON lines: provider packages hold it until it ends. */
  readonly event: number;
  /** Bytes of a stream, where events say little: some 300 bytes are sent for each token. */
  readonly stream: number;
  /** Bytes of any other body. */
  readonly body: number;
  /** Bytes of a refusal; the rest is not read. */
  readonly error: number;
}

const MB = 1024 * 1024;

/** OpenAI's last event repeats the whole reply and the instructions, so an event may be larger than a reply. */
export const responseLimits: ResponseLimits = { event: 8 * MB, stream: 256 * MB, body: 16 * MB, error: MB };

/** The same `fetch`, whose responses fail or end where they exceed the limits. Nothing beyond them is held. */
export function limitResponses(
  fetch: typeof globalThis.fetch,
  limits: ResponseLimits = responseLimits,
): typeof globalThis.fetch {
  return async (...asked) => {
    const response = await fetch(...asked);
    const { body, status, statusText, headers, url, redirected } = response;
    if (body === null) return response;
    const limited = limitBody(body, takeFor(response, limits));
    return new Answer({ status, statusText, headers, url, redirected, body: limited });
  };
}

/** Returns the bytes to pass on; fewer than it was handed end the body. Throws where the body must fail. */
type Take = (bytes: Uint8Array) => Uint8Array;

function takeFor({ ok, headers }: Response, limits: ResponseLimits): Take {
  if (!ok) return truncateAt(limits.error);
  const type = headers.get("content-type") ?? "";
  if (/event-stream/i.test(type)) return both(limitUnit("event", EVENT_ENDS, limits.event), limitTotal(limits.stream));
  if (/ndjson|jsonl|json-seq/i.test(type))
    return both(limitUnit("line", LINE_ENDS, limits.event), limitTotal(limits.stream));
  return limitTotal(/eventstream/i.test(type) ? limits.stream : limits.body);
}

function both(first: Take, second: Take): Take {
  return (bytes) => second(first(bytes));
}

const WHAT_TO_DO = "try again, or choose another model or provider";

function truncateAt(most: number): Take {
  let left = most;
  return (bytes) => {
    const taken = bytes.subarray(0, left);
    left -= taken.length;
    return taken;
  };
}

function limitTotal(most: number): Take {
  let left = most;
  return (bytes) => {
    left -= bytes.length;
    if (left < 0)
      throw new TooLarge(`sent more than ${megabytes(most)} in one response, so it was stopped; ${WHAT_TO_DO}`);
    return bytes;
  };
}

/** Ends of a line and of an event; a stream may use LF, CRLF or CR. */
const LINE_ENDS: readonly string[] = ["\n"];
const EVENT_ENDS: readonly string[] = ["\n\n", "\n\r\n", "\r\r"];
const LONGEST_END = 3;

/** Counts from the end of the last unit. An end may be split between two chunks. */
function limitUnit(name: string, ends: readonly string[], most: number): Take {
  let open = 0;
  let before = Buffer.alloc(0);
  return (bytes) => {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const seam = Buffer.concat([before, chunk.subarray(0, LONGEST_END)]);
    const end = Math.max(endOfLast(chunk, ends), endOfLast(seam, ends) - before.length);
    open = end > 0 ? chunk.length - end : open + chunk.length;
    before = Buffer.concat([before, chunk.subarray(-LONGEST_END)]).subarray(-LONGEST_END);
    if (open > most)
      throw new TooLarge(`sent one ${name} of more than ${megabytes(most)}, so the reply was stopped; ${WHAT_TO_DO}`);
    return bytes;
  };
}

function endOfLast(bytes: Buffer, ends: readonly string[]): number {
  return Math.max(
    ...ends.map((end) => {
      const at = bytes.lastIndexOf(end);
      return at < 0 ? 0 : at + end.length;
    }),
  );
}

export function megabytes(bytes: number): string {
  return bytes % MB === 0 ? `${bytes / MB} MB` : `${(bytes / MB).toFixed(1)} MB`;
}

/**
 * Holds nothing itself: each piece is read when it is asked for. BOUND7: between two pieces it lets the event loop turn. A flood
 * would otherwise be read for as long as the socket has bytes, some 2 MB, before a signal or a word on stdin is seen.
 */
function limitBody(body: ReadableStream<Uint8Array>, take: Take): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let turned = performance.now();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (performance.now() - turned > LONGEST_TURN_MS) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          turned = performance.now();
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        try {
          const taken = take(value);
          if (taken.length > 0) controller.enqueue(taken);
          if (taken.length < value.length) {
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

const LONGEST_TURN_MS = 5;
