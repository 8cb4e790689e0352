/** Creates the transport to an MCP server: the pipes of a program, or HTTP with limited response sizes. */

import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/client";
import type { WatchCommand } from "@pith/agent/node";
import type { HttpServer } from "../settings/settings.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface ResponseLimit {
  readonly maxBytes: number;
  /** Called with the reason if a response is too long. */
  readonly onTooLong: (why: string) => void;
}

/** Limits the size of a whole response, or of each event of a stream, so that a server cannot exhaust the memory. */
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
        // An empty line ends an event. It may be split between two chunks.
        const end = Math.max(...EMPTY_LINES.map((line) => text.lastIndexOf(line)));
        if (end >= 0) length = text.length - end;
        tail = text.slice(-2);
      }
      if (length <= maxBytes) return controller.enqueue(chunk);
      const why = `its response is larger than ${maxBytes >> 20} MB`;
      controller.error(new Error(why));
      onTooLong(why);
    },
  });
}

const EMPTY_LINES = ["\n\n", "\n\r\n", "\r\r"];

export interface ServerTransport {
  /** Whether to negotiate the protocol version first. It is off for programs: they would start twice, and older servers never answer. */
  readonly negotiatesVersion: boolean;
  readonly transport: Transport;
  /** The process id, also after the program has exited. Null for HTTP. */
  readonly pid: () => number | null;
  /** More information about a failure, such as the end of a program's stderr. Empty if there is none. */
  readonly lastOutput: () => string;
}

/** Creates the transport to an HTTP server, or to a program that may start. `sse` is the older protocol, for servers that refuse `http`. */
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
  // The MCP client itself keeps redirects within the origin.
  let failure = "";
  // Closes the transport; otherwise the pending request would never end.
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

/** The server chooses the delay. A minimum prevents a busy loop if the server requests no delay. */
function scheduleReconnect(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, Math.max(delayMs, MIN_RECONNECT_DELAY_MS));
  return () => clearTimeout(timer);
}

const MIN_RECONNECT_DELAY_MS = 1_000;

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export interface ProgramSpawnOptions {
  /** An absolute path. PATH is not searched. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly cwd: string;
  /** The complete environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Present if the program is a sandbox launcher: the seccomp filter that it reads from file descriptor 4. Null if there is no filter. */
  readonly filter?: Uint8Array | null;
  /** Called when the program has started; kills it at a limit of its sandbox. */
  readonly watch?: WatchCommand;
  /** Called when the program has exited or could not start. */
  readonly release?: () => Promise<void>;
}

export interface ProgramTransport {
  /** The program does not run until the transport starts. */
  readonly transport: Transport;
  /** The process id, also after the program has exited. */
  readonly pid: () => number | null;
  /** The end of the program's stderr. */
  readonly lastOutput: () => string;
}

/** Creates a transport over stdin and stdout. `maxMessageBytes` limits the size of one message. */
async function createProgramTransport(
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
      // The message is too long, so the start of the next one cannot be found.
      transport.onerror?.(error as Error);
      child?.kill();
    }
  };
  const nextMessage = () => {
    for (;;) {
      try {
        return buffer.readMessage();
      } catch (error) {
        // The line is not a message. The next one may be.
        transport.onerror?.(error as Error);
      }
    }
  };
  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        child = spawnProgram(options);
        const stopWatching = watchProgram(child, options, (message) => {
          stderrText = `${stderrText}\n${message}`;
        });
        child.once("spawn", resolve).once("error", (error) => {
          void options.release?.();
          reject(error);
        });
        child.once("exit", () => {
          stopWatching?.();
          void options.release?.();
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
        if (!child?.stdin?.writable) return reject(new Error("the server is not running"));
        if (child.stdin.write(serializeMessage(message))) resolve();
        else child.stdin.once("drain", resolve);
      }),
    close: async () => void child?.stdin?.end(),
  };
  const lastOutput = (): string =>
    stderrText.trim() === "" ? "" : `Last output from the server:\n${takeLastLines(stderrText)}`;
  return { transport, pid: () => child?.pid ?? null, lastOutput };
}

/** Pipes stay open this long after the exit: the last output may arrive late, but an orphaned child process may keep them open forever. */
const PIPE_GRACE_MS = 200;

const MAX_STDERR_CHARS = 2_000;

const MAX_STDERR_LINES = 10;

function spawnProgram({ program, arguments: args, cwd, environment, filter }: ProgramSpawnOptions): ChildProcess {
  const extraPipes = filter === undefined ? [] : (["pipe", "pipe"] as const);
  const child = spawn(program, args, { cwd, env: { ...environment }, stdio: ["pipe", "pipe", "pipe", ...extraPipes] });
  const [, , , statusPipe, filterPipe] = child.stdio;
  // Discards the exit status that bubblewrap writes; the exit event has it too.
  if (statusPipe instanceof Readable) statusPipe.on("error", () => {}).resume();
  // A program that exits before it has read the filter reports the reason on stderr.
  if (filterPipe instanceof Writable) filterPipe.on("error", () => {}).end(filter ?? "");
  return child;
}

/** The sandbox ends with the program that creates it. */
function watchProgram(
  child: ChildProcess,
  { watch }: ProgramSpawnOptions,
  onKill: (message: string) => void,
): (() => void) | undefined {
  if (child.pid === undefined) return undefined;
  return watch?.(child.pid, (message) => {
    onKill(message);
    child.kill("SIGKILL");
  });
}

function destroyPipes(child: ChildProcess | null): void {
  for (const pipe of child?.stdio ?? []) pipe?.destroy();
}

function takeLastLines(text: string): string {
  return text.trim().split("\n").slice(-MAX_STDERR_LINES).join("\n");
}
