/** Runs the commands of a project: in plain bash, or by a scripted model in the built program, with a user who says yes and is counted. */

import { type ChildProcess, spawn } from "node:child_process";
import { RpcClient, type RpcEvent, type RpcUiRequest } from "@pith/client";
import { type ReplyPart, startServer, type TestServer } from "@pith/testkit";
import type { Machine } from "./machine.ts";
import type { OrdinaryCommand } from "./project.ts";

export interface CommandResult {
  /** Null if the command did not run. A background command that was started or stopped has 0. */
  readonly exitCode: number | null;
  readonly text: string;
}

export interface OrdinaryShell {
  run(command: OrdinaryCommand): Promise<CommandResult>;
  close(): Promise<void>;
}

/** A command that waits for something that never comes is killed. */
const LONGEST_SECONDS = 240;

/** Plain bash. The processes of a command end with it, as those of the `bash` tool do. */
export class OutsideShell implements OrdinaryShell {
  readonly #machine: Machine;
  readonly #jobs = new Map<string, { readonly child: ChildProcess; readonly ended: Promise<CommandResult> }>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  async run(command: OrdinaryCommand): Promise<CommandResult> {
    switch (command.type) {
      case "run":
        return await this.#spawn(command.command).ended;
      case "start":
        this.#jobs.set(command.name, this.#spawn(command.command));
        return { exitCode: 0, text: "" };
      case "stop":
        await this.#stop(command.name);
        return { exitCode: 0, text: "" };
    }
  }

  async close(): Promise<void> {
    for (const name of [...this.#jobs.keys()]) await this.#stop(name);
  }

  #spawn(command: string): { readonly child: ChildProcess; readonly ended: Promise<CommandResult> } {
    const [program = "", ...words] = this.#machine.enter("outside", ["bash", "-c", command], { endsAll: true });
    const env = this.#machine.environment;
    const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const limit = setTimeout(() => child.kill("SIGKILL"), LONGEST_SECONDS * 1_000);
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
    const ended = new Promise<CommandResult>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (exitCode) => {
        clearTimeout(limit);
        resolve({ exitCode, text });
      });
    });
    return { child, ended };
  }

  async #stop(name: string): Promise<void> {
    const job = this.#jobs.get(name);
    if (job?.child.pid === undefined) throw new Error(`no background command is called ${name}`);
    this.#jobs.delete(name);
    if (job.child.exitCode === null) process.kill(-job.child.pid, "SIGTERM");
    const hard = setTimeout(() => job.child.kill("SIGKILL"), 3_000);
    await job.ended;
    clearTimeout(hard);
  }
}

export interface Question {
  readonly command: string;
  readonly title: string;
  readonly answer: string;
}

type ToolEnd = Extract<RpcEvent, { readonly type: "tool_execution_end" }>;

/** The built program in RPC mode, with the default permission mode. */
export class InsideShell implements OrdinaryShell {
  readonly questions: Question[] = [];
  readonly client: RpcClient;
  readonly #server: TestServer;
  readonly #jobs = new Map<string, string>();
  #call: Readonly<Record<string, unknown>> | null = null;
  #result: ToolEnd | null = null;
  #settle: () => void = () => {};
  #notes = "";

  static async start(machine: Machine): Promise<InsideShell> {
    let shell: InsideShell | null = null;
    const server = await startServer({ script: () => ({ parts: shell?.nextParts() ?? [] }) });
    shell = new InsideShell(machine, server);
    return shell;
  }

  private constructor(machine: Machine, server: TestServer) {
    this.#server = server;
    const [command = "", ...args] = machine.enter("inside", [...machine.pith, "--mode", "rpc"]);
    const env = { ...machine.environment, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
    const onStderr = (text: string): void => {
      this.#notes += text;
    };
    this.client = RpcClient.start({ command, args, env, onStderr });
    this.client.listen((event) => this.#receive(event));
    void this.client.exited.then(() => this.#settle());
  }

  async run(command: OrdinaryCommand): Promise<CommandResult> {
    this.#call = this.#toCall(command);
    this.#result = null;
    const settled = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    const sent = await this.client.send({ type: "prompt", message: "Go on." });
    if (!sent.success) throw new Error(`the program refused the prompt: ${JSON.stringify(sent)} ${this.#notes}`);
    await settled;
    return this.#toResult(command);
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.#server.close();
  }

  /** What the model says next: the call if it has not been made, else a word. */
  nextParts(): readonly ReplyPart[] {
    const call = this.#call;
    this.#call = null;
    return call ? [{ type: "call", name: "bash", arguments: call }] : [{ type: "text", text: "Done." }];
  }

  #toCall(command: OrdinaryCommand): Readonly<Record<string, unknown>> {
    switch (command.type) {
      case "run":
        return { command: command.command, timeout: LONGEST_SECONDS };
      case "start":
        return { command: command.command, background: true };
      case "stop":
        return { job: this.#jobs.get(command.name) ?? "", kill: true };
    }
  }

  #toResult(command: OrdinaryCommand): CommandResult {
    if (this.#result === null) throw new Error(`the program ran nothing: ${this.#notes.slice(-2_000)}`);
    const { result, isError } = this.#result;
    const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const details = (result.details ?? {}) as { readonly exitCode?: number | null; readonly job?: string };
    if (command.type === "run") return { exitCode: details.exitCode ?? null, text };
    if (command.type === "start") this.#jobs.set(command.name, details.job ?? "");
    return { exitCode: isError ? null : 0, text };
  }

  #receive(event: RpcEvent): void {
    if (event.type === "tool_execution_end") this.#result = event;
    if (event.type === "agent_settled") this.#settle();
    if (event.type === "extension_ui_request") this.#answer(event);
  }

  #answer(request: RpcUiRequest): void {
    if (request.method !== "select" && request.method !== "confirm") return;
    const options = request.method === "select" ? request.options : [];
    const answer =
      options.find((option) => /in this session/.test(option)) ?? options.find((option) => /^yes/i.test(option));
    const args = "permission" in request ? request.permission?.arguments : null;
    this.questions.push({ command: String(Object(args).command ?? ""), title: request.title, answer: answer ?? "yes" });
    this.client.respond(
      request.method === "select" && answer !== undefined
        ? { type: "extension_ui_response", id: request.id, value: answer }
        : { type: "extension_ui_response", id: request.id, confirmed: true },
    );
  }
}
