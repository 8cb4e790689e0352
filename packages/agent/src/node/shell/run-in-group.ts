/** One command as a process: in a group of its own, without a terminal and without input, its output handed on as it comes and never kept. */

import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import type { ShellAct, ShellEnd } from "../../workspace.ts";
import { endGroup } from "./end-group.ts";

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
}

type Stop = "timeout" | "abort";

/** What a process that lives on in the background may still say after its command has ended. */
const GRACE_MS = 200;
/** Whoever stops a command waits for its end; when its time is over nobody does. */
const PATIENCE_MS: Readonly<Record<Stop, number>> = { abort: 100, timeout: 1_000 };

/** A chunk of output is good only until `output` has come back: who keeps it, keeps a copy. */
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
export function inBash(command: string): readonly string[] {
  return ["/bin/bash", "-c", `exec 2>&1; ${command}`];
}

function started(launch: Launch): ChildProcess {
  return spawn(launch.program, launch.arguments, {
    cwd: launch.root,
    env: { ...launch.environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", ...(launch.wrapper ? (["pipe"] as const) : [])],
  });
}

function ended(child: ChildProcess, { wrapper }: Launch, act: ShellAct): Promise<ShellEnd> {
  const stopped = stopping(child, act, { sparesLeader: wrapper !== undefined });
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
