/** Defines what a sandbox is made from. */

import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";
import type { SandboxNetwork } from "../sandbox-network/network.ts";
import type { Bubblewrap } from "./mounts.ts";

export interface SandboxOptions {
  /** As `detectSandbox` found it. */
  readonly program: Bubblewrap;
  /** The workspace; absolute. Commands start in it. */
  readonly root: string;
  /** The user's home. Commands see `privateHome` in its place, with the toolchains that lie in the real one. */
  readonly home: string;
  /** An existing folder of this workspace alone, outside of what commands see; they may always write in it. */
  readonly privateHome: string;
  /** Awaited before each command: what the home needs and the first command waits for. A command whose home is not ready does not run. */
  readonly fillHome?: () => Promise<void>;
  /** An existing folder of this session alone. Commands see it as `/tmp` and `/var/tmp`, and may always write in it. */
  readonly temporary: string;
  /** The file in which names that a sandbox creates are noted first, for whoever comes after a crash; commands do not see it. */
  readonly journal: string;
  /** All that commands see of the environment, but for what is withheld. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The network that commands share; null where they have none. */
  readonly network: SandboxNetwork | null;
  /** Whether commands may make unix sockets, and so reach the services whose socket files they see; not unless said. */
  readonly unixSockets?: boolean;
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
  /** Names of variables that hold secrets. */
  readonly withheld?: readonly string[];
  /** Files and folders that no command sees. Of a folder also what is made in it later; a file only as long as nobody replaces it. */
  readonly hidden?: readonly string[];
  /** What of a hidden folder commands do see, and only read. */
  readonly shown?: readonly string[];
  /** What no command writes, wherever it lies and whether or not it is there. */
  readonly guarded?: readonly string[];
  /** Files and folders of the home, or of other hidden places, that commands see and only read. Known places of secrets stay hidden. */
  readonly readable?: readonly string[];
  /** The same, to be written by commands that may write in the workspace. */
  readonly writable?: readonly string[];
}

/** The temporary folders of a machine, as commands name them. */
export const TEMPORARY_FOLDERS: readonly string[] = ["/tmp", "/var/tmp"];

/** How a folder is called, outside of those, in which all sessions of a user have their temporary folders. */
export const SESSIONS_PREFIX = "pith-of-";

/** Where other sessions have their temporary folders, outside of `/tmp`; there they are not seen anyway. */
export function otherSessionFolders({ temporary }: Pick<SandboxOptions, "temporary">): readonly string[] {
  const folder = dirname(temporary);
  return basename(folder).startsWith(SESSIONS_PREFIX) ? [folder] : [];
}

/** Sockets of services that do things for whoever asks: the container engine, the buses, agents with keys. */
export const SOCKET_FOLDERS: readonly string[] = ["/run", "/var/run"];

/** The few things in there that every program needs: how names are found, and on some systems the programs themselves. */
export const NEEDED_SOCKET_PATHS: readonly string[] = ["/etc/resolv.conf", "/run/current-system", "/run/opengl-driver"];

/**
 * Synchronous, because it is called by the hundred. Unlike `resolveRealPath` it follows only what exists. Null where there is nothing, or nothing
 * one may look at. A path that is not absolute leads nowhere.
 */
export function existingRealPath(path: string): string | null {
  // Asked first, because most of what is looked for is not there, and an error costs ten times as much as the look.
  if (!isAbsolute(path) || !existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function existingRealPaths(paths: readonly string[]): readonly string[] {
  return paths.map(existingRealPath).filter((path) => path !== null);
}

/** Lists a folder; empty if it does not exist, is not a folder or cannot be read. */
export function readFolderEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function readFolderNames(folder: string): readonly string[] {
  return readFolderEntries(folder).map(({ name }) => name);
}
