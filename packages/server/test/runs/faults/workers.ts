/** Starts the worker processes of a campaign, and kills, freezes and replaces them. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./token-raises.ts";
import type { Moment, WorkerProgramOptions } from "./worker.ts";

/** What all workers of a campaign have in common. */
export type WorkerSettings = Omit<WorkerProgramOptions, "id" | "release" | "dieAt">;

/** `running`: a fault may hit it. */
interface WorkerProcess {
  readonly id: string;
  readonly release: number;
  readonly child: ChildProcess;
  readonly exit: Promise<unknown>;
  readonly ready: Promise<unknown>;
  state: "starting" | "running" | "faulty" | "ended";
}

export class Workers {
  readonly faults: Fault[] = [];
  readonly problems: string[] = [];
  /** When workers ended because they could not start, as they do while PostgreSQL is away. */
  readonly failedStarts: number[] = [];
  readonly #settings: WorkerSettings;
  readonly #all: WorkerProcess[] = [];
  #release = 1;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  /** The number of processes that were started. */
  get count(): number {
    return this.#all.length;
  }

  start(): WorkerProcess {
    const id = `w${this.#all.length + 1}`;
    const options: WorkerProgramOptions = { ...this.#settings, id, release: this.#release };
    const child = startWorkerProgram(options);
    const worker: WorkerProcess = {
      ...{ id, release: this.#release, child, state: "starting" },
      exit: once(child, "exit"),
      ready: once(child, "message"),
    };
    this.#all.push(worker);
    child.once("message", () => {
      if (worker.state === "starting") worker.state = "running";
    });
    child.once("exit", (code, signal) => {
      const hasFailed = code !== 0 && signal !== "SIGKILL";
      if (hasFailed && worker.state === "starting") this.#replaceFailed(id);
      else if (hasFailed) this.problems.push(`worker ${id} ended with ${code ?? signal}`);
      worker.state = "ended";
    });
    return worker;
  }

  /** As whatever supervises workers would do. */
  #replaceFailed(id: string): void {
    const at = Date.now();
    this.failedStarts.push(at);
    this.faults.push({ type: "kill", worker: id, from: at, to: Infinity });
    this.start();
  }

  /** A running worker, once `others` run besides it. It is marked as faulty. */
  async choose(random: () => number, others: number): Promise<WorkerProcess> {
    for (const deadline = Date.now() + MAX_START_MS; Date.now() < deadline; ) {
      const running = this.#all.filter(({ state }) => state === "running");
      const worker = running[Math.floor(random() * running.length)];
      if (worker && running.length > others) {
        worker.state = "faulty";
        return worker;
      }
      await sleep(20);
    }
    throw new Error(`no ${others + 1} workers run after ${MAX_START_MS / 1000} seconds`);
  }

  /** Starts another worker in its place. With a moment, the worker kills itself there, if it reaches it in time. */
  async kill(worker: WorkerProcess, moment?: Moment): Promise<void> {
    if (moment) {
      worker.child.send({ dieAt: moment });
      await Promise.race([worker.exit, sleep(MAX_MOMENT_MS)]);
    }
    if (worker.child.signalCode === null) {
      this.faults.push({ type: "kill", worker: worker.id, from: Date.now(), to: Infinity });
      worker.child.kill("SIGKILL");
      await worker.exit;
    }
    this.start();
  }

  async freeze(worker: WorkerProcess, milliseconds: number): Promise<void> {
    const { pid } = worker.child;
    // It goes on even if this process is killed meanwhile.
    const guard = spawn("sh", ["-c", "cat >/dev/null; kill -CONT $0", String(pid)], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const from = Date.now();
    worker.child.kill("SIGSTOP");
    await sleep(milliseconds);
    this.faults.push({ type: "freeze", worker: worker.id, from, to: Date.now() });
    worker.child.kill("SIGCONT");
    guard.stdin.end();
    await once(guard, "exit");
    worker.state = "running";
  }

  /** Replaces the workers one after the other by workers of a new release. */
  async deploy(): Promise<void> {
    this.#release += 1;
    for (;;) {
      const old = this.#all.find(({ state, release }) => state !== "ended" && release < this.#release);
      if (!old) return;
      if (old.state === "running") {
        old.state = "faulty";
        const { ready, exit } = this.start();
        await Promise.race([ready, exit]);
        await this.#stop(old);
      } else await sleep(20);
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#all.filter(({ state }) => state !== "ended").map((worker) => this.#stop(worker)));
  }

  /** Ends all at once, whatever they do. */
  killAll(): void {
    for (const { child } of this.#all) if (child.exitCode === null) child.kill("SIGKILL");
  }

  async #stop({ id, child, exit }: WorkerProcess): Promise<void> {
    child.kill("SIGTERM");
    await Promise.race([exit, sleep(MAX_STOP_MS, undefined, { ref: false })]);
    if (child.exitCode !== null || child.signalCode !== null) return;
    this.problems.push(`worker ${id} did not end ${MAX_STOP_MS / 1000} seconds after SIGTERM`);
    this.faults.push({ type: "kill", worker: id, from: Date.now(), to: Infinity });
    child.kill("SIGKILL");
    await exit;
  }
}

/** How long a worker may take to reach the moment of its death. */
const MAX_MOMENT_MS = 1_000;
const MAX_START_MS = 60_000;
const MAX_STOP_MS = 60_000;

/** It ends if this process ends. */
export function startWorkerProgram(options: WorkerProgramOptions): ChildProcess {
  const program = join(import.meta.dirname, "worker.ts");
  return spawn(process.execPath, ["--no-deprecation", program, JSON.stringify(options)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Half of what a start takes is compiling, so it is kept from one to the next.
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
  });
}

const COMPILED = join(import.meta.dirname, "../../../../../node_modules/.cache/compiled");
