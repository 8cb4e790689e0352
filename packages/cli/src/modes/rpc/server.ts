/** Reads command lines and answers each exactly once, whatever it contains. Commands of a lane start in the order they arrive. */

import { AppendError } from "@pith/agent";
import { createLineSplitter, type Line, MAX_LINE_BYTES, type RpcResponse } from "@pith/client";
import { parseJsonLine, settlesWithin } from "../../protocol/parse-json-line.ts";
import type { ParentCostLimit } from "../../sub-agents/parent-cost-limit.ts";
import { rpcTable } from "./commands/commands.ts";
import { type CommandFields, isId, parseCommand } from "./parse-command.ts";
import type { Lane, Outcome, RpcContext } from "./rpc-context.ts";
import type { Questions } from "./ui.ts";

/** Runs prompts one after another. All commands wait for a session switch, except urgent ones, which run immediately. */
export class CommandOrder {
  #prompts: Promise<unknown> = Promise.resolve();
  #switches: Promise<unknown> = Promise.resolve();
  #openCount = 0;

  async run<Result>(lane: Lane | undefined, task: () => Promise<Result>): Promise<Result> {
    switch (lane) {
      case undefined:
        return await this.#switches.then(task);
      case "urgent":
        return await this.#runUrgent(task);
      case "prompt": {
        const result = this.#trackOpen(Promise.all([this.#prompts, this.#switches]).then(task));
        this.#prompts = result.catch(() => {});
        return await result;
      }
      case "switch": {
        const result = this.#trackOpen(Promise.all([this.#prompts, this.#switches]).then(task));
        this.#switches = result.catch(() => {});
        return await result;
      }
    }
  }

  /** Runs the task immediately, and again after earlier commands that had not started: it applies to them, too. */
  async #runUrgent<Result>(task: () => Promise<Result>): Promise<Result> {
    const hasPending = this.#openCount > 0;
    const pending = Promise.all([this.#prompts, this.#switches]);
    const result = await task();
    if (!hasPending) return result;
    // A command that waits for the user, such as one of an extension, must not block an abort.
    await settlesWithin(LANE_TIMEOUT_MS, pending);
    return await task();
  }

  async #trackOpen<Result>(task: Promise<Result>): Promise<Result> {
    this.#openCount += 1;
    return await task.finally(() => {
      this.#openCount -= 1;
    });
  }
}

const LANE_TIMEOUT_MS = 1_000;

export interface RpcServerOptions {
  readonly context: RpcContext;
  readonly questions: Questions;
  /** Null unless this process is a sub-agent with a cost limit. */
  readonly costLimit: ParentCostLimit | null;
  readonly sendResponse: (response: RpcResponse) => void;
  /** A promise while the client has too much unread output. */
  readonly getBackpressure: () => Promise<void> | undefined;
}

export class RpcServer {
  readonly #options: RpcServerOptions;
  readonly #order = new CommandOrder();
  readonly #pending = new Set<Promise<void>>();

  constructor(options: RpcServerOptions) {
    this.#options = options;
  }

  /** Whether commands are still unanswered. */
  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Runs a task that is not a command, before the prompts of the client. */
  runFirst(task: () => Promise<Outcome<unknown> | null>): void {
    const report = this.#run("prompt", task).then((outcome) => {
      if (outcome?.type === "failed") this.#options.context.sendEvent({ type: "error", error: outcome.message });
    });
    this.#track(report);
  }

  /** Resolves when the input ends or the signal is aborted. */
  async readInput(input: AsyncIterable<Uint8Array>, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const splitter = createLineSplitter();
    for await (const chunk of input) await this.#handleLines(splitter.push(chunk), signal);
    await this.#handleLines(splitter.end(), signal);
  }

  /** Waits until all commands so far are answered. */
  async waitForPending(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }

  async #handleLines(lines: readonly Line[], signal: AbortSignal): Promise<void> {
    for (const line of lines) {
      if (signal.aborted) return;
      this.#handleLine(line);
      if (this.#pending.size >= MAX_PENDING_COMMANDS)
        await settlesWithin(PENDING_TIMEOUT_MS, Promise.race(this.#pending));
      await this.#options.getBackpressure();
    }
  }

  #handleLine(line: Line): void {
    if (line.type === "too-long") {
      this.#refuse({ name: "parse", message: TOO_LONG });
      return;
    }
    // Empty lines are ignored.
    if (line.bytes.length === 0) return;
    const json = parseJsonLine(line.bytes);
    if (json.type === "mistake") {
      this.#refuse({ name: "parse", message: json.message });
      return;
    }
    const { type } = Object(json.value) as { readonly type?: unknown };
    if (type === UI_RESPONSE_TYPE || type === COST_RESPONSE_TYPE) {
      this.#handleResponse(type, Object(json.value));
      return;
    }
    const parsed = parseCommand(json.value, rpcTable as CommandFields);
    if (parsed.type === "mistake") {
      this.#refuse(parsed);
      return;
    }
    const { name, id, params } = parsed;
    // Urgent commands, such as an abort, are accepted at any load.
    if (this.#pending.size >= MAX_PENDING_COMMANDS && rpcTable[name].lane !== "urgent") {
      this.#refuse({ id, name, message: TOO_MANY });
      return;
    }
    const definition: AnyCommandDefinition = rpcTable[name] as unknown as AnyCommandDefinition;
    const execution = this.#run(definition.lane, () => definition.run(params, this.#options.context));
    this.#track(execution.then((outcome) => this.#respond(outcome, { name, id })));
  }

  #track(task: Promise<void>): void {
    this.#pending.add(task);
    void task.finally(() => this.#pending.delete(task));
  }

  #handleResponse(name: ResponseType, line: Readonly<Record<string, unknown>>): void {
    const { questions, costLimit } = this.#options;
    const receiver = name === UI_RESPONSE_TYPE ? questions : costLimit;
    const message = receiver ? receiver.handleResponse(line) : "this process holds its cost limit itself";
    if (message !== null) this.#refuse({ name, message, id: isId(line.id) ? line.id : undefined });
  }

  async #run<Result>(
    lane: Lane | undefined,
    task: () => Promise<Result>,
  ): Promise<Result | Extract<Outcome<never>, { type: "failed" }>> {
    const { context } = this.#options;
    try {
      return await this.#order.run(lane, task);
    } catch (error) {
      // A session that cannot be written, such as on a full disk, is not a bug.
      if (error instanceof AppendError) return { type: "failed", message: error.message };
      if (!isFileSystemError(error)) context.reportError(error);
      return { type: "failed", message: error instanceof Error ? error.message : String(error) };
    }
  }

  #respond(outcome: Outcome<unknown>, { name, id }: { readonly name: string; readonly id: string | undefined }): void {
    // An entry may be older than the redaction, or written by another program. A mistake quotes what the client sent.
    const { session } = this.#options.context.app.agent;
    const base = { type: "response", command: session.redact(name) } as const;
    const send = (outcome: Outcome<unknown>): void =>
      this.#options.sendResponse({
        ...(id !== undefined && { id }),
        ...base,
        ...(outcome.type === "failed"
          ? { success: false, error: truncateError(session.redact(outcome.message)) }
          : { success: true, ...(outcome.data !== null && { data: session.redact(outcome.data) }) }),
      });
    try {
      send(outcome);
    } catch (error) {
      // A session may be longer than the longest JavaScript string.
      if (!(error instanceof RangeError)) throw error;
      send({ type: "failed", message: `the response to ${name} is too long for one line; request less data` });
    }
  }

  #refuse({
    id,
    name,
    message,
  }: {
    readonly id?: string | undefined;
    readonly name: string;
    readonly message: string;
  }): void {
    this.#respond({ type: "failed", message }, { name, id });
  }
}

interface AnyCommandDefinition {
  readonly lane?: Lane;
  readonly run: (params: Readonly<Record<string, unknown>>, context: RpcContext) => Promise<Outcome<unknown>>;
}

const UI_RESPONSE_TYPE = "extension_ui_response";
const COST_RESPONSE_TYPE = "cost_check_response";

type ResponseType = typeof UI_RESPONSE_TYPE | typeof COST_RESPONSE_TYPE;

/** Commands that may run at the same time. A further command waits briefly, and is refused if none of them ends. */
const MAX_PENDING_COMMANDS = 1_000;

const PENDING_TIMEOUT_MS = 1_000;

const TOO_MANY = `${MAX_PENDING_COMMANDS} commands are pending; wait for their responses, or stop some with abort or abort_bash`;

const MAX_ERROR_CHARS = 4_000;

const TOO_LONG = `the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB and was ignored; send less data per line`;

/** An error may quote its subject, which may be long. Call it after the redaction, which does not find a part of a secret. */
function truncateError(message: string): string {
  return message.length > MAX_ERROR_CHARS ? `${message.slice(0, MAX_ERROR_CHARS)}…` : message;
}

/** For example a path that is too long, or a folder that cannot be read. These errors are not bugs. */
function isFileSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "code" in error;
}
