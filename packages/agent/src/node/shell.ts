/** Runs a command in its own process group, with the rights of the user who runs the agent, and stops it on a timeout or an abort. */

import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { win32 } from "node:path";
import { Readable, Writable } from "node:stream";
import type { ShellOptions, ShellResult, WaitForUser, WorkspaceShell } from "../ports.ts";
import { endGroup, signalGroup } from "./kill-process-group.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates a shell that runs commands on this machine without a sandbox. */
export function nodeShell({
  root,
  platform = process.platform,
  ...environmentOptions
}: Pick<SpawnOptions, "root"> & EnvironmentOptions & { readonly platform?: NodeJS.Platform }): WorkspaceShell {
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

export interface EnvironmentOptions {
  readonly environment: Environment;
  /** Names of variables that hold keys of model providers. */
  readonly withheld?: readonly string[];
}

export function commandEnvironment({ environment, withheld = [] }: EnvironmentOptions): Record<string, string> {
  const entries = Object.entries(environment).filter(([name]) => !withheld.includes(name));
  return Object.fromEntries(entries.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Standard error is redirected into standard output at once: two pipes would lose the order of the output. */
export function bashArguments(command: string, bash = "/bin/bash"): readonly string[] {
  return [bash, "-c", `exec 2>&1; ${command}`];
}

export interface SpawnOptions {
  readonly program: string;
  readonly arguments: readonly string[];
  /** The folder in which it starts; absolute. */
  readonly root: string;
  /** The whole environment of the process. */
  readonly environment: Environment;
  /** Set where the program creates a sandbox for the command and waits for it. */
  readonly wrapper?: Wrapper;
  /** Ends the command after its timeout; default: a timer that does not stand still. */
  readonly timer?: CommandTimer;
  /** How long a command that timed out has to end after SIGTERM; default: a second. */
  readonly timeoutGraceMs?: number | undefined;
  /** Called with the id of the started process. `stop` kills the command at once and gives the reason; the result stops watching. */
  readonly watch?: ((pid: number, stop: (message: string) => void) => () => void) | undefined;
}

/** A program around the command, with output of its own. It is not asked to end before the command. */
export interface Wrapper {
  /** Called with what the wrapper writes to file descriptor 3. */
  readonly onStatus: (text: string) => void;
  /** Called with the wrapper's standard error; the command redirects its own as soon as it starts. */
  readonly onErrorOutput: (text: string) => void;
  /** The wrapper reads this from file descriptor 4. */
  readonly filter?: Uint8Array | null;
  /** Whether the wrapper is replaced by the command (exec) instead of waiting for it; then it is ended like any command. */
  readonly isReplaced?: boolean;
}

/**
 * The command has no terminal and no input. Its output is passed on as it arrives and never stored: a chunk is valid only until `onOutput`
 * returns, so a caller that keeps it must copy it.
 */
export async function runInGroup(launch: SpawnOptions, options: ShellOptions): Promise<ShellResult> {
  if (options.signal.aborted) return createKilledResult("abort", options);
  try {
    return await awaitExit(spawnProcess(launch), launch, options);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: "not-started", message: `the command could not be started in ${launch.root}: ${message}` };
  }
}

function spawnProcess({ program, arguments: args, root, environment, wrapper }: SpawnOptions): ChildProcess {
  const statusPipe = wrapper ? (["pipe"] as const) : [];
  const filterPipe = wrapper?.filter ? (["pipe"] as const) : [];
  const child = spawn(program, args, {
    cwd: root,
    env: { ...environment },
    // On Windows a detached process opens its own console window.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", ...statusPipe, ...filterPipe],
  });
  if (wrapper?.filter) writeFilter(child.stdio[4], wrapper.filter);
  return child;
}

/** A wrapper that ends before it has read the whole filter reports the reason itself, so a broken pipe is ignored. */
function writeFilter(pipe: unknown, filter: Uint8Array): void {
  if (pipe instanceof Writable) pipe.on("error", () => {}).end(filter);
}

function awaitExit(
  child: ChildProcess,
  { wrapper, timer: launchTimer, timeoutGraceMs, watch }: SpawnOptions,
  options: ShellOptions,
): Promise<ShellResult> {
  const timer = launchTimer ?? createCommandTimer(options);
  const sparesLeader = wrapper !== undefined && wrapper.isReplaced !== true;
  const stopper = stopOnDemand(child, options.signal, { sparesLeader, timer, timeoutGraceMs, watch });
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
          ? { type: "killed", cause: "signal", message: `command killed by ${signal ?? "a signal"}` }
          : { type: "ended", exitCode };
      stopper.outcome().then((reason) => resolve(reason ? createKilledResult(reason, options) : ownEnd), reject);
    });
  }).finally(stopper.forget);
}

/** Why a command is stopped; for a limit, what to say. */
type StopReason = "timeout" | "abort" | { readonly message: string };

/** The user waits for an abort to finish; a timeout can take longer. */
const STOP_GRACE_MS = { abort: 100, timeout: 1_000 };

interface StopOptions extends Pick<SpawnOptions, "timeoutGraceMs" | "watch"> {
  readonly sparesLeader: boolean;
  readonly timer: CommandTimer;
}

/** Ends the whole group on a timeout, an abort or at a limit. The outcome is known once no process of the group is left. */
function stopOnDemand(
  { pid }: ChildProcess,
  signal: AbortSignal,
  { sparesLeader, timer, timeoutGraceMs = STOP_GRACE_MS.timeout, watch }: StopOptions,
): { outcome(): Promise<StopReason | null>; forget(): void } {
  let stopped: Promise<StopReason> | null = null;
  const stop = (reason: "timeout" | "abort"): void => {
    const gracePeriodMs = reason === "timeout" ? timeoutGraceMs : STOP_GRACE_MS.abort;
    if (pid !== undefined) stopped ??= endGroup(pid, { gracePeriodMs, sparesLeader }).then(() => reason);
  };
  const kill = (message: string): void => {
    // Not asked to end first: meanwhile it would take more.
    if (pid !== undefined) signalGroup(pid, "SIGKILL");
    stopped ??= Promise.resolve({ message });
  };
  const stopWatching = pid === undefined ? undefined : watch?.(pid, kill);
  const abort = (): void => stop("abort");
  timer.start(() => stop("timeout"));
  signal.addEventListener("abort", abort, { once: true });
  const forget = (): void => {
    timer.clear();
    stopWatching?.();
    signal.removeEventListener("abort", abort);
  };
  return { outcome: async () => stopped, forget };
}

/** The timeout of one command. */
export interface CommandTimer {
  start(onTimeout: () => void): void;
  clear(): void;
  /** Runs a question to the user; the timer stands still meanwhile. */
  readonly waitForUser: WaitForUser;
}

/** Without `timeoutMs` it never ends the command. Questions also go through `waitForUser` of the options. */
export function createCommandTimer({
  timeoutMs,
  waitForUser,
}: Pick<ShellOptions, "timeoutMs" | "waitForUser">): CommandTimer {
  let remainingMs = timeoutMs ?? Number.POSITIVE_INFINITY;
  let [timer, startedAt, openQuestions]: [NodeJS.Timeout | undefined, number, number] = [undefined, 0, 0];
  let onTimeout: (() => void) | null = null;
  const run = (): void => {
    if (!onTimeout || openQuestions > 0 || !Number.isFinite(remainingMs)) return;
    startedAt = performance.now();
    timer = setTimeout(onTimeout, remainingMs);
  };
  const pause = (): void => {
    if (timer) remainingMs = Math.max(0, remainingMs - (performance.now() - startedAt));
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    start: (callback) => {
      onTimeout = callback;
      run();
    },
    clear: () => {
      onTimeout = null;
      clearTimeout(timer);
    },
    waitForUser: async (ask) => {
      if (openQuestions === 0) pause();
      openQuestions += 1;
      try {
        return await (waitForUser ? waitForUser(ask) : ask());
      } finally {
        openQuestions -= 1;
        if (openQuestions === 0) run();
      }
    },
  };
}

/** Frees the memory at once: left to the garbage collector, the chunks of a large output pile up to a hundred megabytes. */
function passOutput({ buffer, byteOffset, length }: Buffer, { onOutput }: ShellOptions): void {
  // A slice of a Buffer shares its memory; `slice` of a Uint8Array copies, so a caller that keeps a slice keeps valid bytes.
  onOutput(new Uint8Array(buffer, byteOffset, length));
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** How long a process that stays in the background may still write after its command has ended. */
const OUTPUT_GRACE_MS = 200;

/** `setImmediate` lets output be read that arrived before the timer, even when this process was too busy to read it. */
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

function createKilledResult(reason: StopReason, { timeoutMs = 0 }: ShellOptions): ShellResult {
  if (typeof reason === "object") return { type: "killed", cause: "limit", message: reason.message };
  const message = reason === "abort" ? "command stopped" : `command timed out after ${timeoutMs / 1000} s`;
  return { type: "killed", cause: reason, message };
}

/** Variables that name folders of installed programs, with the folder of Git Bash in each. */
const GIT_FOLDERS: readonly (readonly [variable: string, folder: string])[] = [
  ["ProgramFiles", "Git\\bin"],
  ["ProgramW6432", "Git\\bin"],
  ["LOCALAPPDATA", "Programs\\Git\\bin"],
];

/**
 * Finds Git Bash on Windows; null where it is not installed. The `bash.exe` in the Windows folder is skipped, because it starts WSL, where
 * paths are written differently. A `bash.exe` in the workspace is skipped too.
 */
export function findGitBash(
  environment: Environment,
  root: string,
  isFile: (path: string) => boolean = isPlainFile,
): string | null {
  const installedFolders = GIT_FOLDERS.flatMap(([variable, folder]) => {
    const base = environment[variable];
    return base ? [win32.join(base, folder)] : [];
  });
  const pathFolders = (environment.PATH ?? environment.Path ?? "")
    .split(";")
    .filter((folder) => win32.isAbsolute(folder));
  const system = (environment.SystemRoot ?? "C:\\Windows").toLowerCase();
  const isUsable = (folder: string): boolean =>
    [system, root.toLowerCase()].every(
      (excluded) => !`${win32.resolve(folder).toLowerCase()}\\`.startsWith(`${excluded}\\`),
    );
  const paths = [...installedFolders, ...pathFolders.filter(isUsable)].map((folder) => win32.join(folder, "bash.exe"));
  return paths.find(isFile) ?? null;
}

function isPlainFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

const NO_BASH_MESSAGE =
  "bash was not found; install Git for Windows, which includes Git Bash, or run Pith in WSL 2 (docs/platforms.md)";
