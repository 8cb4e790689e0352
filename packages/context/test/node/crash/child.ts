/** Starts child processes, reads their output and kills them; none runs longer than a test may. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ProgramName } from "./programs.ts";

export interface Child {
  readonly process: ChildProcess;
  /** When it has printed anything, or has ended. */
  readonly firstWord: Promise<unknown>;
  /** When the system has forgotten it. */
  readonly end: Promise<Ending>;
  /** Sends -9 after so many milliseconds. */
  killed(delay?: number): Promise<void>;
}

export interface Ending {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a child takes to start is mostly compiling, so it is kept from child to child, also where no test runs it. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, "../../../../../node_modules/.cache/compiled");

export function startedChild(program: ProgramName, args: readonly string[]): Child {
  return started(process.execPath, [join(import.meta.dirname, "programs.ts"), program, ...args]);
}

export function started(command: string, args: readonly string[]): Child {
  const env = { ...process.env, NODE_COMPILE_CACHE };
  const child = spawn(command, args, { env, timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const end = new Promise<Ending>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ output, errors, code, signal }));
  });
  // A failure to start rejects only the end.
  const firstWord = Promise.race([once(child.stdout, "data"), end]).catch(() => undefined);
  const killed = async (delay = 0): Promise<void> => {
    if (delay > 0) await wait(delay);
    child.kill("SIGKILL");
  };
  return { process: child, firstWord, end, killed };
}

/** Runs a program beside this file once to its end, so that it is compiled. */
export async function compile(program: string, args: readonly string[]): Promise<void> {
  const { code, errors } = await started(process.execPath, [join(import.meta.dirname, program), ...args]).end;
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
}

const TIMEOUT_MS = 590_000;
