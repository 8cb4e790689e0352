/** Names a process so that another one with the same number is not taken for it, and tells whether it has ended. */

import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../safe-files.ts";

export interface ProcessRecord {
  readonly pid: number;
  /** When it began, in ticks since the machine started. */
  readonly start: string;
  /** The start of the machine, and the group of processes that know each other by number: a container has its own. */
  readonly machine: string;
}

/** `proc` is where the system tells of its processes; on macOS and Windows there is no such place, and a number has to do. */
export function currentProcess(proc: string = PROC): ProcessRecord {
  return { pid: process.pid, start: readStartTime(process.pid, proc) ?? "", machine: readMachineId(proc) };
}

const PROC = "/proc";

/** False also where it cannot be told, because the process ran in another container. */
export function hasEnded({ pid, start, machine }: ProcessRecord, proc: string = PROC): boolean {
  const [boot, group] = machine.split(" ");
  const [ownBoot, ownGroup] = readMachineId(proc).split(" ");
  if (boot !== ownBoot) return true;
  return group === ownGroup && ((readStartTime(pid, proc) ?? "") !== start || !isRunning(pid));
}

/** Null where there is no such process, or where the system does not tell. */
export function readStartTime(pid: number, proc: string = PROC): string | null {
  try {
    const stat = readFileSync(`${proc}/${pid}/stat`, "utf8");
    // The name before it may contain anything; the start is the twentieth field behind it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

function readMachineId(proc: string): string {
  try {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, "utf8").trim();
    return `${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`;
  } catch {
    return "";
  }
}
