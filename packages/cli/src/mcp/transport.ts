/** Creates the transport to an MCP server: a program's pipes, or HTTP requests whose answers are bounded. */

import type { Transport } from "@modelcontextprotocol/client";
import type { HttpServer } from "../settings/settings.ts";
import { createProgramTransport, type ProgramSpawnOptions } from "./program-transport.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface ResponseLimit {
  readonly maxBytes: number;
  /** Told why, where one was longer. */
  readonly onTooLong: (why: string) => void;
}

/** Limits a whole response, or each event of a stream, so that a server cannot fill the memory. */
export function createBoundedFetch(limit: ResponseLimit): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isEventStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    return new Response(response.body.pipeThrough(createLimitStream(limit, isEventStream ? "events" : "whole")), {
      status,
      statusText,
      headers,
    });
  };
}

function createLimitStream(
  { maxBytes, onTooLong }: ResponseLimit,
  unit: "events" | "whole",
): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let tail = "";
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (unit === "events") {
        const text = `${tail}${Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")}`;
        // An empty line ends an event, and may come in two pieces.
        const end = Math.max(...EMPTY_LINES.map((line) => text.lastIndexOf(line)));
        if (end >= 0) length = text.length - end;
        tail = text.slice(-2);
      }
      if (length <= maxBytes) return controller.enqueue(chunk);
      const why = `its answer is longer than ${maxBytes >> 20} MB`;
      controller.error(new Error(why));
      onTooLong(why);
    },
  });
}

const EMPTY_LINES = ["\n\n", "\n\r\n", "\r\r"];

export interface ServerTransport {
  /** Whether it may be asked first which words it knows: a program would be started twice for it, and an older server never answers. */
  readonly negotiatesVersion: boolean;
  readonly transport: Transport;
  /** The program's id, also when it has ended; null where there is none. */
  readonly pid: () => number | null;
  /** What else is known of why it failed, such as the end of what a program said beside its answers. */
  readonly lastOutput: () => string;
}

/** An address, or a program that may be started. `sse`: as servers spoke before; asked for where the newer way is refused. */
export async function createTransport(
  server: HttpServer | ProgramSpawnOptions,
  protocol: "http" | "sse" = "http",
): Promise<ServerTransport> {
  if ("program" in server)
    return {
      negotiatesVersion: false,
      ...(await createProgramTransport(server, { maxMessageBytes: MAX_MESSAGE_BYTES })),
    };
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  // Redirects stay within the origin: the client's own rule.
  let failure = "";
  // Nothing else would tell whoever waits for it.
  const onTooLong = (why: string): void => {
    failure = why;
    void transport.close();
  };
  const options = {
    requestInit: { headers: { ...server.headers } },
    fetch: createBoundedFetch({ maxBytes: MAX_MESSAGE_BYTES, onTooLong }),
  };
  const url = new URL(server.url);
  const transport: Transport =
    protocol === "http"
      ? new StreamableHTTPClientTransport(url, { ...options, reconnectionScheduler: scheduleReconnect })
      : new SSEClientTransport(url, options);
  return { negotiatesVersion: protocol === "http", transport, pid: () => null, lastOutput: () => failure };
}

/** A server says how soon it wants to be asked again; one that says at once would keep us busy. */
function scheduleReconnect(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, Math.max(delayMs, MIN_RECONNECT_DELAY_MS));
  return () => clearTimeout(timer);
}

const MIN_RECONNECT_DELAY_MS = 1_000;

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
