/** Runs the user's own shell commands one after another and records them in the session; an extension may answer instead. */

import { type Agent, CommandOutput, type Extensions, outputLimit, redactShell } from "@pith/agent";
import { nodeShell, sessionBlobs } from "@pith/agent/node";
import type { AppendResult, BashExecutionMessage, Session } from "@pith/context";
import { blobReference } from "@pith/context/host";
import { toCommandResult } from "../commands/command.ts";
import type { AppOptions } from "./app-options.ts";
import type { App } from "./start.ts";

export interface UserCommand {
  readonly command: string;
  readonly isPrivate: boolean;
  readonly cwd: string;
}

export interface ExtensionRunOptions {
  readonly extensions: Pick<Extensions, "dispatch">;
  /** Nobody waits for them any longer. */
  readonly signal: AbortSignal;
}

/** Where an extension answers, nothing is run. Of several answers the last; null where none of them has one. */
export async function runInExtension(
  { command, isPrivate, cwd }: UserCommand,
  { extensions, signal }: ExtensionRunOptions,
): Promise<UserShellResult | null> {
  const aborted = Promise.withResolvers<readonly []>();
  const onAbort = (): void => aborted.resolve([]);
  signal.addEventListener("abort", onAbort, { once: true });
  const dispatched = extensions.dispatch({ type: "user_bash", command, excludeFromContext: isPrivate, cwd });
  const answers = await Promise.race([dispatched, aborted.promise]).finally(() =>
    signal.removeEventListener("abort", onAbort),
  );
  const result = answers.findLast((answer) => answer.result !== undefined)?.result;
  return result ? await limitOutput(result) : null;
}

/** As what a shell says: no more of it than a model can take, and nothing that steers. */
async function limitOutput(result: {
  readonly output: string;
  readonly exitCode: number | null;
}): Promise<UserShellResult> {
  const commandOutput = new CommandOutput({ limit: outputLimit, blobs: undefined });
  commandOutput.write(new TextEncoder().encode(result.output));
  const { text, isTruncated } = await commandOutput.take();
  return { output: text.trimEnd(), exitCode: result.exitCode, isCancelled: false, isTruncated };
}

export interface UserShellOptions extends Pick<AppOptions, "cwd" | "environment" | "vault"> {
  /** The session's file, beside which the whole of a long output is kept; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly signal: AbortSignal;
  /** Told the newest of what it says, while it runs. */
  readonly onUpdate: (output: string) => void;
}

export interface UserShellResult {
  readonly output: string;
  /** Null where it was stopped, or did not start. */
  readonly exitCode: number | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
}

const UPDATE_INTERVAL_MS = 100;
const MAX_UPDATE_BYTES = 4_096;

/** Runs outside of any sandbox, as the user's own shell would; the output is limited like that of the bash tool. */
export async function runUserCommand(command: string, options: UserShellOptions): Promise<UserShellResult> {
  const { cwd: root, environment, vault, sessionPath, signal, onUpdate } = options;
  const shell = nodeShell({ root, environment });
  const commandOutput = new CommandOutput({
    limit: outputLimit,
    blobs: sessionPath === null ? undefined : sessionBlobs(sessionPath),
  });
  const updateTimer = setInterval(() => onUpdate(commandOutput.tail(MAX_UPDATE_BYTES)), UPDATE_INTERVAL_MS);
  const onOutput = (chunk: Uint8Array): void => commandOutput.write(chunk);
  try {
    const result = await (vault ? redactShell(shell, vault) : shell).run(command, { signal, onOutput });
    const { text, isTruncated, blob } = await commandOutput.take();
    const notes = [
      result.type === "ended" ? null : result.message,
      blob?.type === "kept" ? `[all of it: read ${blobReference(blob.hash)}]` : null,
    ];
    return {
      output: [text.trimEnd(), ...notes].filter((part) => part !== null && part !== "").join("\n"),
      exitCode: result.type === "ended" ? result.exitCode : null,
      isCancelled: result.type === "killed" && result.cause === "abort",
      isTruncated,
    };
  } finally {
    clearInterval(updateTimer);
    commandOutput.discard();
  }
}

export interface UserShell {
  /** Runs it when those before it have ended, and is done when it is in the log. */
  start(command: string, showing: UserCommandOptions): Promise<UserCommandOutcome>;
  /** Ends those that run or wait; false where there are none. */
  stopAll(): boolean;
  /** Whether one of them runs, waits, or is not in the log yet. */
  isBusy(): boolean;
  /** When those that are under way are in the log. */
  waitUntilIdle(): Promise<void>;
}

export interface UserCommandOptions {
  /** The model is not told of it. */
  readonly isPrivate: boolean;
  /** Told the newest of what it says, while it runs. */
  readonly onUpdate?: (output: string) => void;
  /** It has run; while the agent is at work, it comes into the log later. */
  readonly onFinished?: (ran: UserShellResult) => void;
  /** The next that happens to it is that it is in the log. */
  readonly onRecording?: () => void;
}

export type UserCommandOutcome =
  | { readonly type: "ran"; readonly result: UserShellResult; readonly isStopped: boolean }
  /** Before its turn came; nothing of it is kept. */
  | { readonly type: "unrun"; readonly isStopped: true }
  /** It ran, and could not be kept. */
  | {
      readonly type: "failed";
      readonly message: string;
      readonly result: UserShellResult;
      readonly isStopped: boolean;
    };

type ShellApp = Pick<App, "agent" | "sessionPath" | "cwd" | "environment" | "vault" | "extensions">;

/** Returns the one shell of a session. */
export function getUserShell(app: ShellApp): UserShell {
  const { agent } = app;
  const shell = userShells.get(agent) ?? new QueuedUserShell(app);
  userShells.set(agent, shell);
  return shell;
}

const userShells = new WeakMap<Agent, UserShell>();

class QueuedUserShell implements UserShell {
  readonly #app: ShellApp;
  /** The newest of them has run. */
  #last: Promise<unknown> = Promise.resolve();
  /** Those that are not in the log yet, by what stops each. */
  readonly #pending = new Map<AbortController, Promise<UserCommandOutcome>>();

  constructor(app: ShellApp) {
    this.#app = app;
  }

  async start(command: string, options: UserCommandOptions): Promise<UserCommandOutcome> {
    const controller = new AbortController();
    const runResult = this.#last.then(() => this.#run({ command, ...options, signal: controller.signal }));
    this.#last = runResult.catch(() => {});
    const outcome = runResult.then((result) =>
      this.#record(result, { command, ...options, signal: controller.signal }),
    );
    this.#pending.set(controller, outcome);
    return await outcome.finally(() => this.#pending.delete(controller));
  }

  stopAll(): boolean {
    for (const controller of this.#pending.keys()) controller.abort();
    return this.#pending.size > 0;
  }

  isBusy(): boolean {
    return this.#pending.size > 0;
  }

  async waitUntilIdle(): Promise<void> {
    await Promise.allSettled(this.#pending.values());
  }

  /** Null where it was stopped before its turn came. */
  async #run({
    command,
    signal,
    isPrivate,
    onUpdate = () => {},
    onFinished,
  }: QueuedCommand): Promise<UserShellResult | null> {
    const { agent, sessionPath, ...options } = this.#app;
    if (signal.aborted) return null;
    const { cwd, extensions } = options;
    const extensionResult = extensions
      ? await runInExtension({ command, isPrivate, cwd }, { extensions, signal })
      : null;
    if (!extensionResult && signal.aborted) return null;
    const runOptions = { ...options, sessionPath, signal, onUpdate };
    const result = extensionResult ? agent.session.redact(extensionResult) : await runUserCommand(command, runOptions);
    onFinished?.(result);
    return result;
  }

  /** While a run is under way, it comes into the log between two requests. */
  async #record(result: UserShellResult | null, queued: QueuedCommand): Promise<UserCommandOutcome> {
    if (result === null) return { type: "unrun", isStopped: true };
    const append = async (session: Session): Promise<AppendResult> => {
      queued.onRecording?.();
      return await session.append({ type: "message", message: createBashMessage(queued, result) });
    };
    const appended = await this.#app.agent.appendToSession(append, { isVisibleToModel: !queued.isPrivate });
    const commandResult = toCommandResult(appended, () => ({ type: "quit" }));
    const isStopped = queued.signal.aborted;
    return commandResult.type === "failed"
      ? { type: "failed", message: commandResult.message, result, isStopped }
      : { type: "ran", result, isStopped };
  }
}

interface QueuedCommand extends UserCommandOptions {
  readonly command: string;
  readonly signal: AbortSignal;
}

function createBashMessage({ command, isPrivate }: QueuedCommand, result: UserShellResult): BashExecutionMessage {
  return {
    role: "bashExecution",
    command,
    output: result.output,
    exitCode: result.exitCode,
    cancelled: result.isCancelled,
    truncated: result.isTruncated,
    ...(isPrivate && { excludeFromContext: true }),
    timestamp: Date.now(),
  };
}
