/** An editor that speaks JSON-RPC in lines with the program, answers its questions, and keeps all that was said. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Command } from "./machine.ts";

export interface EditorPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly answer: "yes" | "no";
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: { readonly options?: readonly { readonly optionId: string; readonly kind: string }[] };
}

export class Editor {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #ended: Promise<unknown>;
  #output = "";
  #sent = 0;

  constructor({ command, args }: Command, { cwd, env, answer }: EditorPlace) {
    this.#child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#output += text;
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#handleLine(line, answer));
    this.#ended = new Promise((resolve) => this.#child.on("close", resolve));
    void this.#ended.then(() => {
      for (const resolve of this.#waiting.values()) resolve({});
    });
  }

  async begin(cwd: string, mcpServers: readonly object[]): Promise<{ readonly sessionId: string }> {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { result } = await this.request("session/new", { cwd, mcpServers });
    return { sessionId: String(Object(result).sessionId ?? "") };
  }

  request(method: string, params: object): Promise<Message> {
    this.#sent += 1;
    const id = this.#sent;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#write({ id, method, params });
    return answered;
  }

  /** All that was said. */
  async leave(): Promise<string> {
    this.#child.stdin.end();
    await this.#ended;
    return this.#output;
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #handleLine(line: string, answer: "yes" | "no"): void {
    this.#output += `${line}\n`;
    const message = JSON.parse(line) as Message;
    const { id, method, params } = message;
    if (id === undefined) return;
    if (method === undefined) return void this.#waiting.get(id)?.(message);
    const wanted = answer === "yes" ? "allow_once" : "reject_once";
    const option = params?.options?.find(({ kind }) => kind === wanted);
    const outcome = option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" };
    this.#write({ id, result: { outcome } });
  }
}
