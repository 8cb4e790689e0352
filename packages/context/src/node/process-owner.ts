/** Describes the process that holds a lease and checks whether it still runs. An owner that cannot be checked counts as alive. */

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { diskError } from "./files.ts";

export interface Owner {
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
export interface Processes {
  self(now: number): Owner;
  /** False only when it is certain that the owner has ended. */
  isAlive(owner: Owner): boolean;
}

export const realProcesses: Processes = { self, isAlive };

/** The owner that a text tells of; null if it tells of none. */
export function ownerFrom(text: string): Owner | null {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== "object" || value === null) return false;
  const { pid, started, host, machine, since } = value as Partial<Record<keyof Owner, unknown>>;
  const words = [started, host, machine].every((word) => typeof word === "string");
  return words && typeof since === "number" && Number.isSafeInteger(pid) && Number(pid) > 0;
}

function self(now: number): Owner {
  const seen = sighting(process.pid);
  const started = seen === "ended" ? "" : seen.started;
  return { pid: process.pid, started, host: hostname(), machine: machine(), since: now };
}

function isAlive(owner: Owner): boolean {
  if (owner.host !== hostname()) return true;
  const here = machine();
  if (owner.machine !== here) return !isEarlierBoot(owner.machine, here);
  const seen = sighting(owner.pid);
  if (seen === "ended") return false;
  return seen.started === owner.started || seen.started === "" || owner.started === "";
}

// Another pid namespace of the same boot is a neighbouring container: its pids mean nothing here.
function isEarlierBoot(machine: string, here: string): boolean {
  const [boot, bootHere] = [machine.split(" ")[0], here.split(" ")[0]];
  return Boolean(boot && bootHere) && boot !== bootHere;
}

function machine(): string {
  if (process.platform !== "linux") return "";
  const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return `${boot} ${orEmpty(() => readlinkSync("/proc/self/ns/pid"))}`;
}

/** What the system says of a pid; `started` is empty where it only says that the pid is in use. */
type Sighting = "ended" | { readonly started: string };

function sighting(pid: number): Sighting {
  const seen = process.platform === "linux" ? fromProc(pid) : process.platform === "win32" ? null : fromPs(pid);
  // Nothing in /proc is no proof: with hidepid, other users' processes do not show there.
  return seen ?? (takesSignals(pid) ? { started: "" } : "ended");
}

function fromProc(pid: number): Sighting | null {
  const text = orEmpty(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field is the command's name in parentheses, which may itself hold spaces and parentheses.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const started = fields[18];
  if (!state || !started) return null;
  return /^[ZXx]/.test(state) ? "ended" : { started };
}

function fromPs(pid: number): Sighting | null {
  // The time is shown in the viewer's zone and language; two viewers must see the same.
  // The one of the system: a folder of PATH may be the project's.
  const env = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
  const ask = ["-o", "stat=", "-o", "lstart=", "-p", String(pid)];
  const line = orEmpty(() =>
    execFileSync("ps", ask, { env, encoding: "utf8", timeout: 5000, stdio: ["ignore", "pipe", "ignore"] }).trim(),
  );
  const [state, ...started] = line.split(/\s+/);
  if (!state || started.length === 0) return null;
  return state.startsWith("Z") ? "ended" : { started: started.join(" ") };
}

function takesSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return diskError(error) !== "ESRCH";
  }
}

// Whatever the reason, an unanswered question leaves the owner alive or the next question to decide.
function orEmpty(ask: () => string): string {
  try {
    return ask();
  } catch {
    return "";
  }
}
