/** Runs a command in its own process group, with the rights of the user who runs the agent, and ends the whole group. */

import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ShellAct, ShellEnd, WorkspaceShell } from "../ports.ts";
import { codeOf } from "./safe-files.ts";
import { findGitBash, killTree, NO_BASH } from "./windows.ts";

/** False where there is nobody left to tell. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform !== "win32") return tell(-leader, signal);
  // There are no groups and no polite signals: all that the leader started is ended at once.
  return signal === 0 ? tell(leader, 0) : killTree(leader);
}

/** All but the one that leads them. */
export async function signalFollowers(leader: number, signal: NodeJS.Signals): Promise<void> {
  for (const pid of (await livingMembers(leader)) ?? []) if (pid !== leader) tell(pid, signal);
}

/** Where the first process of a machine is slow to clear the dead away, as in many containers, they can still be told things. */
export async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  const members = await livingMembers(leader);
  return members === null || members.length > 0;
}

/** Null where the machine does not say. */
async function livingMembers(leader: number): Promise<readonly number[] | null> {
  const names = await readdir("/proc").catch((): string[] => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  const areMembers = await Promise.all(pids.map((pid) => isLivingMember(pid, leader)));
  return pids.filter((_, at) => areMembers[at]).map(Number);
}

/** A line of `stat` reads: id (name) state parent group … and the name may contain anything. */
async function isLivingMember(pid: string, leader: number): Promise<boolean> {
  // One that ended since the list was made has no file any more.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group) === leader && state !== "Z" && state !== "X";
}

function tell(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // Somebody who became another user cannot be told, but is there.
    return codeOf(error) === "EPERM";
  }
}

export interface Ending {
  /** Milliseconds from asking to forcing. */
  readonly patienceMs: number;
  /** The leader ends by itself after the others, and would take them with it. */
  readonly sparesLeader: boolean;
}

const LOOK_EVERY_MS = 20;

/** Comes back when nothing of the group is left, or all of it has been forced. */
export async function endGroup(leader: number, { patienceMs, sparesLeader }: Ending): Promise<void> {
  if (sparesLeader) await signalFollowers(leader, "SIGTERM");
  else signalGroup(leader, "SIGTERM");
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    if (!(await isGroupAlive(leader))) return;
    await sleep(LOOK_EVERY_MS);
  }
  signalGroup(leader, "SIGKILL");
}

export interface Launch {
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
  readonly status: (text: string) => void;
  /** Told what comes by its second stream, which is the command's no more as soon as there is one. */
  readonly complaint: (text: string) => void;
  /** What it reads from its fourth file. */
  readonly filter?: Uint8Array | null;
  /** Whether it becomes the command instead of waiting for it; then it is ended like any other. */
  readonly isReplaced?: boolean;
}

type Stop = "timeout" | "abort";

/** What a process that lives on in the background may still say after its command has ended. */
const GRACE_MS = 200;
/** Whoever stops a command waits for its end; when its time is over nobody does. */
const PATIENCE_MS: Readonly<Record<Stop, number>> = { abort: 100, timeout: 1_000 };

/**
 * The command has no terminal and no input; its output is passed on as it comes and never stored. A chunk of output is good only until
 * `output` has come back: who keeps it, keeps a copy.
 */
export async function runInGroup(launch: Launch, act: ShellAct): Promise<ShellEnd> {
  if (act.signal.aborted) return killed("abort", act);
  try {
    return await ended(started(launch), launch, act);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: "not-started", message: `the command could not be started in ${launch.root}: ${message}` };
  }
}

/** Both streams are one from the first command on: two pipes would lose the order in which things were said. */
export function inBash(command: string, bash = "/bin/bash"): readonly string[] {
  return [bash, "-c", `exec 2>&1; ${command}`];
}

function started({ program, arguments: words, root, environment, wrapper }: Launch): ChildProcess {
  const report = wrapper ? (["pipe"] as const) : [];
  const filter = wrapper?.filter ? (["pipe"] as const) : [];
  const child = spawn(program, words, {
    cwd: root,
    env: { ...environment },
    // On Windows a group of its own would be a console window of its own.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", ...report, ...filter],
  });
  if (wrapper?.filter) writeFilter(child.stdio[4], wrapper.filter);
  return child;
}

/** One that ends before it has read all says so by itself. */
function writeFilter(pipe: unknown, filter: Uint8Array): void {
  if (pipe instanceof Writable) pipe.on("error", () => {}).end(filter);
}

function ended(child: ChildProcess, { wrapper }: Launch, act: ShellAct): Promise<ShellEnd> {
  const stopped = stopping(child, act, { sparesLeader: wrapper !== undefined && wrapper.isReplaced !== true });
  const [output, errors, report] = pipesOf(child);
  output?.on("data", (chunk: Buffer) => handOn(chunk, act));
  errors?.on("data", (chunk: Buffer) => (wrapper ? wrapper.complaint(chunk.toString()) : handOn(chunk, act)));
  report?.on("data", (chunk: Buffer) => wrapper?.status(chunk.toString()));
  return new Promise<ShellEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => closeSoon(child));
    child.once("close", (exitCode, signal) => {
      const natural: ShellEnd =
        exitCode === null
          ? { type: "killed", by: "signal", message: `it was ended by ${signal ?? "a signal"}` }
          : { type: "ended", exitCode };
      stopped.outcome().then((by) => resolve(by ? killed(by, act) : natural), reject);
    });
  }).finally(stopped.forget);
}

/** Ends the whole group when the time is over or somebody stops it; the outcome is known once nothing of it is left. */
function stopping(
  { pid }: ChildProcess,
  { signal, timeoutMs }: ShellAct,
  { sparesLeader }: { readonly sparesLeader: boolean },
): { outcome(): Promise<Stop | null>; forget(): void } {
  let stopped: Promise<Stop> | null = null;
  const stop = (by: Stop): void => {
    if (pid !== undefined) stopped ??= endGroup(pid, { patienceMs: PATIENCE_MS[by], sparesLeader }).then(() => by);
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
function handOn({ buffer, byteOffset, length }: Buffer, { output }: ShellAct): void {
  // A part of a Buffer is never a copy, and whoever takes one to keep it would be left with nothing.
  output(new Uint8Array(buffer, byteOffset, length));
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** What was said before the end is read even when this process was too busy to look, hence the round through the loop. */
function closeSoon(child: ChildProcess): void {
  const close = (): void => {
    for (const pipe of pipesOf(child)) pipe.destroy();
  };
  const timer = setTimeout(() => setImmediate(close), GRACE_MS);
  child.once("close", () => clearTimeout(timer));
}

function pipesOf({ stdio }: ChildProcess): readonly Readable[] {
  return stdio.filter((pipe) => pipe instanceof Readable);
}

function killed(by: Stop, { timeoutMs = 0 }: ShellAct): ShellEnd {
  const message = by === "abort" ? "it was stopped" : `it was ended after ${timeoutMs / 1000} s: its time was over`;
  return { type: "killed", by, message };
}

export interface SeenBy {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that hold keys of model providers. */
  readonly withheld?: readonly string[];
}

export function seenEnvironment({ environment, withheld = [] }: SeenBy): Record<string, string> {
  const passed = Object.entries(environment).filter(([name]) => !withheld.includes(name));
  return Object.fromEntries(passed.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

export interface ShellPlace extends Pick<Launch, "root">, SeenBy {
  readonly platform?: NodeJS.Platform;
}

export function nodeShell({ root, platform = process.platform, ...seenBy }: ShellPlace): WorkspaceShell {
  const environment = seenEnvironment(seenBy);
  const bash = platform === "win32" ? findGitBash(environment, root) : "/bin/bash";
  return {
    run: async (command, act) => {
      if (bash === null) return { type: "not-started", message: `the command was not run: ${NO_BASH}` };
      const [program = "", ...rest] = inBash(command, bash);
      const seen = { ...environment, ...act.environment };
      return await runInGroup({ program, arguments: rest, root, environment: seen }, act);
    },
  };
}
