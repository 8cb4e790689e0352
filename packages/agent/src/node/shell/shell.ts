/** A shell on this machine: each command in a process group of its own, without a terminal and without input, its output handed on as it comes and never kept. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { ShellAct, ShellEnd, WorkspaceShell } from "../../workspace.ts";
import { endGroup } from "./end-group.ts";

export interface ShellPlace {
  /** The folder in which commands start; absolute. */
  readonly root: string;
  /** All that commands see of the environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Stop = "timeout" | "abort";

/** What a process that lives on in the background may still say after its command has ended. */
const GRACE_MS = 200;

/** A chunk of output is good only until `output` has come back: who keeps it, keeps a copy. */
export function nodeShell(place: ShellPlace): WorkspaceShell {
  return {
    run: async (command, act) => {
      if (act.signal.aborted) return killed("abort", act);
      try {
        return await ended(started(command, place), act);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { type: "not-started", message: `the command could not be started in ${place.root}: ${message}` };
      }
    },
  };
}

/** Both streams are one from the first command on: two pipes would lose the order in which things were said. */
function started(command: string, { root, environment }: ShellPlace): Child {
  return spawn("/bin/bash", ["-c", `exec 2>&1; ${command}`], {
    cwd: root,
    env: { ...environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function ended(child: Child, act: ShellAct): Promise<ShellEnd> {
  const stopped = stopping(child, act);
  child.stdout.on("data", (chunk: Buffer) => handOn(chunk, act));
  child.stderr.on("data", (chunk: Buffer) => handOn(chunk, act));
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
  { pid }: Child,
  { signal, timeoutMs }: ShellAct,
): { outcome(): Promise<Stop | null>; forget(): void } {
  let stopped: Promise<Stop> | null = null;
  const stop = (by: Stop): void => {
    if (pid !== undefined) stopped ??= endGroup(pid).then(() => by);
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
function handOn(chunk: Buffer, { output }: ShellAct): void {
  output(chunk);
  const { buffer } = chunk;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0);
}

/** What was said before the end is read even when this process was too busy to look, hence the round through the loop. */
function closeSoon(child: Child): void {
  const close = (): void => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => setImmediate(close), GRACE_MS);
  child.once("close", () => clearTimeout(timer));
}

function killed(by: Stop, { timeoutMs = 0 }: ShellAct): ShellEnd {
  const message = by === "abort" ? "it was stopped" : `it was ended after ${timeoutMs / 1000} s: its time was over`;
  return { type: "killed", by, message };
}
