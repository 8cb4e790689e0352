/** Defines what a sandbox is made from, and finds the folders in which its commands may write. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isWithin } from "../../text.ts";

/** The program that makes it. */
export interface Bubblewrap {
  readonly path: string;
  /** What keeps a command apart, as far as this version knows it. */
  readonly apart: readonly string[];
}

export interface Box {
  /** As `sandboxHere` found it. */
  readonly program: Bubblewrap;
  /** The workspace; absolute. Commands start in it. */
  readonly root: string;
  readonly home: string;
  /** All that commands see of the environment, but for what is withheld. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether commands reach the network, and with it whatever listens on this machine. */
  readonly network: boolean;
  /** Whether commands may make unix sockets, and so reach the services whose socket files they see; not unless said. */
  readonly unixSockets?: boolean;
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
  /** Names of variables that hold keys of model providers. */
  readonly withheld?: readonly string[];
  /** Files and folders that no command sees. Of a folder also what is made in it later; a file only as long as nobody replaces it. */
  readonly hidden?: readonly string[];
  /** What of a hidden folder commands do see, and only read. */
  readonly shown?: readonly string[];
  /** What no command writes, wherever it lies and whether or not it is there. */
  readonly guarded?: readonly string[];
  readonly extraWritable?: readonly string[];
  /** Where everybody may write, as it is when the shell is made; the temporary folders of the machine, unless told otherwise. */
  readonly temporary?: readonly string[];
}

/** Within the home: what package managers keep for the next build, folder by folder. Beside them lie programs, and scripts that shells begin with. */
export const CACHES: readonly string[] = [
  ".bun/install/cache",
  ...["ccache", "composer", "deno", "go-build", "golangci-lint", "node-gyp", "pip"].map((name) => `.cache/${name}`),
  ...["pnpm", "sccache", "typescript", "uv", "yarn", "zig"].map((name) => `.cache/${name}`),
  ".cargo/git",
  ".cargo/registry",
  ".gradle/caches",
  ".ivy2/cache",
  ".local/share/pnpm/store",
  ".m2/repository",
  ".npm",
  ".nuget/packages",
  ".pnpm-store",
  ".yarn/berry/cache",
  "go/pkg",
];

export const TEMPORARY: readonly string[] = ["/tmp", "/var/tmp"];

/** Sockets of services that do things for whoever asks: the container engine, the buses, agents with keys. */
export const SOCKET_FOLDERS: readonly string[] = ["/run", "/var/run"];

/** The few things in there that every program needs: how names are found, and on some systems the programs themselves. */
export const NEEDED_AMONG_SOCKETS: readonly string[] = [
  "/etc/resolv.conf",
  "/run/current-system",
  "/run/opengl-driver",
];

/** Variables that name such a socket, wherever it is. */
export const SOCKET_VARIABLES: readonly string[] = [
  "DBUS_SESSION_BUS_ADDRESS",
  "DOCKER_HOST",
  "SSH_AUTH_SOCK",
  "TMUX",
  "VSCODE_IPC_HOOK_CLI",
];

/**
 * Synchronous, because it is called by the hundred. Unlike `realPath` it follows only what exists. Null where there is nothing, or nothing
 * one may look at. A path that is not absolute leads nowhere.
 */
export function presentPath(path: string): string | null {
  // Asked first, because most of what is looked for is not there, and an error costs ten times as much as the look.
  if (!isAbsolute(path) || !existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function presentPaths(paths: readonly string[]): readonly string[] {
  return paths.map(presentPath).filter((path) => path !== null);
}

export interface Writable {
  readonly temporary: readonly string[];
  /** Of packages; for commands that may write in the workspace. */
  readonly caches: readonly string[];
}

type Place = Pick<Box, "home" | "environment" | "temporary" | "extraWritable">;

/** Called once, before any command could have put a link there. Whatever a variable or a setting says, never all there is. */
export function writableOf({ home, environment, temporary, extraWritable = [] }: Place): Writable {
  const named = temporary ?? [...TEMPORARY, environment.TMPDIR ?? "/tmp"];
  const caches = [...CACHES.map((name) => join(home, name)), ...extraWritable];
  return {
    temporary: named.flatMap((path) => temporaryFolder(path, presentPath(home) ?? home) ?? []),
    caches: presentPaths(caches).filter((path) => path !== "/"),
  };
}

/** Null where it is not there, belongs to somebody else, or leads into the home though its name does not say so. */
function temporaryFolder(path: string, home: string): string | null {
  const real = presentPath(path);
  if (real === null || isWithin(real, home)) return null;
  if (isWithin(home, real) && real !== path) return null;
  const entry = statSync(real, { throwIfNoEntry: false });
  const isOurs = entry?.uid === 0 || entry?.uid === process.getuid?.();
  return entry?.isDirectory() && isOurs ? real : null;
}
