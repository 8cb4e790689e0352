/** Ends a command with everything it started: signals its process group, and kills what is left after a moment. */

import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { win32 } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "./safe-files.ts";

/** Asks all processes of the group to end, and kills those that do not. Returns when no process of the group is left, or all of them were sent SIGKILL. */
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

export interface EndGroupOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly gracePeriodMs: number;
  /** Whether the leader gets no SIGTERM: a wrapper ends by itself after the others, and would kill them if it ended first. */
  readonly sparesLeader: boolean;
}

const POLL_MS = 20;

/** Returns false where the group has no process left. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform !== "win32") return sendSignal(-leader, signal);
  // Windows has neither process groups nor SIGTERM: the leader and everything it started are killed at once.
  return signal === 0 ? sendSignal(leader, 0) : killTree(leader);
}

async function signalGroupExceptLeader(leader: number, signal: NodeJS.Signals): Promise<void> {
  for (const pid of (await findLiveMembers(leader)) ?? []) if (pid !== leader) sendSignal(pid, signal);
}

/** Zombies do not count. In many containers process 1 is slow to reap them, and they still accept signals. */
async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  const members = await findLiveMembers(leader);
  return members === null || members.length > 0;
}

/** Null where the system has no `/proc`. */
async function findLiveMembers(leader: number): Promise<readonly number[] | null> {
  const names = await readdir("/proc").catch((): string[] => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return null;
  const areMembers = await Promise.all(pids.map((pid) => isLiveMember(pid, leader)));
  return pids.filter((_, index) => areMembers[index]).map(Number);
}

/** `/proc/<pid>/stat` reads: id (name) state parent group … The name may contain anything, so the last `)` is searched. */
async function isLiveMember(pid: string, leader: number): Promise<boolean> {
  // The file is gone if the process has ended since the list was read.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group) === leader && state !== "Z" && state !== "X";
}

function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // A process that runs as another user cannot be signalled, but exists.
    return errorCode(error) === "EPERM";
  }
}

/** Kills a process of Windows with everything it started. Returns false where there was nothing to kill. */
function killTree(pid: number): boolean {
  const [program = "", ...args] = killTreeCommand(pid, process.env);
  return spawnSync(program, args, { stdio: "ignore", windowsHide: true }).status === 0;
}

export function killTreeCommand(
  pid: number,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const folder = win32.join(environment.SystemRoot ?? "C:\\Windows", "System32");
  return [win32.join(folder, "taskkill.exe"), "/pid", String(pid), "/t", "/f"];
}
