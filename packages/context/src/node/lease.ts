/**
 * Grants one writer per file through numbered lease files, and checks whether the owner of a lease still runs. A lease is valid only after
 * its holder wrote its number and listed the folder again. An owner that cannot be checked counts as alive.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { isObject } from "../json.ts";
import { diskErrorCode, type FileStat, type Files } from "./files.ts";

export type LeaseResult =
  | { readonly type: "leased"; readonly lease: Lease }
  | { readonly type: "held"; readonly owner: LeaseOwner };

export interface Lease {
  /** The lease number; every new holder gets a higher one. */
  readonly token: number;
  /** Whether no other process has taken it over; one `stat` call. */
  isHeld(): boolean;
  release(): void;
}

export interface LeaseOptions {
  readonly files: Files;
  readonly processes: ProcessTable;
  readonly now: () => number;
  /** Creates names for new files; two processes must never get the same. */
  readonly nonce: () => string;
  /** Takes the lease even if its owner is alive. */
  readonly takeOver?: boolean;
}

/** Acquires the lease of the file at this path, or returns its owner. Never waits. */
export function acquireLease(path: string, options: LeaseOptions): LeaseResult {
  const target: LeaseTarget = { ...options, path };
  const holder = readLeaseState(target).liveOwner;
  if (holder && !options.takeOver) return { type: "held", owner: holder };
  const leaseFile = writeLeaseFile(target, JSON.stringify(options.processes.self(options.now())));
  try {
    return claimNextToken({ ...target, ownFile: leaseFile.path }, leaseFile);
  } finally {
    tryRemove(options.files, leaseFile.path);
  }
}

// One process wins each race, so losing this many in a row means that the disk does not work as specified.
const MAX_LEASE_ATTEMPTS = 50;
const RELEASE_MARKER = JSON.stringify({ released: true });
// Far more than an owner needs; a longer file is not a lease file of ours.
const MAX_OWNER_BYTES = 4096;

interface LeaseTarget extends LeaseOptions {
  readonly path: string;
  /** The path of our own new lease file, which needs no check for a dead owner. */
  readonly ownFile?: string;
}

/** A complete file that is then linked to a number, so that no number ever exists without its owner. */
interface LeaseFile {
  readonly path: string;
  readonly identity: string;
}

function claimNextToken(target: LeaseTarget, leaseFile: LeaseFile): LeaseResult {
  for (let attempt = 0; attempt < MAX_LEASE_ATTEMPTS; attempt += 1) {
    const state = readLeaseState(target);
    if (state.liveOwner && !target.takeOver) return { type: "held", owner: state.liveOwner };
    const lease = claimToken(target, leaseFile, (state.tokens.at(-1) ?? 0) + 1);
    if (lease) return { type: "leased", lease };
  }
  const { liveOwner } = readLeaseState(target);
  if (liveOwner) return { type: "held", owner: liveOwner };
  throw new Error(
    `the lease on ${target.path} could not be acquired in ${MAX_LEASE_ATTEMPTS} attempts, but no process holds it`,
  );
}

function claimToken(target: LeaseTarget, leaseFile: LeaseFile, token: number): Lease | null {
  const { files } = target;
  const path = leaseFilePath(target, token);
  if (!tryLink(files, leaseFile.path, path)) return null;
  let isClaimed = false;
  try {
    const otherLeases = readLeaseState(target, token);
    if (canKeepClaim(target, otherLeases, token)) {
      // In ascending order: if a removal fails, the highest number remains and the count does not restart.
      for (const otherToken of otherLeases.tokens) removeIfExists(files, leaseFilePath(target, otherToken));
      isClaimed = true;
    }
  } finally {
    if (!isClaimed) removeIfExists(files, path);
  }
  return isClaimed ? createLease(target, leaseFile.identity, token) : null;
}

// A folder listing that runs while other processes add and remove files may miss both an old and a new number. But it
// contains every number that exists for its whole duration. So if two processes both write their number before they list,
// the later one sees the earlier. And if the number before ours is gone, some process has already held a higher one.
function canKeepClaim(target: LeaseTarget, otherLeases: LeaseState, token: number): boolean {
  const highestToken = otherLeases.tokens.at(-1) ?? 0;
  return target.takeOver ? highestToken < token : highestToken === token - 1 && !otherLeases.liveOwner;
}

function createLease(target: LeaseTarget, identity: string, token: number): Lease {
  const { files } = target;
  const path = leaseFilePath(target, token);
  // The name alone is not enough: after a third process has taken over, a slow one may link the same name again for a
  // moment. Its file was written before it listed the folder, so it existed beside ours and cannot have the same identity.
  const isHeld = () => fileStamp(files.stat(path)) === identity;
  const release = () => {
    if (!isHeld()) return;
    // The next number stays as a marker. Without it the count would restart, and a slow process that listed the folder
    // before could create the same number as a later holder, or take itself for the first.
    try {
      const marker = writeLeaseFile(target, RELEASE_MARKER);
      try {
        tryLink(files, marker.path, leaseFilePath(target, token + 1));
      } finally {
        tryRemove(files, marker.path);
      }
    } catch (error) {
      // The disk is full or no descriptor is left: empty our own file and keep it as the marker, which needs neither.
      if (diskErrorCode(error) === "") throw error;
      truncateToEmpty(files, path);
      return;
    }
    removeIfExists(files, path);
  };
  return { token, isHeld, release };
}

interface LeaseState {
  /** In ascending order. */
  readonly tokens: readonly number[];
  /** The live owner with the highest number. */
  readonly liveOwner: LeaseOwner | null;
}

function readLeaseState(target: LeaseTarget, exceptToken?: number): LeaseState {
  const prefix = leaseFilePath(target, "");
  const suffixes = target.files
    .list(dirname(target.path))
    .filter((name) => name.startsWith(basename(prefix)))
    .map((name) => name.slice(basename(prefix).length));
  for (const suffix of suffixes)
    if (suffix.endsWith(".new") && `${prefix}${suffix}` !== target.ownFile)
      removeIfOwnerDead(target, `${prefix}${suffix}`);
  const tokens = suffixes
    .filter((suffix) => /^[1-9]\d{0,14}$/.test(suffix))
    .map(Number)
    .filter((token) => token !== exceptToken)
    .sort((one, other) => one - other);
  const owners = tokens.map((token) => readOwner(target.files, leaseFilePath(target, token)));
  return { tokens, liveOwner: owners.findLast((owner) => owner !== null && target.processes.isAlive(owner)) ?? null };
}

function leaseFilePath({ path }: LeaseTarget, token: number | ""): string {
  return `${path}.lease.${token}`;
}

/** Null for a lease file that was released, torn or removed meanwhile. */
function readOwner(files: Files, path: string): LeaseOwner | null {
  try {
    const file = files.open(path, "read");
    try {
      const bytes = new Uint8Array(MAX_OWNER_BYTES);
      return parseOwner(new TextDecoder().decode(bytes.subarray(0, file.read(bytes, 0))));
    } finally {
      file.close();
    }
  } catch (error) {
    if (diskErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

// Not synced: no process survives a power cut, so its lease need not.
function writeLeaseFile(target: LeaseTarget, line: string): LeaseFile {
  const path = `${target.path}.lease.${target.nonce()}.new`;
  const file = target.files.create(path);
  try {
    const bytes = new TextEncoder().encode(`${line}\n`);
    // A truncated owner would be read as no owner, and a second writer would get the lease.
    if (file.append(bytes) < bytes.length)
      throw Object.assign(new Error(`ENOSPC: ${path} was cut short`), { code: "ENOSPC" });
    return { path, identity: fileStamp(file.stat()) };
  } catch (error) {
    tryRemove(target.files, path);
    throw error;
  } finally {
    file.close();
  }
}

function tryLink(files: Files, from: string, to: string): boolean {
  try {
    files.link(from, to);
    return true;
  } catch (error) {
    if (diskErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}

// The system reuses inode numbers, so the stamp includes the time: a folder that was cleared by hand and filled again
// must not look like the old one.
function fileStamp(stat: FileStat | null): string {
  return stat === null ? "" : `${stat.identity} ${stat.modified}`;
}

function truncateToEmpty(files: Files, path: string): void {
  const file = files.open(path, "append");
  try {
    file.truncate(0);
  } finally {
    file.close();
  }
}

function removeIfExists(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    if (diskErrorCode(error) !== "ENOENT") throw error;
  }
}

/** Removes a complete file of a dead owner only: an empty file may belong to a process that is still writing it. */
function removeIfOwnerDead({ files, processes }: LeaseTarget, path: string): void {
  const owner = readOwner(files, path);
  if (owner && !processes.isAlive(owner)) tryRemove(files, path);
}

function tryRemove(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    // A leftover file is harmless; it must not cost a lease that was just acquired.
    if (diskErrorCode(error) === "") throw error;
  }
}

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
