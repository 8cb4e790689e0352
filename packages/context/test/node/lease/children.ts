/** Starts processes that take leases; none outlives its test. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import type { LeaseOwner } from "../../../src/node/lease.ts";

const PROGRAMS = `${import.meta.dirname}/programs.ts`;

export type Answer =
  | { readonly type: "leased"; readonly lease: { readonly token: number } }
  | { readonly type: "held"; readonly owner: LeaseOwner };

export interface LeaseChild {
  readonly pid: number;
  take(path: string): Promise<Answer>;
  /** With -9; returns when the system has forgotten the process. */
  kill(): Promise<void>;
}

export async function startLeaseChild(): Promise<LeaseChild> {
  const child = spawn(process.execPath, [PROGRAMS, "acquire"], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => ended(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done) throw new Error(`the process ${child.pid} ended without an answer`);
    return next.value;
  };
  await line();
  const take = async (path: string): Promise<Answer> => {
    child.stdin.write(`${path}\n`);
    return JSON.parse(await line());
  };
  return { pid: child.pid ?? 0, take, kill: () => ended(child) };
}

/** The tokens of one process that contends for the lease; fails if it ever was not alone. */
export async function contend(path: string, times: number): Promise<readonly number[]> {
  const program = [PROGRAMS, "contend", path, String(times)];
  const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: 300_000, killSignal: "SIGKILL" });
  return JSON.parse(stdout);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
