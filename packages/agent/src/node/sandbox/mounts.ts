/** Orders the mounts of a sandbox, turns them into bubblewrap arguments and verifies them. */

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWithin, quoteForShell } from "../../text.ts";

/** The programs that make a sandbox, as `detectSandbox` found them. */
export interface Bubblewrap {
  readonly path: string;
  /** The arguments that isolate a command, as far as this version of bubblewrap supports them. */
  readonly isolationArguments: readonly string[];
  /** The program that enters a network namespace; null where commands cannot have a network. */
  readonly nsenter: string | null;
}

export interface Mount {
  /** Where commands see it; a real path. */
  readonly path: string;
  /** `empty` is an empty folder in its place, `closed` a file that cannot be opened. */
  readonly access: "writable" | "readable" | "empty" | "closed";
  /** The real path that is mounted there; the path itself by default. */
  readonly source?: string;
}

function mountSource({ path, source = path }: Mount): string {
  return source;
}

/** The real path of what commands see at `path`; null where they see an empty folder or nothing. */
export function realPathAt(path: string, mounts: readonly Mount[]): string | null {
  const enclosing = mounts.findLast((mount) => mount.path === path) ?? nearestEnclosing(path, mounts);
  if (enclosing === undefined) return path;
  if (enclosing.access === "empty" || enclosing.access === "closed") return null;
  return join(mountSource(enclosing), relative(enclosing.path, path));
}

/**
 * Sorts mounts by depth and adds the parent folders that must be pinned. Where a path occurs twice, the later one counts. `others` are the
 * mounts of commands that run at the same time: a path that one of them could replace while it is mounted is left out. Nothing is lost,
 * because that command could change the path anyway.
 */
export function orderMounts(mounts: readonly Mount[], others: readonly (readonly Mount[])[] = []): readonly Mount[] {
  const isStable = (path: string): boolean => !others.some((other) => isReplaceable(path, other));
  const uniqueMounts = [...new Map(mounts.map((mount) => [mount.path, mount])).values()];
  const stableMounts = uniqueMounts.filter(({ path, access }) => access === "closed" || isStable(path));
  const pinnedFolders = foldersToPin(stableMounts).filter(isStable);
  return [...stableMounts, ...pinnedFolders.map((path) => pinFolder(path, stableMounts))].toSorted(
    (one, other) => depth(one) - depth(other),
  );
}

function pinFolder(path: string, mounts: readonly Mount[]): Mount {
  const source = realPathAt(path, mounts) ?? path;
  return { path, access: "writable", ...(source !== path && { source }) };
}

/** Mounts the whole disk read-only, then `mounts`. `/proc` is read-only too: root could change settings of the machine there. */
export function mountArguments(mounts: readonly Mount[]): readonly string[] {
  const sockets = mounts.filter(({ path, access }) => access === "closed" && isSocket(path));
  const empty = mounts.filter((mount) => mount.access === "empty");
  return [
    ...["--ro-bind", "/", "/"],
    // Fails here if a socket is gone, where otherwise bubblewrap would leave an empty file. The next line hides this mount.
    ...sockets.flatMap(({ path }) => ["--ro-bind", path, "/dev/null"]),
    ...["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
    ...mounts.flatMap(argumentsForMount),
    ...empty.flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? true;
}

function argumentsForMount(mount: Mount): readonly string[] {
  const { path, access } = mount;
  switch (access) {
    case "writable":
      return ["--bind", mountSource(mount), path];
    case "readable":
      return ["--ro-bind", mountSource(mount), path];
    case "empty":
      return ["--tmpfs", path];
    case "closed":
      return ["--ro-bind", "/dev/null", path];
  }
}

/**
 * A mounted folder cannot be renamed, but its parent can: `mv .git away; mkdir .git` would bypass the protection of `.git/config`. So each
 * folder between a writable mount and a mount in it becomes a mount too.
 */
function foldersToPin(mounts: readonly Mount[]): readonly string[] {
  const folders = mounts.flatMap(({ path }) => {
    const enclosing = nearestEnclosing(path, mounts);
    return enclosing?.access === "writable" ? foldersBetween(enclosing.path, path) : [];
  });
  return [...new Set(folders)];
}

/** Whether a command with these mounts could replace the path. */
function isReplaceable(path: string, mounts: readonly Mount[]): boolean {
  const isMounted = mounts.some((mount) => mount.path === path);
  return !isMounted && nearestEnclosing(path, mounts)?.access === "writable";
}

function nearestEnclosing(path: string, mounts: readonly Mount[]): Mount | undefined {
  const enclosing = mounts.filter((mount) => mount.path !== path && isWithin(mount.path, path));
  return enclosing.toSorted((one, other) => depth(other) - depth(one))[0];
}

function foldersBetween(outer: string, inner: string): readonly string[] {
  const between: string[] = [];
  for (let folder = dirname(inner); folder !== outer; folder = dirname(folder)) between.push(folder);
  return between;
}

function depth({ path }: Mount): number {
  return path === "/" ? 0 : path.split("/").length;
}

/**
 * Creates the mount points in private folders. Bubblewrap would create them itself, but would follow a link that a command left there, so
 * entries of the wrong kind are moved aside first.
 */
export function createMountPoints(mounts: readonly Mount[]): void {
  const bases = mounts.filter((mount) => mount.access === "writable" && mountSource(mount) !== mount.path);
  for (const base of bases) if (existsSync(mountSource(base))) restoreFolderAccess(mountSource(base));
  for (const mount of mounts) {
    const base = bases.find(({ source = "" }) => source !== mount.source && isWithin(source, mountSource(mount)));
    if (base) createMountPoint(mountSource(base), relative(mountSource(base), mountSource(mount)).split("/"), true);
    const enclosing = nearestEnclosing(mount.path, mounts);
    if (enclosing?.access !== "writable" || mountSource(enclosing) === enclosing.path) continue;
    createMountPoint(mountSource(enclosing), relative(enclosing.path, mount.path).split("/"), isFolderMount(mount));
  }
}

/** A running command may replace entries at any time: no step follows a link, and nothing is removed, only moved aside. */
function createMountPoint(base: string, names: readonly string[], isFolder: boolean): void {
  let folder = openFolderNoFollow(base);
  try {
    for (const [index, name] of names.entries()) {
      restoreOwnerAccess(folder);
      const path = `/proc/self/fd/${folder}/${name}`;
      const isLast = index === names.length - 1;
      const needsFolder = isFolder || !isLast;
      const entry = lstatSync(path, { throwIfNoEntry: false });
      const isRightKind = entry && (needsFolder ? entry.isDirectory() : entry.isFile());
      if (entry && !isRightKind)
        renameSync(path, `/proc/self/fd/${folder}/.replaced-${randomBytes(6).toString("hex")}`);
      if (!isRightKind && needsFolder) mkdirSync(path, { mode: 0o700 });
      if (!isRightKind && !needsFolder) writeFileSync(path, "", { flag: "wx" });
      if (isLast) return;
      const next = openFolderNoFollow(path);
      closeSync(folder);
      folder = next;
    }
  } finally {
    closeSync(folder);
  }
}

/** For operations through `/proc/self/fd`. Throws if the path is a link or not a folder. */
export function openFolderNoFollow(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** Passes a path to the open folder, which stays valid if the folder is renamed. Throws if the path has a link. */
export function inFolder<Result>(folder: string, operation: (openFolder: string) => Result): Result {
  const descriptor = openFolderNoFollow(folder);
  try {
    const openFolder = `/proc/self/fd/${descriptor}`;
    if (readlinkSync(openFolder) !== folder) throw new Error(`${folder} is reached through a symbolic link`);
    return operation(openFolder);
  } finally {
    closeSync(descriptor);
  }
}

function restoreFolderAccess(path: string): void {
  const folder = openFolderNoFollow(path);
  try {
    restoreOwnerAccess(folder);
  } finally {
    closeSync(folder);
  }
}

const OWNER_ALL = 0o700;

/** A command may have removed the owner's permissions, and every later command would fail. */
function restoreOwnerAccess(folder: number): void {
  const { mode } = fstatSync(folder);
  if ((mode & OWNER_ALL) !== OWNER_ALL) chmodSync(`/proc/self/fd/${folder}`, (mode & 0o7777) | OWNER_ALL);
}

function isFolderMount(mount: Mount): boolean {
  if (mount.access === "empty") return true;
  if (mount.access === "closed") return false;
  return lstatSync(mountSource(mount), { throwIfNoEntry: false })?.isDirectory() ?? true;
}

/** The error of a sandbox whose mounts changed before it started. */
export const MOUNTS_MOVED = "a workspace folder was moved while the sandbox was being created";

/**
 * Between the check and the mount another command could replace a path by a link to any folder of the machine. Returns a command line that
 * checks the mounts inside the sandbox before it starts the program; null where a path has changed already. The same shell runs `script`
 * first.
 */
export function verifyMountsFirst(
  mounts: readonly Mount[],
  argv: readonly string[],
  script = "",
): readonly string[] | null {
  const visibleMounts = mounts.filter(({ access }) => access === "writable" || access === "readable");
  const identities = visibleMounts.map((mount) => readFileIdentity(mountSource(mount)));
  if (identities.includes(null)) return null;
  const currentIdentities = `$(PATH=/usr/bin:/bin stat -c %d:%i -- ${visibleMounts.map(({ path }) => quoteForShell(path)).join(" ")})`;
  const check = `[ "${currentIdentities}" = ${quoteForShell(identities.join("\n"))} ] || { echo ${quoteForShell(MOUNTS_MOVED)} >&2; exit 1; }; exec "$@"`;
  // Not bash, which would first run the file in BASH_ENV.
  return ["/bin/sh", "-c", `${script}${check}`, "sh", ...argv];
}

/** Opens a path without access to its content; Node has no constant for it. */
const O_PATH = 0o10000000;

/** Device and inode of what lies at exactly this path; null if it is missing or reached by a link. */
function readFileIdentity(path: string): string | null {
  try {
    const file = openSync(path, O_PATH | constants.O_NOFOLLOW);
    try {
      const entry = fstatSync(file, { bigint: true });
      const isExactPath = !entry.isSymbolicLink() && readlinkSync(`/proc/self/fd/${file}`) === path;
      return isExactPath ? `${entry.dev}:${entry.ino}` : null;
    } finally {
      closeSync(file);
    }
  } catch {
    // Missing: the caller tries again.
    return null;
  }
}
