/** Runs the user's own shell commands one after another and records them in the session; an extension may answer instead. */

import { type Agent, CommandOutput, type Extensions, outputLimit, redactShell } from "@pith/agent";
import { nodeShell, sessionBlobs } from "@pith/agent/node";
import type { AppendResult, BashExecutionMessage, Session } from "@pith/context";
import { blobReference } from "@pith/context/host";
import { toCommandResult } from "../commands/command.ts";
import type { App } from "./start.ts";

export interface ExtensionRunOptions {
  readonly extensions: Pick<Extensions, "dispatch">;
  /** Aborts the wait for the extensions. */
  readonly signal: AbortSignal;
}

/** Lets extensions answer the command; then it is not run. The last of several answers is used. Null if no extension answers. */
async function runInExtension(
  { command, isPrivate, cwd }: { readonly command: string; readonly isPrivate: boolean; readonly cwd: string },
  { extensions, signal }: ExtensionRunOptions,
): Promise<UserShellResult | null> {
  const noAnswersOnAbort = Promise.withResolvers<readonly []>();
  const onAbort = (): void => noAnswersOnAbort.resolve([]);
  signal.addEventListener("abort", onAbort, { once: true });
  const pendingAnswers = extensions.dispatch({ type: "user_bash", command, excludeFromContext: isPrivate, cwd });
  const answers = await Promise.race([pendingAnswers, noAnswersOnAbort.promise]).finally(() =>
    signal.removeEventListener("abort", onAbort),
  );
  const result = answers.findLast((answer) => answer.result !== undefined)?.result;
  return result ? await limitOutput(result) : null;
}

/** Limits an extension's output like that of the shell, and removes control characters. */
async function limitOutput(result: {
  readonly output: string;
  readonly exitCode: number | null;
}): Promise<UserShellResult> {
  const commandOutput = new CommandOutput({ limit: outputLimit, blobs: undefined });
  commandOutput.write(new TextEncoder().encode(result.output));
  const { text, isTruncated } = await commandOutput.take();
  return { output: text.trimEnd(), exitCode: result.exitCode, isCancelled: false, isTruncated };
}

export interface UserShellOptions extends Pick<App, "cwd" | "environment" | "vault"> {
  /** The session's file. The full text of a long output is saved beside it. Null if the session is not saved. */
  readonly sessionPath: string | null;
  readonly signal: AbortSignal;
  /** Called with the end of the output while the command runs. */
  readonly onUpdate: (output: string) => void;
}

export interface UserShellResult {
  readonly output: string;
  /** Null if the command was stopped or did not start. */
  readonly exitCode: number | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
}

const UPDATE_INTERVAL_MS = 100;
const MAX_UPDATE_BYTES = 4_096;

/** Runs the command without a sandbox, like the user's own shell. The output is limited like that of the bash tool. */
async function runUserCommand(command: string, options: UserShellOptions): Promise<UserShellResult> {
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
      blob?.type === "kept"
        ? `[output shortened; the agent can see all of it with: read ${blobReference(blob.hash)}]`
        : null,
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
  /** Runs the command after the commands before it. Resolves when it is recorded in the session. */
  start(command: string, options: UserCommandOptions): Promise<UserCommandOutcome>;
  /** Stops all commands that run or wait. Returns false if there are none. */
  stopAll(): boolean;
  /** Whether a command runs, waits, or is not recorded yet. */
  isBusy(): boolean;
  /** Resolves when all current commands are recorded. */
  waitUntilIdle(): Promise<void>;
}

export interface UserCommandOptions {
  /** Whether the command and its output are excluded from the context. */
  readonly isPrivate: boolean;
  /** Called with the end of the output while the command runs. */
  readonly onUpdate?: (output: string) => void;
  /** Called when the command has run. If the agent is working, the command is recorded later. */
  readonly onFinished?: (result: UserShellResult) => void;
  /** Called directly before the command is recorded. */
  readonly onRecording?: () => void;
}

export type UserCommandOutcome =
  | { readonly type: "finished"; readonly result: UserShellResult; readonly isStopped: boolean }
  /** It was stopped before it started. Nothing is recorded. */
  | { readonly type: "not-run"; readonly isStopped: true }
  /** It ran, but could not be recorded. */
  | {
      readonly type: "failed";
      readonly message: string;
      readonly result: UserShellResult;
      readonly isStopped: boolean;
    };

/** What the shell needs of an app. */
export type UserShellApp = Pick<App, "agent" | "sessionPath" | "cwd" | "environment" | "vault" | "extensions">;

/** Returns the shell of a session; each session has exactly one. */
export function getUserShell(app: UserShellApp): UserShell {
  const { agent } = app;
  const shell = userShells.get(agent) ?? new QueuedUserShell(app);
  userShells.set(agent, shell);
  return shell;
}

const userShells = new WeakMap<Agent, UserShell>();

class QueuedUserShell implements UserShell {
  readonly #app: UserShellApp;
  /** Settles when the newest command has run. */
  #lastRun: Promise<unknown> = Promise.resolve();
  /** The commands that are not recorded yet, by the controller that stops each. */
  readonly #pending = new Map<AbortController, Promise<UserCommandOutcome>>();

  constructor(app: UserShellApp) {
    this.#app = app;
  }

  async start(command: string, options: UserCommandOptions): Promise<UserCommandOutcome> {
    const controller = new AbortController();
    const runResult = this.#lastRun.then(() => this.#run({ command, ...options, signal: controller.signal }));
    this.#lastRun = runResult.catch(() => {});
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

  /** Null if the command was stopped before it started. */
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

  /** Records the command in the session; during a run, between two requests. */
  async #record(result: UserShellResult | null, queued: QueuedCommand): Promise<UserCommandOutcome> {
    if (result === null) return { type: "not-run", isStopped: true };
    const append = async (session: Session): Promise<AppendResult> => {
      queued.onRecording?.();
      return await session.append({ type: "message", message: createBashMessage(queued, result) });
    };
    const appended = await this.#app.agent.appendToSession(append, { isVisibleToModel: !queued.isPrivate });
    const commandResult = toCommandResult(appended, () => ({ type: "quit" }));
    const isStopped = queued.signal.aborted;
    return commandResult.type === "failed"
      ? { type: "failed", message: commandResult.message, result, isStopped }
      : { type: "finished", result, isStopped };
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
