/** Runs a command in its own process group, with the rights of the user who runs the agent, and ends the whole group. */

import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ShellOptions, ShellResult, WorkspaceShell } from "../ports.ts";
import { errorCode } from "./safe-files.ts";
import { findGitBash, killTree, NO_BASH_MESSAGE } from "./windows.ts";

/** False where there is nobody left to tell. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform !== "win32") return sendSignal(-leader, signal);
  // There are no groups and no polite signals: all that the leader started is ended at once.
  return signal === 0 ? sendSignal(leader, 0) : killTree(leader);
}

/** All but the one that leads them. */
export async function signalGroupExceptLeader(leader: number, signal: NodeJS.Signals): Promise<void> {
  for (const pid of (await findLiveMembers(leader)) ?? []) if (pid !== leader) sendSignal(pid, signal);
}

/** Where the first process of a machine is slow to clear the dead away, as in many containers, they can still be told things. */
export async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  const members = await findLiveMembers(leader);
  return members === null || members.length > 0;
}

/** Null where the machine does not say. */
async function findLiveMembers(leader: number): Promise<readonly number[] | null> {
  const names = await readdir("/proc").catch((): string[] => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  const areMembers = await Promise.all(pids.map((pid) => isLiveMember(pid, leader)));
  return pids.filter((_, index) => areMembers[index]).map(Number);
}

/** A line of `stat` reads: id (name) state parent group … and the name may contain anything. */
async function isLiveMember(pid: string, leader: number): Promise<boolean> {
  // One that ended since the list was made has no file any more.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group) === leader && state !== "Z" && state !== "X";
}

function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // Somebody who became another user cannot be told, but is there.
    return errorCode(error) === "EPERM";
  }
}

export interface EndGroupOptions {
  /** Milliseconds from asking to forcing. */
  readonly gracePeriodMs: number;
  /** The leader ends by itself after the others, and would take them with it. */
  readonly sparesLeader: boolean;
}

const POLL_MS = 20;

/** Comes back when nothing of the group is left, or all of it has been forced. */
export async function endGroup(leader: number, { gracePeriodMs, sparesLeader }: EndGroupOptions): Promise<void> {
  if (sparesLeader) await signalGroupExceptLeader(leader, "SIGTERM");
  else signalGroup(leader, "SIGTERM");
  const deadline = performance.now() + gracePeriodMs;
  while (performance.now() < deadline) {
    if (!(await isGroupAlive(leader))) return;
    await sleep(POLL_MS);
  }
  signalGroup(leader, "SIGKILL");
}

export interface SpawnOptions {
  readonly program: string;
  readonly arguments: readonly string[];
  /** The folder in which it starts; absolute. */
  readonly root: string;
  /** All that it sees of the environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the program is not the command, but makes a place for it and waits. */
  readonly wrapper?: Wrapper;
}

/** What such a program has to say, apart from what the command says. It is not asked to end before the command. */
export interface Wrapper {
  /** Told what it writes to its third file. */
  readonly onStatus: (text: string) => void;
  /** Told what comes by its second stream, which is the command's no more as soon as there is one. */
  readonly onErrorOutput: (text: string) => void;
  /** What it reads from its fourth file. */
  readonly filter?: Uint8Array | null;
  /** Whether it becomes the command instead of waiting for it; then it is ended like any other. */
  readonly isReplaced?: boolean;
}

type StopReason = "timeout" | "abort";

/** What a process that lives on in the background may still say after its command has ended. */
const OUTPUT_GRACE_MS = 200;
/** Whoever stops a command waits for its end; when its time is over nobody does. */
const STOP_GRACE_MS: Readonly<Record<StopReason, number>> = { abort: 100, timeout: 1_000 };

/**
 * The command has no terminal and no input; its output is passed on as it comes and never stored. A chunk of output is good only until
 * `makeOutput` has come back: who keeps it, keeps a copy.
 */
export async function runInGroup(launch: SpawnOptions, options: ShellOptions): Promise<ShellResult> {
  if (options.signal.aborted) return killedResult("abort", options);
  try {
    return await waitForEnd(spawnProcess(launch), launch, options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: "not-started", message: `the command could not be started in ${launch.root}: ${message}` };
  }
}

/** Both streams are one from the first command on: two pipes would lose the order in which things were said. */
export function bashArguments(command: string, bash = "/bin/bash"): readonly string[] {
  return [bash, "-c", `exec 2>&1; ${command}`];
}

function spawnProcess({ program, arguments: args, root, environment, wrapper }: SpawnOptions): ChildProcess {
  const statusPipe = wrapper ? (["pipe"] as const) : [];
  const filterPipe = wrapper?.filter ? (["pipe"] as const) : [];
  const child = spawn(program, args, {
    cwd: root,
    env: { ...environment },
    // On Windows a group of its own would be a console window of its own.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", ...statusPipe, ...filterPipe],
  });
  if (wrapper?.filter) writeFilter(child.stdio[4], wrapper.filter);
  return child;
}

/** One that ends before it has read all says so by itself. */
function writeFilter(pipe: unknown, filter: Uint8Array): void {
  if (pipe instanceof Writable) pipe.on("error", () => {}).end(filter);
}

function waitForEnd(child: ChildProcess, { wrapper }: SpawnOptions, options: ShellOptions): Promise<ShellResult> {
  const stopper = stopOnAbortOrTimeout(child, options, {
    sparesLeader: wrapper !== undefined && wrapper.isReplaced !== true,
  });
  const [output, errorOutput, status] = readablePipes(child);
  output?.on("data", (chunk: Buffer) => passOutput(chunk, options));
  errorOutput?.on("data", (chunk: Buffer) =>
    wrapper ? wrapper.onErrorOutput(chunk.toString()) : passOutput(chunk, options),
  );
  status?.on("data", (chunk: Buffer) => wrapper?.onStatus(chunk.toString()));
  return new Promise<ShellResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => closePipesSoon(child));
    child.once("close", (exitCode, signal) => {
      const ownEnd: ShellResult =
        exitCode === null
          ? { type: "killed", cause: "signal", message: `it was ended by ${signal ?? "a signal"}` }
          : { type: "ended", exitCode };
      stopper.outcome().then((reason) => resolve(reason ? killedResult(reason, options) : ownEnd), reject);
    });
  }).finally(stopper.forget);
}

/** Ends the whole group when the time is over or somebody stops it; the outcome is known once nothing of it is left. */
function stopOnAbortOrTimeout(
  { pid }: ChildProcess,
  { signal, timeoutMs }: ShellOptions,
  { sparesLeader }: { readonly sparesLeader: boolean },
): { outcome(): Promise<StopReason | null>; forget(): void } {
  let stopped: Promise<StopReason> | null = null;
  const stop = (reason: StopReason): void => {
    if (pid !== undefined)
      stopped ??= endGroup(pid, { gracePeriodMs: STOP_GRACE_MS[reason], sparesLeader }).then(() => reason);
  };
  const abort = (): void => stop("abort");
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), timeoutMs);
  signal.addEventListener("abort", abort, { once: true });
  const forget = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
  return { outcome: async () => stopped, forget };
}

/** Given back at once: left to the collector, the chunks of a flood pile up to a hundred megabytes before it comes. */
function passOutput({ buffer, byteOffset, length }: Buffer, { onOutput }: ShellOptions): void {
  // A part of a Buffer is never a copy, and whoever takes one to keep it would be left with nothing.
  onOutput(new Uint8Array(buffer, byteOffset, length));
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** What was said before the end is read even when this process was too busy to look, hence the round through the loop. */
function closePipesSoon(child: ChildProcess): void {
  const close = (): void => {
    for (const pipe of readablePipes(child)) pipe.destroy();
  };
  const timer = setTimeout(() => setImmediate(close), OUTPUT_GRACE_MS);
  child.once("close", () => clearTimeout(timer));
}

function readablePipes({ stdio }: ChildProcess): readonly Readable[] {
  return stdio.filter((pipe) => pipe instanceof Readable);
}

function killedResult(reason: StopReason, { timeoutMs = 0 }: ShellOptions): ShellResult {
  const message = reason === "abort" ? "it was stopped" : `it was ended after ${timeoutMs / 1000} s: its time was over`;
  return { type: "killed", cause: reason, message };
}

export interface EnvironmentOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that hold keys of model providers. */
  readonly withheld?: readonly string[];
}

export function commandEnvironment({ environment, withheld = [] }: EnvironmentOptions): Record<string, string> {
  const entries = Object.entries(environment).filter(([name]) => !withheld.includes(name));
  return Object.fromEntries(entries.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

export interface NodeShellOptions extends Pick<SpawnOptions, "root">, EnvironmentOptions {
  readonly platform?: NodeJS.Platform;
}

export function nodeShell({
  root,
  platform = process.platform,
  ...environmentOptions
}: NodeShellOptions): WorkspaceShell {
  const environment = commandEnvironment(environmentOptions);
  const bash = platform === "win32" ? findGitBash(environment, root) : "/bin/bash";
  return {
    run: async (command, options) => {
      if (bash === null) return { type: "not-started", message: `the command was not run: ${NO_BASH_MESSAGE}` };
      const [program = "", ...args] = bashArguments(command, bash);
      const runEnvironment = { ...environment, ...options.environment };
      return await runInGroup({ program, arguments: args, root, environment: runEnvironment }, options);
    },
  };
}
