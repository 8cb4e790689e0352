/** Starts an MCP server as a process and exchanges messages with it over its pipes, one JSON object per line. */

import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/client";

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
