/** Runs commands as background jobs, which end no later than the agent, and limits how often a callback runs. */

import type { ShellEnd, WorkspaceShell } from "../../ports.ts";
import type { Said } from "./command-output.ts";
import type { Command } from "./input.ts";
import type { Sandbox } from "./result.ts";

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly said: Said;
  /** Null where it is not confined. */
  readonly sandbox: Sandbox | null;
  readonly ended: Promise<ShellEnd>;
  /** Null while it runs. */
  readonly end: ShellEnd | null;
  stop(): void;
}

export interface JobParts {
  readonly shell: WorkspaceShell;
  readonly sandbox: Sandbox | null;
  readonly said: Said;
}

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #isOver = false;

  start(command: Command, parts: JobParts): Job {
    if (this.#isOver) throw new Error("no job can be started any more");
    const job = startedJob(`job-${this.#jobs.size + 1}`, command, parts);
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
    this.#isOver = true;
    const running = this.running();
    for (const job of running) job.stop();
    await Promise.all(running.map(({ ended }) => ended));
    for (const { said } of this.#jobs.values()) said.drop();
  }
}

function startedJob(id: string, { command, timeoutMs }: Command, { shell, sandbox, said }: JobParts): Job {
  const act = new AbortController();
  let end: ShellEnd | null = null;
  const output = (chunk: Uint8Array): void => said.write(chunk);
  const ended = shell
    .run(command, { signal: act.signal, output, ...(timeoutMs !== undefined && { timeoutMs }) })
    // Nobody may be waiting for it: what a shell throws is told to whoever looks.
    .catch((error): ShellEnd => ({ type: "not-started", message: String(error) }))
    .then((how) => {
      end = how;
      return how;
    });
  return {
    id,
    command,
    said,
    sandbox,
    ended,
    get end(): ShellEnd | null {
      return end;
    },
    stop: () => act.abort(),
  };
}

export interface Throttled {
  ask(): void;
  stop(): void;
}

/** Calls `act` soon after `ask()`, and at most once every `everyMs`. */
export function throttled(act: () => void, everyMs: number): Throttled {
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;
  const rest = (): void => {
    timer = undefined;
    if (isAsked) ask();
  };
  const ask = (): void => {
    isAsked = timer !== undefined;
    if (isAsked) return;
    timer = setTimeout(rest, everyMs);
    act();
  };
  return { ask, stop: () => clearTimeout(timer) };
}
