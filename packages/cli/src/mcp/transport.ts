/** Creates the transport to an MCP server: a program's pipes, or HTTP requests whose answers are bounded. */

import type { Transport } from "@modelcontextprotocol/client";
import type { HttpServer } from "../settings/settings.ts";
import { openProgram, type ProgramStart } from "./program-transport.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Bounds {
  readonly mostBytes: number;
  /** Told why, where one was longer. */
  readonly onTooLong: (why: string) => void;
}

/** Limits a whole response, or each event of a stream, so that a server cannot fill the memory. */
export function boundedFetch(bounds: Bounds): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const isEvents = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    return new Response(response.body.pipeThrough(bounded(bounds, isEvents ? "events" : "whole")), {
      ...{ status, statusText, headers },
    });
  };
}

function bounded(
  { mostBytes, onTooLong }: Bounds,
  counted: "events" | "whole",
): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let last = "";
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (counted === "events") {
        const text = `${last}${Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")}`;
        // An empty line ends an event, and may come in two pieces.
        const end = Math.max(...EMPTY_LINES.map((line) => text.lastIndexOf(line)));
        if (end >= 0) length = text.length - end;
        last = text.slice(-2);
      }
      if (length <= mostBytes) return controller.enqueue(chunk);
      const why = `its answer is longer than ${mostBytes >> 20} MB`;
      controller.error(new Error(why));
      onTooLong(why);
    },
  });
}

const EMPTY_LINES = ["\n\n", "\n\r\n", "\r\r"];

export interface Way {
  /** Whether it may be asked first which words it knows: a program would be started twice for it, and an older server never answers. */
  readonly asksFirst: boolean;
  readonly transport: Transport;
  /** The program's id, also when it has ended; null where there is none. */
  readonly pid: () => number | null;
  /** What else is known of why it failed, such as the end of what a program said beside its answers. */
  readonly lastWords: () => string;
}

/** An address, or a program that may be started. `sse`: as servers spoke before; asked for where the newer way is refused. */
export async function wayTo(server: HttpServer | ProgramStart, spoken: "http" | "sse" = "http"): Promise<Way> {
  if ("program" in server) return { asksFirst: false, ...(await openProgram(server, { mostBytes: MOST_BYTES })) };
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  // Redirects stay within the origin: the client's own rule.
  let fault = "";
  // Nothing else would tell whoever waits for it.
  const onTooLong = (why: string): void => {
    fault = why;
    void transport.close();
  };
  const options = {
    requestInit: { headers: { ...server.headers } },
    fetch: boundedFetch({ mostBytes: MOST_BYTES, onTooLong }),
  };
  const url = new URL(server.url);
  const transport: Transport =
    spoken === "http"
      ? new StreamableHTTPClientTransport(url, { ...options, reconnectionScheduler: unhurried })
      : new SSEClientTransport(url, options);
  return { asksFirst: spoken === "http", transport, pid: () => null, lastWords: () => fault };
}

/** A server says how soon it wants to be asked again; one that says at once would keep us busy. */
function unhurried(reconnect: () => void, delay: number): () => void {
  const timer = setTimeout(reconnect, Math.max(delay, LEAST_DELAY));
  return () => clearTimeout(timer);
}

const LEAST_DELAY = 1_000;

const MOST_BYTES = 32 * 1024 * 1024;
