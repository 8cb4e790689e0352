/** Describes the process that holds a lease, and checks whether it still runs. An owner that cannot be checked counts as alive. */

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isObject } from "../json.ts";
import { diskErrorCode } from "./files.ts";

/** The process that holds a lease, as written into the lease file. */
export interface LeaseOwner {
  readonly pid: number;
  /** The start time in the system's own unit, which tells the process from a later one with the same pid; empty if unknown. */
  readonly started: string;
  readonly host: string;
  /** Boot id and pid namespace; empty if the system has neither. */
  readonly machine: string;
  /** When the lease was taken, in milliseconds since 1970; for display only. */
  readonly since: number;
}

/** The processes of this machine, as a port that tests replace. */
export interface ProcessTable {
  self(now: number): LeaseOwner;
  /** False only if the owner has certainly ended. */
  isAlive(owner: LeaseOwner): boolean;
}

export const realProcessTable: ProcessTable = { self: currentOwner, isAlive: isOwnerAlive };

/** Parses the content of a lease file; null if it names no owner. */
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
  if (!isObject(value)) return false;
  const { pid, started, host, machine, since } = value;
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

// A different pid namespace of the same boot is another container, whose pids cannot be checked here.
function isEarlierBoot(machine: string, currentMachine: string): boolean {
  const [boot, currentBoot] = [machine.split(" ")[0], currentMachine.split(" ")[0]];
  return Boolean(boot && currentBoot) && boot !== currentBoot;
}

function machineId(): string {
  if (process.platform !== "linux") return "";
  const boot = emptyOnError(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return `${boot} ${emptyOnError(() => readlinkSync("/proc/self/ns/pid"))}`;
}

/** The state of a pid; `started` is empty if the system only says that the pid is in use. */
type ProcessStatus = "ended" | { readonly started: string };

function readProcessStatus(pid: number): ProcessStatus {
  const status =
    process.platform === "linux" ? readProcStatus(pid) : process.platform === "win32" ? null : readPsStatus(pid);
  // A missing /proc entry proves nothing: with hidepid, processes of other users are not listed.
  return status ?? (canSignal(pid) ? { started: "" } : "ended");
}

function readProcStatus(pid: number): ProcessStatus | null {
  const text = emptyOnError(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field is the command name in parentheses, which may contain spaces and parentheses itself.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const started = fields[18];
  if (!state || !started) return null;
  return /^[ZXx]/.test(state) ? "ended" : { started };
}

function readPsStatus(pid: number): ProcessStatus | null {
  // A fixed time zone and language, so that two processes read the same start time. A fixed PATH, so that a project cannot supply `ps`.
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

// The reason does not matter: without this value, a later check decides or the owner counts as alive.
function emptyOnError(operation: () => string): string {
  try {
    return operation();
  } catch {
    return "";
  }
}
