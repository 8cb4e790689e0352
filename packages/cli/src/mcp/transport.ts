/** Creates the transport to an MCP server: a program's pipes, or HTTP requests whose answers are bounded. */

import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/client";
import type { HttpServer } from "../settings/settings.ts";

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

export interface ProgramSpawnOptions {
  /** Absolute: nothing is looked up any more. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
  /** All that it sees of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the program makes a sandbox for another one: what it reads from its fourth file, and null where it reads none. */
  readonly filter?: Uint8Array | null;
  /** Called when it has ended. */
  readonly release?: () => void;
}

export interface ProgramTransport {
  /** Nothing runs before it is started. */
  readonly transport: Transport;
  /** The program's id, also when it has ended. */
  readonly pid: () => number | null;
  /** The end of what it said beside its answers. */
  readonly lastOutput: () => string;
}

/** `mostBytes` bounds one message. */
export async function createProgramTransport(
  options: ProgramSpawnOptions,
  { maxMessageBytes }: { readonly maxMessageBytes: number },
): Promise<ProgramTransport> {
  const { ReadBuffer, serializeMessage } = await import("@modelcontextprotocol/client");
  const buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  let child: ChildProcess | null = null;
  let stderrText = "";
  const readChunk = (chunk: Buffer): void => {
    try {
      buffer.append(chunk);
      for (let message = nextMessage(); message !== null; message = nextMessage()) transport.onmessage?.(message);
    } catch (error) {
      // What comes behind it cannot be told apart any more.
      transport.onerror?.(error as Error);
      child?.kill();
    }
  };
  const nextMessage = () => {
    for (;;) {
      try {
        return buffer.readMessage();
      } catch (error) {
        // A line that is no message; the next one may be.
        transport.onerror?.(error as Error);
      }
    }
  };
  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        child = spawnProgram(options);
        child.once("spawn", resolve).once("error", (error) => {
          options.release?.();
          reject(error);
        });
        child.once("exit", () => {
          options.release?.();
          setTimeout(() => destroyPipes(child), PIPE_GRACE_MS);
        });
        child.once("close", () => transport.onclose?.());
        child.stdin?.on("error", (error) => transport.onerror?.(error));
        child.stdout?.on("data", readChunk);
        child.stderr?.on("data", (chunk) => {
          stderrText = `${stderrText}${chunk}`.slice(-MAX_STDERR_CHARS);
        });
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin?.writable) return reject(new Error("it is not running"));
        if (child.stdin.write(serializeMessage(message))) resolve();
        else child.stdin.once("drain", resolve);
      }),
    close: async () => void child?.stdin?.end(),
  };
  const lastOutput = (): string => (stderrText.trim() === "" ? "" : `Its last words:\n${takeLastLines(stderrText)}`);
  return { transport, pid: () => child?.pid ?? null, lastOutput };
}

/** What it said last may come a moment after its end; a process that it left behind may hold the pipes for ever. */
const PIPE_GRACE_MS = 200;

const MAX_STDERR_CHARS = 2_000;

const MAX_STDERR_LINES = 10;

function spawnProgram({ program, arguments: args, cwd, environment, filter }: ProgramSpawnOptions): ChildProcess {
  const extraPipes = filter === undefined ? [] : (["pipe", "pipe"] as const);
  const child = spawn(program, args, { cwd, env: { ...environment }, stdio: ["pipe", "pipe", "pipe", ...extraPipes] });
  const [, , , statusPipe, filterPipe] = child.stdio;
  // It tells how a sandboxed program ended, which is known otherwise.
  if (statusPipe instanceof Readable) statusPipe.on("error", () => {}).resume();
  // One that ends before it has read all says why.
  if (filterPipe instanceof Writable) filterPipe.on("error", () => {}).end(filter ?? "");
  return child;
}

function destroyPipes(child: ChildProcess | null): void {
  for (const pipe of child?.stdio ?? []) pipe?.destroy();
}

function takeLastLines(text: string): string {
  return text.trim().split("\n").slice(-MAX_STDERR_LINES).join("\n");
}
