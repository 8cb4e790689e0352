/** A program under strace: which calls of its main thread touch a folder, and a kill right before any one of them. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Ending, started } from "./child.ts";

/** The calls of one kind that touch the folder. */
export interface Calls {
  readonly call: string;
  readonly count: number;
}

export interface Traced {
  readonly program: string;
  readonly args: readonly string[];
  /** Every path is below it. */
  readonly folder: string;
}

/** Throws a sentence that says what to do where strace cannot be used. */
export function checkStrace(command = "strace"): void {
  const { error, status, stderr } = spawnSync(command, ["-o", "/dev/null", "true"], { encoding: "utf8" });
  if (error) throw new Error("strace is missing; install it: apt-get install strace", { cause: error });
  if (status !== 0) throw new Error(`strace may not trace here (a container needs --cap-add=SYS_PTRACE): ${stderr}`);
}

/** The paths that the program touches, seen from its folder. */
export async function pathsTouched(traced: Traced): Promise<readonly string[]> {
  const log = `${traced.folder}.log`;
  await ranToEnd(straced(traced, ["-y", "-o", log, ...trace]));
  const { folder } = traced;
  const inFolder = readFileSync(log, "utf8").split(folder).slice(1);
  const paths = inFolder.map((rest) => /^[^">]*/.exec(rest)?.[0].replace(/^\//, "") ?? "");
  return [...new Set(paths.filter((path) => !path.startsWith(".log")))];
}

/** How often each call touches one of these paths. */
export async function callsTouching(traced: Traced, paths: readonly string[]): Promise<readonly Calls[]> {
  const log = `${traced.folder}.log`;
  await ranToEnd(straced(traced, ["-o", log, ...trace, ...within(traced, paths)]));
  const names = readFileSync(log, "utf8").match(/^\w+(?=\()/gm) ?? [];
  return [...new Set(names)].map((call) => ({ call, count: names.filter((name) => name === call).length }));
}

/** Runs the program, and kills it before it makes this call for the nth time. */
export function killedAt(traced: Traced, paths: readonly string[], { call, nth }: { call: string; nth: number }) {
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${nth}`];
  return straced(traced, ["-o", `${traced.folder}.log`, ...inject, ...within(traced, paths)]);
}

// Every act on the disk is a synchronous call of the main thread, so the others need not be followed. Reads and closes
// leave the disk as it was: a kill before them is a kill before the next call. Which of the names a machine has depends
// on its processor; strace passes over what is unknown after a question mark.
const trace = [
  "-e",
  "trace=?open,openat,write,?writev,pwrite64,?pwritev,fdatasync,fsync,?rename,?renameat,renameat2,?link,linkat,?unlink,unlinkat,ftruncate,?mkdir,mkdirat",
];

function within({ folder }: Traced, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => ["-P", path === "" ? folder : join(folder, path)]);
}

function straced({ program, args }: Traced, options: readonly string[]): Promise<Ending> {
  return started("strace", ["-qq", ...options, process.execPath, join(import.meta.dirname, program), ...args]).end;
}

async function ranToEnd(running: Promise<Ending>): Promise<void> {
  const { code, signal, errors } = await running;
  if (code !== 0) throw new Error(`the traced program ended with ${signal ?? code}: ${errors}`);
}
