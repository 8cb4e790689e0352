/** Says what a sandbox does to a path of a command, by the mounts of that command. Never looks whether a hidden path exists. */

import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import type { FindPathRestriction, PathRestriction, PathUse } from "../../ports.ts";
import { isWithin } from "../../text.ts";
import type { Mount } from "./mounts.ts";
import { resolveExistingPath, SOCKET_FOLDERS } from "./options.ts";

export interface SandboxView {
  /** All mounts of the command, without the ones that only pin a folder. */
  readonly mounts: readonly Mount[];
  /** Sockets of the machine among them. */
  readonly sockets: readonly string[];
  /** The workspace; a real path. */
  readonly root: string;
  readonly home: string;
  readonly mayWrite: boolean;
}

/** Folders that bubblewrap creates for each command. */
const OWN_FOLDERS: readonly string[] = ["/dev", "/proc"];

export function createRestrictionFinder(view: SandboxView): FindPathRestriction {
  return (text, use) => {
    const path = toAbsolute(text, view);
    const found = findRestriction(path, use, view);
    if (found !== null || OWN_FOLDERS.some((folder) => isWithin(folder, path))) return found;
    // A visible folder may be a link to a restricted one.
    const folder = resolveExistingPath(dirname(path));
    return folder === null || folder === dirname(path)
      ? null
      : findRestriction(join(folder, basename(path)), use, view);
  };
}

function toAbsolute(text: string, { root, home }: SandboxView): string {
  const path = text === "~" || text.startsWith("~/") ? join(home, text.slice(1)) : text;
  const full = normalize(isAbsolute(path) ? path : join(root, path));
  return full.length > 1 ? full.replace(/\/+$/, "") : full;
}

function findRestriction(path: string, use: PathUse, view: SandboxView): PathRestriction | null {
  if (OWN_FOLDERS.some((folder) => isWithin(folder, path))) return null;
  const enclosing = findEnclosing(path, view.mounts);
  switch (use) {
    case "write":
      if (enclosing === undefined) return { cause: "system", path };
      return enclosing.access === "writable" ? null : describeMount(enclosing, path, view);
    case "move": {
      const inside =
        view.mounts.findLast((mount) => mount.path === path) ?? view.mounts.find((mount) => isWithin(path, mount.path));
      if (inside === undefined || path === "/") return null;
      return inside.access === "writable" ? { cause: "folder-in-use", path } : describeMount(inside, path, view);
    }
    case "open":
      return enclosing?.access === "empty" || enclosing?.access === "closed"
        ? describeMount(enclosing, path, view)
        : null;
  }
}

/** The nearest one; of several at the same path the last. */
function findEnclosing(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts
    .filter((mount) => isWithin(mount.path, path))
    .reduce<Mount | undefined>(
      (nearest, mount) => (nearest === undefined || mount.path.length >= nearest.path.length ? mount : nearest),
      undefined,
    );
}

function describeMount(mount: Mount, path: string, { mounts, sockets, root, mayWrite }: SandboxView): PathRestriction {
  const isInWorkspace = isWithin(root, mount.path);
  if (sockets.includes(mount.path) || SOCKET_FOLDERS.includes(mount.path)) return { cause: "socket", path };
  if (mount.access === "closed") return { cause: "closed", path };
  if (!mayWrite && isInWorkspace) return { cause: "workspace", path: root };
  if (isInWorkspace) return { cause: "guarded", path: mount.path };
  if (mount.access === "empty") return { cause: "hidden", path };
  if (isWithin(mount.path, root)) return { cause: "repository", path: mount.path };
  const isInWritable = mounts.some(({ access, path: outer }) => access === "writable" && isWithin(outer, mount.path));
  return isInWritable && !isPrivate(mount, mounts) ? { cause: "guarded", path: mount.path } : { cause: "folder", path };
}

/** Whether a folder with a source of its own is around it: toolchains are visible in the private home. */
function isPrivate(mount: Mount, mounts: readonly Mount[]): boolean {
  const others = mounts.filter((each) => each.path !== mount.path);
  return findEnclosing(mount.path, others)?.source !== undefined;
}
