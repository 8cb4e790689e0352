/** Implements the RPC client: starts `pith --mode rpc`, sends commands, matches responses by id, and forwards events. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createLineSplitter, type Line } from "./lines.ts";
import type {
  RpcCommand,
  RpcCommandName,
  RpcCostResponse,
  RpcEvent,
  RpcParams,
  RpcResponse,
  RpcResponseTo,
  RpcUiResponse,
} from "./protocol.ts";

/** How to start the program. */
export interface RpcClientOptions {
  /** The program to start; `pith` by default, found through PATH. */
  readonly command?: string;
  /** Its arguments, which must contain `--mode rpc`; only these by default. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The environment of the program; that of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Receives the standard error of the program, which is dropped otherwise. */
  readonly onStderr?: (text: string) => void;
}

/** How the program ended. */
export interface RpcExit {
  /** Null if a signal ended the program or if it did not start. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The connection to a running `pith --mode rpc`. */
export class RpcClient {
  /** Resolves when the program has ended. */
  readonly exited: Promise<RpcExit>;
  readonly #child: ChildProcess;
  readonly #pending = new Map<string, (response: RpcResponse) => void>();
  readonly #listeners = new Set<(event: RpcEvent) => void>();
  #sentCount = 0;
  /** Why no more responses can arrive; null while the program runs. */
  #exitReason: string | null = null;

  static start(options: RpcClientOptions = {}): RpcClient {
    return new RpcClient(options);
  }

  private constructor(options: RpcClientOptions) {
    const { command = "pith", args = ["--mode", "rpc"], cwd, env = process.env, onStderr = () => {} } = options;
    this.#child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"], ...(cwd !== undefined && { cwd }) });
    const lines = createLineSplitter(MAX_RECEIVED_LINE_BYTES);
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#receive(lines.push(chunk)));
    this.#child.stderr?.setEncoding("utf8").on("data", onStderr);
    // A write to a program that has ended fails here; the handler of `close` below ends pending commands.
    this.#child.stdin?.on("error", () => {});
    this.exited = new Promise((resolve) => {
      const finish = (exit: RpcExit, reason: string): void => {
        this.#exitReason ??= reason;
        for (const respond of this.#pending.values()) respond(createFailedResponse(this.#exitReason));
        this.#pending.clear();
        resolve(exit);
      };
      this.#child.on("error", ({ message }) => {
        // For a missing folder, Node reports that the program does not exist.
        const reason = cwd !== undefined && !existsSync(cwd) ? `the folder ${cwd} does not exist` : message;
        finish({ code: null, signal: null }, `the program did not start: ${reason}`);
      });
      this.#child.on("close", (code, signal) => finish({ code, signal }, "the program has ended; start it again"));
    });
  }

  /** The process id; undefined if the program did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a command and resolves with its response. Never rejects: if the program has ended, the response has `success: false`. */
  send<Name extends RpcCommandName>(command: { readonly type: Name } & RpcParams<Name>): Promise<RpcResponseTo<Name>> {
    this.#sentCount += 1;
    const id = `c${this.#sentCount}`;
    const response = new Promise<RpcResponse>((resolve) => {
      if (this.#exitReason !== null)
        return resolve({ ...createFailedResponse(this.#exitReason), command: command.type });
      this.#pending.set(id, (received) =>
        resolve(received.id === undefined ? { ...received, command: command.type } : received),
      );
      this.#write({ ...command, id } as RpcCommand);
    });
    // The program answers each command with the result type of its row in RpcCommands.
    return response as Promise<RpcResponseTo<Name>>;
  }

  /** Calls the listener with every event. The returned function removes it. */
  listen(listener: (event: RpcEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Answers a question of an extension, a permission question or a check of the cost. */
  respond(response: RpcUiResponse | RpcCostResponse): void {
    this.#write(response);
  }

  /** Closes the program's input, so that it ends by itself. After the grace period it is ended by SIGTERM, after another one by SIGKILL. */
  async close(graceMs = 5_000): Promise<RpcExit> {
    this.#child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#hasExitedWithin(graceMs)) break;
      this.#child.kill(signal);
    }
    return await this.exited;
  }

  async #hasExitedWithin(ms: number): Promise<boolean> {
    const timeout = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => timeout.resolve(false), ms);
    return await Promise.race([this.exited.then(() => true), timeout.promise]).finally(() => clearTimeout(timer));
  }

  #write(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #receive(lines: readonly Line[]): void {
    for (const line of lines) if (line.type === "line") this.#dispatch(parseMessage(line.bytes));
  }

  #dispatch(message: RpcResponse | RpcEvent | null): void {
    if (message === null) return;
    if (message.type !== "response") {
      for (const listener of [...this.#listeners]) listener(message);
      return;
    }
    const respond = this.#pending.get(message.id ?? "");
    this.#pending.delete(message.id ?? "");
    respond?.(message);
  }
}

/** Larger than MAX_LINE_BYTES: the program writes whole sessions in one line. */
const MAX_RECEIVED_LINE_BYTES = 256 * 1024 * 1024;

/** A response of the client itself. It has no id. */
function createFailedResponse(error: string): Extract<RpcResponse<never>, { success: false }> {
  return { type: "response", command: "parse", success: false, error };
}

/** Returns null for a line that is not part of the protocol. */
function parseMessage(bytes: Buffer): RpcResponse | RpcEvent | null {
  try {
    const message: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof Object(message).type === "string" ? (message as RpcResponse | RpcEvent) : null;
  } catch {
    // Not JSON: other code in the program wrote to its standard output.
    return null;
  }
}
