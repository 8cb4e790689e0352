/** Grants one writer per file through numbered lease files. A lease counts only after its holder put its number down and looked again. */

import { basename, dirname } from "node:path";
import { diskErrorCode, type FileStat, type Files } from "./files.ts";
import { type LeaseOwner, type ProcessTable, parseOwner } from "./process-owner.ts";

export type LeaseResult =
  | { readonly type: "leased"; readonly lease: Lease }
  | { readonly type: "held"; readonly owner: LeaseOwner };

export interface Lease {
  /** Grows with every holder. */
  readonly token: number;
  /** Whether nobody has taken it over; one look at the disk. */
  isHeld(): boolean;
  release(): void;
}

export interface LeaseOptions {
  readonly files: Files;
  readonly processes: ProcessTable;
  readonly now: () => number;
  /** Makes the names of new files; two processes must never get the same. */
  readonly nonce: () => string;
  /** Take it although its owner lives. */
  readonly takeOver?: boolean;
}

/** Never waits: the lease of the file at this path, or who has it. */
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

// Others may win each single race, but somebody wins it: to lose this many in a row, the disk must be lying.
const MAX_LEASE_ATTEMPTS = 50;
const RELEASE_MARKER = JSON.stringify({ released: true });
// Far more than an owner takes; what is longer is not ours.
const MAX_OWNER_BYTES = 4096;

interface LeaseTarget extends LeaseOptions {
  readonly path: string;
  /** Our own offer: nobody needs to look whether we live. */
  readonly ownFile?: string;
}

/** A file with its content, ready to be linked to a number, so that no number is ever seen without its owner. */
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
  throw new Error(`the lease of ${target.path} was lost to others ${MAX_LEASE_ATTEMPTS} times, but nobody has it`);
}

function claimToken(target: LeaseTarget, leaseFile: LeaseFile, token: number): Lease | null {
  const { files } = target;
  const path = leaseFilePath(target, token);
  if (!tryLink(files, leaseFile.path, path)) return null;
  let isClaimed = false;
  try {
    const otherLeases = readLeaseState(target, token);
    if (canKeepClaim(target, otherLeases, token)) {
      // Upwards, so that a failure on the way leaves the highest and the count does not start again.
      for (const otherToken of otherLeases.tokens) removeIfExists(files, leaseFilePath(target, otherToken));
      isClaimed = true;
    }
  } finally {
    if (!isClaimed) removeIfExists(files, path);
  }
  return isClaimed ? createLease(target, leaseFile.identity, token) : null;
}

// A listing that runs while others add and remove may show neither the old nor the new number. But a number that is
// there all the while is in it. So of two who both put theirs down before they looked, the later one sees the earlier;
// and if the number before mine is gone, somebody has already held a higher one, seen or not.
function canKeepClaim(target: LeaseTarget, otherLeases: LeaseState, token: number): boolean {
  const highestToken = otherLeases.tokens.at(-1) ?? 0;
  return target.takeOver ? highestToken < token : highestToken === token - 1 && !otherLeases.liveOwner;
}

function createLease(target: LeaseTarget, identity: string, token: number): Lease {
  const { files } = target;
  const path = leaseFilePath(target, token);
  // Not by the name alone: a slow taker may link it again, for a moment, after a third one has taken over. Its file
  // was written before it looked, so it existed beside ours and cannot have inherited our file's identity.
  const isHeld = () => fileStamp(files.stat(path)) === identity;
  const release = () => {
    if (!isHeld()) return;
    // The next number stays behind as a mark. Without it the count would start again, and a slow taker that looked
    // before could create a number that a later holder has too, or believe itself the first.
    try {
      const marker = writeLeaseFile(target, RELEASE_MARKER);
      try {
        tryLink(files, marker.path, leaseFilePath(target, token + 1));
      } finally {
        tryRemove(files, marker.path);
      }
    } catch (error) {
      // No room for a mark, no descriptor left: then our own file stays as one, emptied. That needs neither.
      if (diskErrorCode(error) === "") throw error;
      truncateToEmpty(files, path);
      return;
    }
    removeIfExists(files, path);
  };
  return { token, isHeld, release };
}

interface LeaseState {
  /** Upwards. */
  readonly tokens: readonly number[];
  /** The living owner with the highest number. */
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

/** Null for what was released, torn or removed meanwhile: nobody is behind it. */
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

// Nothing is synced: a lease need not survive a power cut, for no process does.
function writeLeaseFile(target: LeaseTarget, line: string): LeaseFile {
  const path = `${target.path}.lease.${target.nonce()}.new`;
  const file = target.files.create(path);
  try {
    const bytes = new TextEncoder().encode(`${line}\n`);
    // Half an owner would read as a dead one's, and a second writer would come in.
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

// The number of a file is given to another as soon as it is free, so the time belongs to it: a folder that was cleared by hand
// and filled again must not look like the old one.
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

/** Only what a dead owner wrote to the end: one still empty may belong to somebody who is just writing. */
function removeIfOwnerDead({ files, processes }: LeaseTarget, path: string): void {
  const owner = readOwner(files, path);
  if (owner && !processes.isAlive(owner)) tryRemove(files, path);
}

function tryRemove(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    // A file that nobody looks for is litter, no reason to lose a lease that was just won.
    if (diskErrorCode(error) === "") throw error;
  }
}
