/** Streams the events of a session to an HTTP client as server-sent events. A client that reads too slowly is closed, and resumes by `Last-Event-ID`. */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { LiveEvent } from "../live/follower.ts";

/** Options of `streamEvents`. */
export interface StreamOptions {
  /** Follows until the signal is aborted, which happens when the client is gone. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<LiveEvent>;
  /** Whether the client still may follow; asked with each heartbeat. Default: always. */
  readonly isAllowed?: () => Promise<boolean>;
  /** Default: 15 seconds. */
  readonly heartbeatMs?: number;
  /** A client that takes nothing for this long is closed. Default: 30 seconds. */
  readonly drainMs?: number;
  /** Headers of the response besides its own, such as those of CORS. */
  readonly headers?: Readonly<Record<string, string>>;
}

const HEARTBEAT_MS = 15_000;
const DRAIN_MS = 30_000;

/** When a client connects again. */
const RETRY_MS = 1_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Proxies such as nginx would wait for more.
  "x-accel-buffering": "no",
};

/** Writes events until they end or the client is gone. Rejects if the events do; the response is closed then, and the client connects again. */
export async function streamEvents(response: ServerResponse, options: StreamOptions): Promise<void> {
  const { follow, isAllowed = allowAlways, heartbeatMs = HEARTBEAT_MS, drainMs = DRAIN_MS, headers = {} } = options;
  // Then it is closed already, and nothing would say so.
  if (response.destroyed) return;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  // A client that is gone is no error of this process.
  response.on("error", () => {});
  response.writeHead(200, { ...headers, ...HEADERS });
  response.write(`retry: ${RETRY_MS}\n\n`);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(":\n\n");
    // If the database does not answer, the stream ends by itself.
    isAllowed().then(
      (isStillAllowed) => isStillAllowed || gone.abort(),
      () => {},
    );
  }, heartbeatMs);
  try {
    for await (const event of follow(gone.signal)) {
      if (gone.signal.aborted) break;
      if (!response.write(formatEvent(event))) await waitForDrain(response, { drainMs, signal: gone.signal });
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    clearInterval(heartbeat);
    // What a client did not read would stay in memory.
    if (gone.signal.aborted) response.destroy();
  }
}

async function allowAlways(): Promise<boolean> {
  return true;
}

/** Only entries have an id: after a gap, a client gets the running reply from its beginning. */
function formatEvent(event: LiveEvent): string {
  const { type, ...data } = event;
  const id = event.type === "entry" ? `id: ${event.seq}\n` : "";
  return `${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function waitForDrain(
  response: ServerResponse,
  { drainMs, signal }: { readonly drainMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const timer = setTimeout(() => response.destroy(), drainMs);
  // Aborted when the response is closed.
  await once(response, "drain", { signal }).catch(() => undefined);
  clearTimeout(timer);
}

/** Returns the position of the last entry that the client has; -1 if the header is absent or not a position. */
export function parseLastEventId(header: string | readonly string[] | undefined): number {
  return typeof header === "string" && /^\d{1,9}$/.test(header) ? Number(header) : -1;
}
