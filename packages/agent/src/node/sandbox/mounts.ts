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

export interface Mount {
  /** Where commands see it. Absolute, and through no link. */
  readonly path: string;
  /** Shown as it is, to be written or only to be read; or an empty folder, or a file that cannot be opened, in its place. */
  readonly as: "writable" | "readable" | "empty" | "closed";
  /** What is shown there, through no link; what lies at the path itself, unless said. */
  readonly source?: string;
}

function sourceOf({ path, source = path }: Mount): string {
  return source;
}

/** The real path of what commands see at `path`; null where an empty folder or nothing is in its place. */
export function realPathBehind(path: string, mounts: readonly Mount[]): string | null {
  const around = mounts.findLast((mount) => mount.path === path) ?? nearestAround(path, mounts);
  if (around === undefined) return path;
  if (around.as === "empty" || around.as === "closed") return null;
  return join(sourceOf(around), relative(around.path, path));
}

/**
 * In the order in which they are made, with the folders on the way. Where a path is named twice, the later one counts; otherwise
 * the deeper one does. `others` are the mounts of commands that run at the same time: what one of them could replace while it is
 * mounted is left out, and nothing is lost by it, because that command could do to it whatever it liked.
 */
export function arranged(mounts: readonly Mount[], others: readonly (readonly Mount[])[] = []): readonly Mount[] {
  const isFirm = (path: string): boolean => !others.some((other) => isLoose(path, other));
  const byPath = [...new Map(mounts.map((mount) => [mount.path, mount])).values()];
  const kept = byPath.filter(({ path, as }) => as === "closed" || isFirm(path));
  const pins = foldersOnTheWay(kept).filter(isFirm);
  return [...kept, ...pins.map((path) => pin(path, kept))].toSorted((one, other) => depth(one) - depth(other));
}

function pin(path: string, mounts: readonly Mount[]): Mount {
  const source = realPathBehind(path, mounts) ?? path;
  return { path, as: "writable", ...(source !== path && { source }) };
}

/** The whole disk to be read, and `mounts` in it. In its `/proc` nothing can be written either: to root it would be the settings of the machine. */
export function diskArguments(mounts: readonly Mount[]): readonly string[] {
  const closed = mounts.filter((mount) => mount.as === "closed");
  const empty = mounts.filter((mount) => mount.as === "empty");
  return [
    ...["--ro-bind", "/", "/"],
    // A socket that went away meanwhile is missed here, where otherwise an empty file would be left in its place. Buried by the next line.
    ...closed.flatMap(({ path }) => ["--ro-bind", path, "/dev/null"]),
    ...["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
    ...mounts.flatMap(argumentsOf),
    ...empty.flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

function argumentsOf(mount: Mount): readonly string[] {
  const { path, as } = mount;
  switch (as) {
    case "writable":
      return ["--bind", sourceOf(mount), path];
    case "readable":
      return ["--ro-bind", sourceOf(mount), path];
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
function foldersOnTheWay(mounts: readonly Mount[]): readonly string[] {
  const folders = mounts.flatMap(({ path }) => {
    const around = nearestAround(path, mounts);
    return around?.as === "writable" ? foldersBetween(around.path, path) : [];
  });
  return [...new Set(folders)];
}

/** Whether a command with these mounts could put something else in its place. */
function isLoose(path: string, mounts: readonly Mount[]): boolean {
  const isHeld = mounts.some((mount) => mount.path === path);
  return !isHeld && nearestAround(path, mounts)?.as === "writable";
}

function nearestAround(path: string, mounts: readonly Mount[]): Mount | undefined {
  const around = mounts.filter((mount) => mount.path !== path && isWithin(mount.path, path));
  return around.toSorted((one, other) => depth(other) - depth(one))[0];
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
export function makeMountPoints(mounts: readonly Mount[]): void {
  const bases = mounts.filter((mount) => mount.as === "writable" && sourceOf(mount) !== mount.path);
  for (const base of bases) if (existsSync(sourceOf(base))) openFolderToOwner(sourceOf(base));
  for (const mount of mounts) {
    const base = bases.find(({ source = "" }) => source !== mount.source && isWithin(source, sourceOf(mount)));
    if (base) makeMountPoint(sourceOf(base), relative(sourceOf(base), sourceOf(mount)).split("/"), true);
    const around = nearestAround(mount.path, mounts);
    if (around?.as !== "writable" || sourceOf(around) === around.path) continue;
    makeMountPoint(sourceOf(around), relative(around.path, mount.path).split("/"), isFolderMount(mount));
  }
}

/** A command that runs now may exchange what lies in the folder: no step follows a link, and nothing is removed, only moved aside. */
function makeMountPoint(base: string, names: readonly string[], isFolder: boolean): void {
  let folder = openFolderAt(base);
  try {
    for (const [index, name] of names.entries()) {
      openToOwner(folder);
      const path = `/proc/self/fd/${folder}/${name}`;
      const isLast = index === names.length - 1;
      const wantsFolder = isFolder || !isLast;
      const entry = lstatSync(path, { throwIfNoEntry: false });
      const fits = entry && (wantsFolder ? entry.isDirectory() : entry.isFile());
      if (entry && !fits) renameSync(path, `/proc/self/fd/${folder}/.replaced-${randomBytes(6).toString("hex")}`);
      if (!fits && wantsFolder) mkdirSync(path, { mode: 0o700 });
      if (!fits && !wantsFolder) writeFileSync(path, "", { flag: "wx" });
      if (isLast) return;
      const next = openFolderAt(path);
      closeSync(folder);
      folder = next;
    }
  } finally {
    closeSync(folder);
  }
}

/** For what is done in it by way of `/proc/self/fd`. Throws where a link or something else stands there. */
export function openFolderAt(path: string): number {
  return openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

function openFolderToOwner(path: string): void {
  const folder = openFolderAt(path);
  try {
    openToOwner(folder);
  } finally {
    closeSync(folder);
  }
}

const OWNER_ALL = 0o700;

/** A command may have closed the folder, and every later command would fail. */
function openToOwner(folder: number): void {
  const { mode } = fstatSync(folder);
  if ((mode & OWNER_ALL) !== OWNER_ALL) chmodSync(`/proc/self/fd/${folder}`, (mode & 0o7777) | OWNER_ALL);
}

function isFolderMount(mount: Mount): boolean {
  if (mount.as === "empty") return true;
  if (mount.as === "closed") return false;
  return lstatSync(sourceOf(mount), { throwIfNoEntry: false })?.isDirectory() ?? true;
}

/** What is said instead of running the command. */
export const MOVED = "what it may write was moved while it was made";

/**
 * Between the check and the mount another command could put a link there, to any folder of the machine. Words that start a program in a
 * sandbox whose mounts are those that were looked at; null where something has moved already.
 */
export function samePlaceFirst(mounts: readonly Mount[], words: readonly string[]): readonly string[] | null {
  const shown = mounts.filter(({ as }) => as === "writable" || as === "readable");
  const identities = shown.map((mount) => identityOf(sourceOf(mount)));
  if (identities.includes(null)) return null;
  const seen = `$(PATH=/usr/bin:/bin stat -c %d:%i -- ${shown.map(({ path }) => quoted(path)).join(" ")})`;
  const check = `[ "${seen}" = ${quoted(identities.join("\n"))} ] || { echo ${quoted(MOVED)} >&2; exit 1; }; exec "$@"`;
  // Not bash, which would first run the file that BASH_ENV names.
  return ["/bin/sh", "-c", check, "sh", ...words];
}

/** Opens what the path leads to without a right to use it; Node has no name for it. */
const O_PATH = 0o10000000;

/** Of what lies at exactly this path, through no link; null where there is nothing like that. */
function identityOf(path: string): string | null {
  try {
    const file = openSync(path, O_PATH | constants.O_NOFOLLOW);
    try {
      const entry = fstatSync(file, { bigint: true });
      const isHere = !entry.isSymbolicLink() && readlinkSync(`/proc/self/fd/${file}`) === path;
      return isHere ? `${entry.dev}:${entry.ino}` : null;
    } finally {
      closeSync(file);
    }
  } catch {
    // Gone: the whole place is looked at again.
    return null;
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
