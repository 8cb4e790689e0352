/** Describes the process that holds a lease and checks whether it still runs. An owner that cannot be checked counts as alive. */

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { diskErrorCode } from "./files.ts";

export interface LeaseOwner {
  readonly pid: number;
  /** As the system counts it; empty where it does not say. Tells a process from a later one with the same pid. */
  readonly started: string;
  readonly host: string;
  /** Boot id and pid namespace; empty where the system has neither. */
  readonly machine: string;
  /** Milliseconds since 1970; for people. */
  readonly since: number;
}

/** The processes of this machine; handed in so that a test can say who is alive. */
export interface ProcessTable {
  self(now: number): LeaseOwner;
  /** False only when it is certain that the owner has ended. */
  isAlive(owner: LeaseOwner): boolean;
}

export const realProcessTable: ProcessTable = { self: currentOwner, isAlive: isOwnerAlive };

/** The owner that a text tells of; null if it tells of none. */
export function parseOwner(text: string): LeaseOwner | null {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isOwner(value: unknown): value is LeaseOwner {
  if (typeof value !== "object" || value === null) return false;
  const { pid, started, host, machine, since } = value as Partial<Record<keyof LeaseOwner, unknown>>;
  const hasTextFields = [started, host, machine].every((field) => typeof field === "string");
  return hasTextFields && typeof since === "number" && Number.isSafeInteger(pid) && Number(pid) > 0;
}

function currentOwner(now: number): LeaseOwner {
  const status = readProcessStatus(process.pid);
  const started = status === "ended" ? "" : status.started;
  return { pid: process.pid, started, host: hostname(), machine: machineId(), since: now };
}

function isOwnerAlive(owner: LeaseOwner): boolean {
  if (owner.host !== hostname()) return true;
  const currentMachine = machineId();
  if (owner.machine !== currentMachine) return !isEarlierBoot(owner.machine, currentMachine);
  const status = readProcessStatus(owner.pid);
  if (status === "ended") return false;
  return status.started === owner.started || status.started === "" || owner.started === "";
}

// Another pid namespace of the same boot is a neighbouring container: its pids mean nothing here.
function isEarlierBoot(machine: string, currentMachine: string): boolean {
  const [boot, currentBoot] = [machine.split(" ")[0], currentMachine.split(" ")[0]];
  return Boolean(boot && currentBoot) && boot !== currentBoot;
}

function machineId(): string {
  if (process.platform !== "linux") return "";
  const boot = emptyOnError(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return `${boot} ${emptyOnError(() => readlinkSync("/proc/self/ns/pid"))}`;
}

/** What the system says of a pid; `started` is empty where it only says that the pid is in use. */
type ProcessStatus = "ended" | { readonly started: string };

function readProcessStatus(pid: number): ProcessStatus {
  const status =
    process.platform === "linux" ? readProcStatus(pid) : process.platform === "win32" ? null : readPsStatus(pid);
  // Nothing in /proc is no proof: with hidepid, other users' processes do not show there.
  return status ?? (canSignal(pid) ? { started: "" } : "ended");
}

function readProcStatus(pid: number): ProcessStatus | null {
  const text = emptyOnError(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field is the command's name in parentheses, which may itself hold spaces and parentheses.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const started = fields[18];
  if (!state || !started) return null;
  return /^[ZXx]/.test(state) ? "ended" : { started };
}

function readPsStatus(pid: number): ProcessStatus | null {
  // The time is shown in the viewer's zone and language; two viewers must see the same.
  // The one of the system: a folder of PATH may be the project's.
  const env = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
  const args = ["-o", "stat=", "-o", "lstart=", "-p", String(pid)];
  const line = emptyOnError(() =>
    execFileSync("ps", args, { env, encoding: "utf8", timeout: 5000, stdio: ["ignore", "pipe", "ignore"] }).trim(),
  );
  const [state, ...started] = line.split(/\s+/);
  if (!state || started.length === 0) return null;
  return state.startsWith("Z") ? "ended" : { started: started.join(" ") };
}

function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return diskErrorCode(error) !== "ESRCH";
  }
}

// Whatever the reason, an unanswered question leaves the owner alive or the next question to decide.
function emptyOnError(operation: () => string): string {
  try {
    return operation();
  } catch {
    return "";
  }
}
