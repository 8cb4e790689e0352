/** Implements an RPC client: starts `pith --mode rpc`, sends commands, matches responses by id, and forwards events. */

import { type ChildProcess, spawn } from "node:child_process";
import { lfLines, within } from "../lines.ts";
import type { RpcAnswer, RpcAnswerTo, RpcCommand, RpcEvent, RpcName, RpcTakes, RpcUiResponse } from "../protocol.ts";

export interface Ending {
  readonly ended: Promise<unknown>;
  readonly graceMs: number;
}

export async function endChild(child: ChildProcess, { ended, graceMs }: Ending): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await within(graceMs, ended)) return;
    child.kill(signal);
  }
  await ended;
}

export interface RpcStart {
  /** Such as `pith`. */
  readonly command: string;
  /** With `--mode rpc` among them. */
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told what it writes for people; without it that is lost. */
  readonly note?: (text: string) => void;
}

export interface RpcEnd {
  /** Null where a signal ended it, or where it did not start. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that is talked to. */
export class RpcClient {
  readonly ended: Promise<RpcEnd>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, (answer: RpcAnswer) => void>();
  readonly #listeners = new Set<(event: RpcEvent) => void>();
  #sent = 0;
  /** Why nothing is answered any more; null while the program is there. */
  #gone: string | null = null;

  static start(start: RpcStart): RpcClient {
    return new RpcClient(start);
  }

  private constructor({ command, args, cwd, env = process.env, note = () => {} }: RpcStart) {
    this.#child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"], ...(cwd !== undefined && { cwd }) });
    const lines = lfLines(LONGEST_LINE);
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#read(lines.read(chunk)));
    this.#child.stderr?.setEncoding("utf8").on("data", note);
    // Whoever is gone hears no more; what waits for an answer is told so.
    this.#child.stdin?.on("error", () => {});
    this.ended = new Promise((resolve) => {
      const over = (end: RpcEnd, why: string): void => {
        this.#gone ??= why;
        for (const answer of this.#waiting.values()) answer(unanswered(this.#gone));
        this.#waiting.clear();
        resolve(end);
      };
      this.#child.on("error", ({ message }) =>
        over({ code: null, signal: null }, `the program did not start: ${message}`),
      );
      this.#child.on("close", (code, signal) => over({ code, signal }, "the program has ended; start it again"));
    });
  }

  /** Undefined where it did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** What came of it, also where the program has ended; nothing is thrown. */
  send<Name extends RpcName>(command: { readonly type: Name } & RpcTakes<Name>): Promise<RpcAnswerTo<Name>> {
    this.#sent += 1;
    const id = `c${this.#sent}`;
    const answer = new Promise<RpcAnswer>((resolve) => {
      if (this.#gone !== null) return resolve({ ...unanswered(this.#gone), command: command.type });
      this.#waiting.set(id, (came) => resolve(came.id === undefined ? { ...came, command: command.type } : came));
      this.#write({ ...command, id } as RpcCommand);
    });
    // The program answers each command by its own map.
    return answer as Promise<RpcAnswerTo<Name>>;
  }

  /** Told every event; whoever has heard enough calls what comes back. */
  listen(listener: (event: RpcEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Answers what an extension or a permission asks. */
  answer(response: RpcUiResponse): void {
    this.#write(response);
  }

  /** Lets it end by itself, and sees to it that it does. */
  async close(graceMs = 5_000): Promise<RpcEnd> {
    this.#child.stdin?.end();
    await endChild(this.#child, { ended: this.ended, graceMs });
    return await this.ended;
  }

  #write(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #read(pieces: ReturnType<ReturnType<typeof lfLines>["read"]>): void {
    for (const piece of pieces) if (piece.type === "line") this.#hear(parsed(piece.bytes));
  }

  #hear(line: RpcAnswer | RpcEvent | null): void {
    if (line === null) return;
    if (line.type !== "response") {
      for (const listener of [...this.#listeners]) listener(line);
      return;
    }
    const waiting = this.#waiting.get(line.id ?? "");
    this.#waiting.delete(line.id ?? "");
    waiting?.(line);
  }
}

const LONGEST_LINE = 256 * 1024 * 1024;

/** Made here, so that it has no id. */
function unanswered(error: string): Extract<RpcAnswer<never>, { success: false }> {
  return { type: "response", command: "parse", success: false, error };
}

/** Null for what is no line of ours. */
function parsed(bytes: Buffer): RpcAnswer | RpcEvent | null {
  try {
    const line: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof Object(line).type === "string" ? (line as RpcAnswer | RpcEvent) : null;
  } catch {
    // Whatever else writes there, it is not for us.
    return null;
  }
}
