/** Orders the mounts of a sandbox, turns them into bubblewrap arguments and verifies them. */

import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../text.ts";

export interface Mount {
  /** Absolute, and through no link. */
  readonly path: string;
  /** Shown as it is, to be written or only to be read; or an empty folder, or a file that cannot be opened, in its place. */
  readonly as: "writable" | "readable" | "empty" | "closed";
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
  return [...kept, ...pins.map((path): Mount => ({ path, as: "writable" }))].toSorted(
    (one, other) => depth(one) - depth(other),
  );
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

function argumentsOf({ path, as }: Mount): readonly string[] {
  switch (as) {
    case "writable":
      return ["--bind", path, path];
    case "readable":
      return ["--ro-bind", path, path];
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

/** What is said instead of running the command. */
export const MOVED = "what it may write was moved while it was made";

/**
 * Between the check and the mount another command could put a link there, to any folder of the machine. Words that start a program in a
 * sandbox whose mounts are those that were looked at; null where something has moved already.
 */
export function samePlaceFirst(mounts: readonly Mount[], words: readonly string[]): readonly string[] | null {
  const shown = mounts.filter(({ as }) => as === "writable" || as === "readable");
  const identities = shown.map(({ path }) => identityOf(path));
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
