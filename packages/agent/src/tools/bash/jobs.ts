/** Runs commands as background jobs, which end no later than the agent, and limits how often a callback runs. */

import type { ShellOptions, ShellResult, WorkspaceShell } from "../../ports.ts";
import type { CommandOutput } from "./command-output.ts";
import type { Connections } from "./connections.ts";
import type { Sandbox } from "./result.ts";

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly output: CommandOutput;
  readonly connections: Connections;
  /** Null where it is not confined. */
  readonly sandbox: Sandbox | null;
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
}

/** What is run, which may have secrets in it that `shown` has not. */
export interface CommandLaunch extends Omit<ShellOptions, "signal" | "onOutput"> {
  readonly command: string;
  /** The same for people and for the model. */
  readonly displayCommand: string;
}

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #isDisposed = false;

  start(launch: CommandLaunch, context: CommandRunContext): Job {
    if (this.#isDisposed) throw new Error("no job can be started any more");
    const job = startJob(`job-${this.#jobs.size + 1}`, launch, context);
    this.#jobs.set(job.id, job);
    return job;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  running(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ end }) => end === null);
  }

  /** Ends all of them, and comes back when they have ended. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const running = this.running();
    for (const job of running) job.stop();
    await Promise.all(running.map(({ ended }) => ended));
    for (const { output } of this.#jobs.values()) output.discard();
  }
}

function startJob(id: string, { command, displayCommand, ...options }: CommandLaunch, context: CommandRunContext): Job {
  const { shell, sandbox, output: commandOutput, connections } = context;
  const controller = new AbortController();
  let end: ShellResult | null = null;
  const onOutput = (chunk: Uint8Array): void => commandOutput.write(chunk);
  const ended = shell
    .run(command, { ...options, signal: controller.signal, onOutput })
    // Nobody may be waiting for it: what a shell throws is told to whoever looks.
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
    sandbox,
    ended,
    get end(): ShellResult | null {
      return end;
    },
    stop: () => controller.abort(),
  };
}

export interface Throttle {
  trigger(): void;
  stop(): void;
}

/** Calls `act` soon after `ask()`, and at most once every `everyMs`. */
export function createThrottle(callback: () => void, intervalMs: number): Throttle {
  let timer: NodeJS.Timeout | undefined;
  let isPending = false;
  const onInterval = (): void => {
    timer = undefined;
    if (isPending) trigger();
  };
  const trigger = (): void => {
    isPending = timer !== undefined;
    if (isPending) return;
    timer = setTimeout(onInterval, intervalMs);
    callback();
  };
  return { trigger, stop: () => clearTimeout(timer) };
}
