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
import { isWithin } from "../../text.ts";
import { quoteWord } from "../shell.ts";

/** The programs that make a sandbox, as `detectSandbox` found them. */
export interface Bubblewrap {
  readonly path: string;
  /** The arguments that isolate a command, as far as this version of bubblewrap supports them. */
  readonly isolationArguments: readonly string[];
  /** The program that enters a network namespace; null where commands cannot have a network. */
  readonly nsenter: string | null;
}

export interface Mount {
  /** Where commands see it. Absolute, and through no link. */
  readonly path: string;
  /** Shown as it is, to be written or only to be read; or an empty folder, or a file that cannot be opened, in its place. */
  readonly access: "writable" | "readable" | "empty" | "closed";
  /** What is shown there, through no link; what lies at the path itself, unless said. */
  readonly source?: string;
}

function mountSource({ path, source = path }: Mount): string {
  return source;
}

/** The real path of what commands see at `randomPath`; null where an empty folder or nothing is in its place. */
export function realPathAt(path: string, mounts: readonly Mount[]): string | null {
  const enclosing = mounts.findLast((mount) => mount.path === path) ?? nearestEnclosing(path, mounts);
  if (enclosing === undefined) return path;
  if (enclosing.access === "empty" || enclosing.access === "closed") return null;
  return join(mountSource(enclosing), relative(enclosing.path, path));
}

/**
 * In the order in which they are made, with the folders on the way. Where a path is named twice, the later one counts; otherwise
 * the deeper one does. `others` are the mounts of commands that run at the same time: what one of them could replace while it is
 * mounted is left out, and nothing is lost by it, because that command could do to it whatever it liked.
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

/** The whole disk to be read, and `mounts` in it. In its `/proc` nothing can be written either: to root it would be the settings of the machine. */
export function mountArguments(mounts: readonly Mount[]): readonly string[] {
  const closed = mounts.filter((mount) => mount.access === "closed");
  const empty = mounts.filter((mount) => mount.access === "empty");
  return [
    ...["--ro-bind", "/", "/"],
    // A socket that went away meanwhile is missed here, where otherwise an empty file would be left in its place. Buried by the next line.
    ...closed.flatMap(({ path }) => ["--ro-bind", path, "/dev/null"]),
    ...["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
    ...mounts.flatMap(argumentsForMount),
    ...empty.flatMap(({ path }) => ["--remount-ro", path]),
  ];
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
 * A folder that is a mount cannot be renamed, but the folder above it can, and another one put in its place:
 * `mv .git away; mkdir .git` would be a way around all that protects `.git/config`. So each of them becomes a mount.
 */
function foldersToPin(mounts: readonly Mount[]): readonly string[] {
  const folders = mounts.flatMap(({ path }) => {
    const enclosing = nearestEnclosing(path, mounts);
    return enclosing?.access === "writable" ? foldersBetween(enclosing.path, path) : [];
  });
  return [...new Set(folders)];
}

/** Whether a command with these mounts could put something else in its place. */
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
 * Creates the mount points that lie in private folders. Bubblewrap would create them itself, and follow a link that a command left in
 * the way: so whatever is no folder there is moved aside first.
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

/** A command that runs now may exchange what lies in the folder: no step follows a link, and nothing is removed, only moved aside. */
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

/** For what is done in it by way of `/proc/self/fd`. Throws where a link or something else stands there. */
export function openFolderNoFollow(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
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

/** A command may have closed the folder, and every later command would fail. */
function restoreOwnerAccess(folder: number): void {
  const { mode } = fstatSync(folder);
  if ((mode & OWNER_ALL) !== OWNER_ALL) chmodSync(`/proc/self/fd/${folder}`, (mode & 0o7777) | OWNER_ALL);
}

function isFolderMount(mount: Mount): boolean {
  if (mount.access === "empty") return true;
  if (mount.access === "closed") return false;
  return lstatSync(mountSource(mount), { throwIfNoEntry: false })?.isDirectory() ?? true;
}

/** What is said instead of running the command. */
export const MOUNTS_MOVED = "what it may write was moved while it was made";

/**
 * Between the check and the mount another command could put a link there, to any folder of the machine. Words that start a program in a
 * sandbox whose mounts are those that were looked at; null where something has moved already.
 */
export function verifyMountsFirst(mounts: readonly Mount[], argv: readonly string[]): readonly string[] | null {
  const visibleMounts = mounts.filter(({ access }) => access === "writable" || access === "readable");
  const identities = visibleMounts.map((mount) => readFileIdentity(mountSource(mount)));
  if (identities.includes(null)) return null;
  const currentIdentities = `$(PATH=/usr/bin:/bin stat -c %d:%i -- ${visibleMounts.map(({ path }) => quoteWord(path)).join(" ")})`;
  const check = `[ "${currentIdentities}" = ${quoteWord(identities.join("\n"))} ] || { echo ${quoteWord(MOUNTS_MOVED)} >&2; exit 1; }; exec "$@"`;
  // Not bash, which would first run the file that BASH_ENV names.
  return ["/bin/sh", "-c", check, "sh", ...argv];
}

/** Opens what the path leads to without a right to use it; Node has no name for it. */
const O_PATH = 0o10000000;

/** Of what lies at exactly this path, through no link; null where there is nothing like that. */
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
    // Gone: the whole place is looked at again.
    return null;
  }
}
