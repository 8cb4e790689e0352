/** Runs commands as background jobs, which end no later than the agent, and limits how often a callback runs. */

import type { ShellAct, ShellEnd, WorkspaceShell } from "../../ports.ts";
import type { Said } from "./command-output.ts";
import type { Connections } from "./connections.ts";
import type { Sandbox } from "./result.ts";

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly said: Said;
  readonly connections: Connections;
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
  readonly connections: Connections;
}

/** What is run, which may have secrets in it that `shown` has not. */
export interface Launch extends Omit<ShellAct, "signal" | "output"> {
  readonly command: string;
  /** The same for people and for the model. */
  readonly shown: string;
}

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  #isOver = false;

  start(launch: Launch, parts: JobParts): Job {
    if (this.#isOver) throw new Error("no job can be started any more");
    const job = startedJob(`job-${this.#jobs.size + 1}`, launch, parts);
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

function startedJob(id: string, { command, shown, ...options }: Launch, parts: JobParts): Job {
  const { shell, sandbox, said, connections } = parts;
  const act = new AbortController();
  let end: ShellEnd | null = null;
  const output = (chunk: Uint8Array): void => said.write(chunk);
  const ended = shell
    .run(command, { ...options, signal: act.signal, output })
    // Nobody may be waiting for it: what a shell throws is told to whoever looks.
    .catch((error): ShellEnd => ({ type: "not-started", message: String(error) }))
    .then((how) => {
      end = how;
      return how;
    });
  return {
    id,
    command: shown,
    said,
    connections,
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
