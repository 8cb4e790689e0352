/** Creates a cgroup for each command where this user may, so that the kernel itself limits the memory and the processes of a command. */

import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CommandLimits, formatMemoryProblem, hasProcessLimit, kernelProcessLimit, readText } from "./limits.ts";
import { readFolderNames } from "./options.ts";
import { readStartTime } from "./path-placeholders.ts";

const CGROUP_ROOT = "/sys/fs/cgroup";
const CONTROLLERS = ["memory", "pids"];

export interface CgroupSearch {
  /** The mounted hierarchy; version 2 only. */
  readonly root?: string;
  /** The content of `/proc/self/cgroup`. */
  readonly own?: string;
}

/**
 * The nearest cgroup around this process in which it may create one with both controllers; null if there is none. Systemd delegates such
 * cgroups to the programs of a desktop session; root has them outside of containers.
 */
export function findCgroupParent({
  root = CGROUP_ROOT,
  own = readText("/proc/self/cgroup"),
}: CgroupSearch = {}): string | null {
  const path = /^0::(\/.*)$/m.exec(own)?.[1];
  if (path === undefined || path.includes("..") || readText(join(root, "cgroup.controllers")) === "") return null;
  for (let folder = join(root, path); folder.length >= root.length; folder = dirname(folder))
    if (canCreateIn(folder)) return folder;
  return null;
}

/** What the kernel itself refuses; everything is checked while a command runs too. */
export interface KernelLimits {
  readonly memory: boolean;
  readonly processes: boolean;
}

export function findKernelLimits(): KernelLimits {
  const hasCgroup = findCgroupParent() !== null;
  return { memory: hasCgroup, processes: hasCgroup || hasProcessLimit() };
}

function canCreateIn(folder: string): boolean {
  const controllers = readText(join(folder, "cgroup.subtree_control")).trim().split(" ");
  return (
    CONTROLLERS.every((name) => controllers.includes(name)) &&
    [folder, join(folder, "cgroup.procs")].every((path) => isWritable(path))
  );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // The cgroup belongs to another user.
    return false;
  }
}

/** The cgroup of one command. */
export interface CommandCgroup {
  /** The start of a command line that joins the cgroup and then becomes the rest. */
  readonly prefix: readonly string[];
  /** Why the kernel killed the command, or null. */
  findProblem(): string | null;
  /** Removes it as soon as all its processes have ended. */
  remove(): Promise<void>;
}

/** A command that cannot join runs without the kernel's limits: it is checked while it runs anyway. */
const JOIN_SCRIPT = '{ echo 0 >"$0"; } 2>/dev/null; exec "$@"';

let createdCount = 0;

/** Null if it cannot be created. */
export function createCgroup(parent: string, limits: CommandLimits): CommandCgroup | null {
  createdCount += 1;
  const folder = join(parent, `pith-${process.pid}-${createdCount}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, "memory.max"), String(Math.ceil(limits.memoryBytes)));
    writeFileSync(join(folder, "pids.max"), String(kernelProcessLimit(limits)));
  } catch {
    void removeFolder(folder);
    return null;
  }
  // Missing in some kernels: then one process is killed, and the check finds the others.
  writeIfPossible(join(folder, "memory.oom.group"), "1");
  writeIfPossible(join(folder, "memory.swap.max"), "0");
  return {
    prefix: ["/bin/sh", "-c", JOIN_SCRIPT, join(folder, "cgroup.procs")],
    findProblem: () => {
      const kills = Number(/^oom_kill (\d+)/m.exec(readText(join(folder, "memory.events")))?.[1] ?? 0);
      return kills > 0 ? formatMemoryProblem(limits) : null;
    },
    remove: () => removeFolder(folder),
  };
}

const REMOVE_TRIES = 10;
const REMOVE_DELAY_MS = 50;

/** The kernel refuses while a process is ending. What remains is removed by a later session. */
async function removeFolder(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries += 1) {
    if (removeEmptyFolder(folder)) return;
    await sleep(REMOVE_DELAY_MS, undefined, { ref: false });
  }
}

function removeEmptyFolder(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Removes the cgroups of processes that were killed. */
export function removeStaleCgroups(parent: string): void {
  for (const name of readFolderNames(parent)) {
    const pid = /^pith-(\d+)-\d+$/.exec(name)?.[1];
    if (pid !== undefined && readStartTime(Number(pid)) === null) removeEmptyFolder(join(parent, name));
  }
}

function writeIfPossible(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // The kernel lacks it.
  }
}
