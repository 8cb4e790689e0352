/**
 * Finds the unix sockets of the machine, so that a sandbox can close those that commands would see. A connection needs only the path: neither
 * a network namespace nor a read-only mount stops it. The list may have too many paths, but must not miss one that a command could use.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { isWithin } from "../../text.ts";
import { type Mount, realPathAt } from "./mounts.ts";
import { resolveExistingPath } from "./options.ts";

export interface HostSocketSources {
  /** The list of sockets in the network namespace of this process. */
  readonly sockets?: string | undefined;
  /** The list of mounts in the mount namespace of this process. */
  readonly mounts?: string | undefined;
  /** The environment of the user, whose variables name sockets such as that of an agent. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface HostSockets {
  /** Real paths of sockets. */
  readonly sockets: readonly string[];
  /** Real paths of folders with sockets of another machine whose root is mounted here, as in some containers. */
  readonly folders: readonly string[];
}

/** Sockets of services that may run in another network namespace, and are not listed then. */
const KNOWN_SOCKETS: readonly string[] = [
  "/nix/var/nix/daemon-socket/socket",
  "/var/lib/incus/unix.socket",
  "/var/lib/lxd/unix.socket",
  "/var/snap/lxd/common/lxd/unix.socket",
];

const SOCKET_LIST = "/proc/net/unix";

/** The sockets that have a name, with their numbers; changes with each new one. Empty if they are not listed. */
export function readSocketList({ sockets = SOCKET_LIST }: Pick<HostSocketSources, "sockets">): string {
  const lines = (readText(sockets) ?? "").split("\n");
  // Accepted connections have the name of their server: only what is not connected counts.
  return lines.filter((line) => SOCKET_LINE.test(line) && !/^\S+ \S+ \S+ \S+ \S+ 03 /.test(line)).join("\n");
}

/** Null where the machine does not list its sockets: then commands must not have any. */
export function findHostSockets(sources: HostSocketSources): HostSockets | null {
  const listed = readText(sources.sockets ?? SOCKET_LIST);
  const mounted = readText(sources.mounts ?? "/proc/self/mountinfo");
  if (listed === null || mounted === null) return null;
  const diskMounts = parseMounts(mounted);
  const names = parseSocketNames(listed);
  const candidates = [
    ...names.filter((name) => name.startsWith("/")),
    ...resolveRelativeNames(names.filter((name) => !name.startsWith("/"))),
    ...namedByVariables(sources.environment),
    // A single socket of another machine is often mounted into a container.
    ...diskMounts.filter(({ root }) => root !== "/").map(({ path }) => path),
    ...KNOWN_SOCKETS,
  ];
  const paths = [...new Set(candidates)].flatMap(resolveSocket);
  const aliases = paths.flatMap((path) => findAliases(path, diskMounts)).filter(isSocket);
  return { sockets: [...new Set([...paths, ...aliases])], folders: findForeignFolders(diskMounts) };
}

/** Covers each socket that commands would see, at every path where they would see it. */
export function closeHostSockets(found: HostSockets, mounts: readonly Mount[]): readonly Mount[] {
  return [
    ...found.folders
      .flatMap((path) => findVisiblePaths(path, mounts))
      .map((path): Mount => ({ path, access: "empty" })),
    ...findVisibleSockets(found, mounts).map(({ path }): Mount => ({ path, access: "closed" })),
  ];
}

/** Each path at which commands would see a socket, with the real path of the socket. */
export function findVisibleSockets(
  { sockets, folders }: HostSockets,
  mounts: readonly Mount[],
): readonly { readonly path: string; readonly real: string }[] {
  return sockets
    .filter((real) => !folders.some((folder) => isWithin(folder, real)))
    .flatMap((real) => findVisiblePaths(real, mounts).map((path) => ({ path, real })));
}

/** The paths at which commands see a real path: its own, and those where a folder around it is mounted. */
function findVisiblePaths(real: string, mounts: readonly Mount[]): readonly string[] {
  const moved = mounts.flatMap(({ path, source }) =>
    source !== undefined && isWithin(source, real) ? [join(path, relative(source, real))] : [],
  );
  return [...new Set([real, ...moved])].filter((path) => realPathAt(path, mounts) === real);
}

/** The names of bound sockets, as their programs gave them. A name that starts with `@` has no file. */
function parseSocketNames(text: string): readonly string[] {
  const names = text.split("\n").flatMap((line) => SOCKET_LINE.exec(line)?.[1] ?? []);
  return [...new Set(names)].filter((name) => !name.startsWith("@"));
}

/** Six fields, the inode and the name. */
const SOCKET_LINE = /^[0-9a-f]+:(?: +[0-9a-f]+){5} +\d+ (.+)$/i;

/** A program may have bound a name in its working folder. */
function resolveRelativeNames(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const folders = new Set(listProcesses().flatMap(readWorkingFolder));
  return [...folders].flatMap((folder) => names.map((name) => join(folder, name)));
}

function listProcesses(): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

/** Empty for processes of other users. */
function readWorkingFolder(pid: string): readonly string[] {
  try {
    return [readlinkSync(`/proc/${pid}/cwd`)];
  } catch {
    return [];
  }
}

/** Such as SSH_AUTH_SOCK=/path, DOCKER_HOST=unix:///path and DBUS_SESSION_BUS_ADDRESS=unix:path=/path,guid=1. */
function namedByVariables(environment: HostSocketSources["environment"]): readonly string[] {
  const values = Object.values(environment).map((value = "") => value.replace(/^unix:(?:path=|\/\/)?/, ""));
  return values.filter((value) => value.startsWith("/")).flatMap((value) => [value, value.replace(/[,;:].*$/s, "")]);
}

function resolveSocket(path: string): readonly string[] {
  const real = resolveExistingPath(path);
  return real !== null && isSocket(real) ? [real] : [];
}

function isSocket(path: string): boolean {
  return readStats(path)?.isSocket() ?? false;
}

/** Null where this user may not look: then a command may not either. */
function readStats(path: string): Stats | null {
  try {
    // Most paths are missing, and an exception costs ten times as much.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

interface DiskMount {
  /** The numbers of the file system. */
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly root: string;
  readonly path: string;
}

/** Without file systems of other machines: they have none of this machine's sockets, and one that does not answer would block Pith. */
function parseMounts(text: string): readonly DiskMount[] {
  return text.split("\n").flatMap((line) => {
    const [fields = "", source = ""] = line.split(" - ");
    const [, , device, root, path] = fields.split(" ");
    if (!device || !root || !path || NETWORK_SYSTEM.test(source)) return [];
    return [{ device, root: decodeEscapes(root), path: decodeEscapes(path) }];
  });
}

const NETWORK_SYSTEM = /^(?:nfs|cifs|smb|afs|ceph|autofs|fuse|9p)/;

/** Spaces, tabs, line breaks and backslashes are octal numbers. */
function decodeEscapes(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Paths of the same file where its file system is mounted a second time. */
function findAliases(path: string, mounts: readonly DiskMount[]): readonly string[] {
  const around = mounts.filter((mount) => isWithin(mount.path, path));
  const own = around.reduce<DiskMount | null>(
    (best, mount) => (best === null || mount.path.length >= best.path.length ? mount : best),
    null,
  );
  if (own === null) return [];
  const inside = join(own.root, relative(own.path, path));
  return mounts
    .filter(({ device, root }) => device === own.device && isWithin(root, inside))
    .map((mount) => join(mount.path, relative(mount.root, inside)))
    .filter((alias) => alias !== path);
}

/** `/host/run` where the root of the machine around a container is mounted at `/host`. */
function findForeignFolders(mounts: readonly DiskMount[]): readonly string[] {
  const roots = mounts.map(({ path }) => path).filter((path) => path !== "/" && isFolder(join(path, "usr/bin")));
  return roots
    .filter((root) => isFolder(join(root, "etc")))
    .flatMap((root) => [join(root, "run"), join(root, "var/run")])
    .filter(isFolder);
}

/** A link is none: it leads elsewhere on this machine. */
function isFolder(path: string): boolean {
  return readStats(path)?.isDirectory() ?? false;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
