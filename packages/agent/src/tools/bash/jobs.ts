/** Runs commands as background jobs, which end no later than the agent. */

import type { CaughtFile, FindPathRestriction, ShellOptions, ShellResult, WorkspaceShell } from "../../ports.ts";
import type { CommandOutput } from "./command-output.ts";
import type { Connections, Sandbox } from "./result.ts";

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly output: CommandOutput;
  readonly connections: Connections;
  /** Files that the command made and that other programs run. */
  readonly caught: CaughtFile[];
  /** Null if the command is not sandboxed. */
  readonly sandbox: Sandbox | null;
  /** What the sandbox does to a path; null before the command starts, and where the shell does not say it. */
  readonly findRestriction: FindPathRestriction | null;
  readonly ended: Promise<ShellResult>;
  /** Null while it runs. */
  readonly end: ShellResult | null;
  stop(): void;
}

export interface CommandRunContext {
  readonly shell: WorkspaceShell;
  readonly sandbox: Sandbox | null;
  readonly output: CommandOutput;
  readonly connections: Connections;
  /** Files that the command made and that other programs run. */
  readonly caught: CaughtFile[];
}

/** The command to run. It may contain secrets that `displayCommand` does not. */
export interface CommandLaunch extends Omit<ShellOptions, "signal" | "onOutput"> {
  readonly command: string;
  /** The command as shown to the user and the model. */
  readonly displayCommand: string;
}

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #isDisposed = false;

  start(launch: CommandLaunch, context: CommandRunContext): Job {
    if (this.#isDisposed) throw new Error("jobs cannot be started after dispose()");
    const job = startJob(`job-${this.#jobs.size + 1}`, launch, context);
    this.#jobs.set(job.id, job);
    return job;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  listRunning(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ end }) => end === null);
  }

  /** Stops all jobs and waits until they have ended. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const running = this.listRunning();
    for (const job of running) job.stop();
    await Promise.all(running.map(({ ended }) => ended));
    for (const { output } of this.#jobs.values()) output.discard();
  }
}

function startJob(id: string, { command, displayCommand, ...options }: CommandLaunch, context: CommandRunContext): Job {
  const { shell, sandbox, output: commandOutput, connections, caught } = context;
  const controller = new AbortController();
  let end: ShellResult | null = null;
  let findRestriction: FindPathRestriction | null = null;
  const onSandbox = (find: FindPathRestriction): void => {
    findRestriction = find;
  };
  const onOutput = (chunk: Uint8Array): void => commandOutput.write(chunk);
  const ended = shell
    .run(command, { ...options, signal: controller.signal, onOutput, onSandbox })
    // A shell error becomes the job's result, because no caller may be waiting.
    .catch((error): ShellResult => ({ type: "not-started", message: String(error) }))
    .then((result) => {
      end = result;
      return result;
    });
  return {
    id,
    command: displayCommand,
    output: commandOutput,
    connections,
    caught,
    sandbox,
    ended,
    get findRestriction(): FindPathRestriction | null {
      return findRestriction;
    },
    get end(): ShellResult | null {
      return end;
    },
    stop: () => controller.abort(),
  };
}
