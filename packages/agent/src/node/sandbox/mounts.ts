/** What a command sees at which path, as data, and as arguments of bubblewrap. */

import { dirname } from "node:path";
import { isWithin } from "./real-path.ts";

export interface Mount {
  /** Absolute, and through no link. */
  readonly path: string;
  /** Shown as it is, to be written or only to be read; or an empty folder, or a file that cannot be opened, in its place. */
  readonly as: "writable" | "readable" | "empty" | "closed";
}

/** Where a path is named twice, the later one counts; otherwise the deeper one does. */
export function mountArguments(mounts: readonly Mount[]): readonly string[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  const chosen = pinned([...byPath.values()]).toSorted((one, other) => depth(one) - depth(other));
  const empty = chosen.filter((mount) => mount.as === "empty");
  return [...chosen.flatMap(argumentsOf), ...empty.flatMap(({ path }) => ["--remount-ro", path])];
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
      // First itself: a socket that went away meanwhile is then missed, where otherwise an empty file would be left in its place.
      return ["--bind", path, path, "--ro-bind", "/dev/null", path];
  }
}

/**
 * A folder that is a mount cannot be renamed, but the folder above it can, and another one put in its place:
 * `mv .git away; mkdir .git` would be a way around all that protects `.git/config`. So each of them becomes a mount.
 */
function pinned(mounts: readonly Mount[]): readonly Mount[] {
  const pins = mounts.flatMap(({ path }) => {
    const around = nearestAround(path, mounts);
    return around?.as === "writable" ? foldersBetween(around.path, path) : [];
  });
  return [...mounts, ...[...new Set(pins)].map((path): Mount => ({ path, as: "writable" }))];
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
