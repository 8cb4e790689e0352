/** Defines the options of a sandbox, the folders it treats specially, and path helpers for its files. */

import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";
import type { SandboxNetwork } from "../sandbox-network/network.ts";
import type { PermitGitSettings } from "./git-config.ts";
import type { CommandLimits } from "./limits.ts";
import type { Bubblewrap } from "./mounts.ts";

/** Options of the bubblewrap sandbox. */
export interface SandboxOptions {
  /** As `detectSandbox` found it. */
  readonly program: Bubblewrap;
  /** The workspace; absolute. Commands start in it. */
  readonly root: string;
  /** The user's home. Commands see `privateHome` in its place, with the toolchains that lie in the real one. */
  readonly home: string;
  /** An existing folder for this workspace only, outside of what commands see. They may always write in it. */
  readonly privateHome: string;
  /** Awaited before each command; prepares the private home. If it fails, the command does not run. */
  readonly fillHome?: () => Promise<void>;
  /** An existing folder for this session only. Commands see it as `/tmp` and `/var/tmp`, and may always write in it. */
  readonly temporary: string;
  /** The file that records placeholders in git folders before they are created, for cleaning up after a crash. Commands do not see it. */
  readonly journal: string;
  /** What happens to files that other programs run or trust, when a command makes them. */
  readonly caught: CatchOptions;
  /** The environment of commands, before `withheld` is removed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The network that commands share; null for none. */
  readonly network: SandboxNetwork | null;
  /** Whether commands may connect to unix sockets of the machine that they see; false by default. They always have their own. */
  readonly unixSockets?: boolean;
  /** The file that lists the machine's unix sockets; default: `/proc/net/unix`. */
  readonly socketList?: string;
  /** What one command may use; default: `defaultLimits`. */
  readonly limits?: CommandLimits;
  /** The cgroup in which each command gets one of its own; null for none. Default: as `findCgroupParent` finds it. */
  readonly cgroupParent?: string | null;
  /** How long a command that timed out has to end after SIGTERM; default: a second. */
  readonly timeoutGraceMs?: number;
  /** Whether commands may write in the workspace; called before each command. */
  readonly mayWrite: () => boolean;
  /** Asks the user about a change of a repository's settings that git could run a program by. Absent: such changes are refused. */
  readonly permitGitSettings?: PermitGitSettings | undefined;
  /** Names of variables that hold secrets. */
  readonly withheld?: readonly string[];
  /** Files and folders that no command sees. A hidden file is visible again once it is replaced. */
  readonly hidden?: readonly string[];
  /** Projects in which the program does not work: it sees neither them nor the folders beside them. */
  readonly otherProjects?: readonly string[];
  /** Paths in hidden folders that commands see read-only. */
  readonly shown?: readonly string[];
  /** Paths that no command may write, whether or not they exist. */
  readonly guarded?: readonly string[];
  /** Paths in the home, beside the workspace or in other hidden folders that commands see read-only. Known secrets stay hidden. */
  readonly readable?: readonly string[];
  /** Like `readable`, but writable for commands that may write in the workspace. */
  readonly writable?: readonly string[];
}

/** What happens to files that are caught. */
export interface CatchOptions {
  /** The folder to which caught files are moved, such as `~/.pith/caught`. Commands do not see it. */
  readonly folder: string;
  /** The file that lists the absent names while commands run, for a start after a crash. */
  readonly record: string;
  /** Whether a file may stay without a question. */
  readonly mayStay?: (path: string) => Promise<boolean>;
  /** Asks whether the files are put back. Without it they are not. */
  readonly ask?: AskToPutBack;
}

export type AskToPutBack = (
  question: CaughtQuestion,
) => Promise<{ readonly mayReturn: boolean; readonly why?: string }>;

export interface CaughtQuestion {
  /** Where the files were made; absolute. */
  readonly paths: readonly string[];
  /** What is special about them, such as a git setting that runs a program. */
  readonly remarks: readonly string[];
  /** The text of the file, if it is one short text. */
  readonly text?: string;
  /** The command line that made them. */
  readonly command: string;
  readonly signal: AbortSignal;
}

/** The temporary folders of a machine, as commands name them. */
export const TEMPORARY_FOLDERS: readonly string[] = ["/tmp", "/var/tmp"];

/** The name prefix of the folder for all temporary folders of a user, where the system's temporary folder is another one. */
export const SESSIONS_PREFIX = "pith-of-";

/** The folder with temporary folders of other sessions. In `/tmp` they are not visible anyway. */
export function otherSessionFolders({ temporary }: Pick<SandboxOptions, "temporary">): readonly string[] {
  const folder = dirname(temporary);
  return basename(folder).startsWith(SESSIONS_PREFIX) ? [folder] : [];
}

/** Folders with sockets of services that serve any client: container engines, D-Bus, key agents. */
export const SOCKET_FOLDERS: readonly string[] = ["/run", "/var/run"];

/** Paths that programs need although they may lead into hidden folders: DNS configuration, and on NixOS the programs themselves. */
export const NEEDED_PATHS: readonly string[] = ["/etc/resolv.conf", "/run/current-system", "/run/opengl-driver"];

/**
 * Null where the path does not exist, is not accessible or is relative; `resolveRealPath` also resolves missing paths. Synchronous, because
 * it is called hundreds of times for each command.
 */
export function resolveExistingPath(path: string): string | null {
  // Most paths do not exist, and an exception costs ten times as much as this check.
  if (!isAbsolute(path) || !existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

export function resolveExistingPaths(paths: readonly string[]): readonly string[] {
  return paths.map(resolveExistingPath).filter((path) => path !== null);
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
