/** Opens the sandbox of a session with its private folders, and decides which files and variables sandboxed commands see. */

import { join } from "node:path";
import type { DeniedPaths } from "@pith/agent";
import {
  BYTES_PER_GB,
  type CatchOptions,
  type CommandLimits,
  type CommandSandbox,
  cleanUpEndedSessions,
  defaultLimits,
  findCommandSandbox,
  type MovedName,
  openPrivateFolders,
  type PrivateFolders,
  removeUnusedFolders,
  type SandboxOptions,
} from "@pith/agent/node";
import type { HostContext } from "../host-context.ts";
import { requireRootOwnedSandbox } from "../policy/permitted-parts.ts";
import { listKeyVariables } from "../settings/provider-keys.ts";
import type { Settings } from "../settings/settings.ts";
import { expandTilde } from "../text/shell-words.ts";
import { isInside } from "../trust/project-files.ts";

export type OpenSandbox =
  | (Extract<CommandSandbox, { type: "available" | "runtime" }> & {
      readonly folders: PrivateFolders;
      /** Removes unused folders in the background, and catches what commands of killed processes left. Never rejects. */
      readonly cleanup: Promise<readonly MovedName[]>;
    })
  | Extract<CommandSandbox, { type: "unavailable" }>;

/** The folder in Pith's home in which the sandbox runtime for macOS is installed. */
export function runtimeFolderPath(home: string): string {
  return join(home, "sandbox-runtime");
}

/** The folder with files that commands made and that other programs run or trust. */
export function caughtFolderPath(home: string): string {
  return join(home, "caught");
}

export async function openSandbox(options: HostContext): Promise<OpenSandbox> {
  const { cwd: root, userHome, environment, settings } = options;
  if (settings.sandbox === "off") return { type: "unavailable", why: "it is turned off" };
  const folder = join(options.home, "sandbox");
  const detectedSandbox = await findCommandSandbox({
    environment,
    root,
    home: userHome,
    runtimeFolder: runtimeFolderPath(options.home),
  });
  const sandbox = requireRootOwnedSandbox(settings.policy, detectedSandbox);
  if (sandbox.type === "unavailable") return sandbox;
  try {
    const folders = await openPrivateFolders({ folder, root, home: userHome, environment });
    // A folder that cannot be removed now is removed at a later start.
    return { ...sandbox, folders, cleanup: cleanUp(folder, options.home).catch(() => []) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { type: "unavailable", why: `its private folders cannot be created: ${reason}` };
  }
}

async function cleanUp(folder: string, home: string): Promise<readonly MovedName[]> {
  const moved = await cleanUpEndedSessions(folder, caughtFolderPath(home));
  await removeUnusedFolders(folder);
  return moved;
}

export async function closeSandbox(sandbox: OpenSandbox): Promise<void> {
  if (sandbox.type === "unavailable") return;
  await sandbox.cleanup;
  await sandbox.folders.close();
}

export interface BuildSandboxOptions extends HostContext {
  /** Whether commands may write in the workspace. Called before each command. */
  readonly mayWrite: () => boolean;
  /** The denied paths, which the sandbox also closes to commands. */
  readonly deniedPaths: DeniedPaths;
  /** Who decides about files that other programs run and that a command made. */
  readonly caught: Pick<CatchOptions, "mayStay" | "ask">;
}

/** Builds the options that all kinds of sandbox share. */
export async function buildSandboxOptions(
  folders: PrivateFolders,
  options: BuildSandboxOptions,
): Promise<Omit<SandboxOptions, "program">> {
  const { cwd: root, home, userHome, environment, settings, mayWrite, deniedPaths } = options;
  return {
    root,
    home: userHome,
    privateHome: folders.home,
    fillHome: folders.fillHome,
    temporary: folders.temporary,
    journal: folders.journal,
    caught: { folder: caughtFolderPath(home), record: folders.absentNames, ...options.caught },
    environment,
    network: null,
    unixSockets: settings.unixSockets === "on",
    limits: buildLimits(settings),
    mayWrite,
    withheld: await findWithheldVariables(options),
    hidden: [home, ...deniedPaths.unreadable],
    shown: [join(home, "skills")].filter((path) => !isUnreadable(path, deniedPaths)),
    guarded: [home, ...deniedPaths.unwritable],
    readable: (settings.sandboxRead ?? []).map((path) => expandTilde(path, userHome)),
    writable: (settings.sandboxWrite ?? []).map((path) => expandTilde(path, userHome)),
  };
}

export type LimitSetting = "sandboxMemoryGB" | "sandboxProcesses" | "sandboxTmpGB";

/** What one command may use, by the settings. */
export function buildLimits(settings: Pick<Settings, LimitSetting>): CommandLimits {
  const limits = defaultLimits();
  const { sandboxMemoryGB, sandboxProcesses, sandboxTmpGB } = settings;
  return {
    memoryBytes: sandboxMemoryGB === undefined ? limits.memoryBytes : sandboxMemoryGB * BYTES_PER_GB,
    processes: sandboxProcesses ?? limits.processes,
    temporaryBytes: sandboxTmpGB === undefined ? limits.temporaryBytes : sandboxTmpGB * BYTES_PER_GB,
  };
}

/** The folders from the settings that commands see at their real paths. */
export function listVisibleFolders(
  { sandboxRead = [], sandboxWrite = [] }: Settings,
  userHome: string,
): readonly string[] {
  return [...sandboxRead, ...sandboxWrite].map((path) => expandTilde(path, userHome));
}

/** Always includes the keys of model providers; the settings cannot change this. */
async function findWithheldVariables({ environment, settings }: BuildSandboxOptions): Promise<readonly string[]> {
  const { findSecretVariables } = await import("@pith/context/secrets");
  const passedNames = settings.sandboxEnvironment ?? [];
  const secretNames = findSecretVariables(environment, settings.secrets?.also).filter(
    (name) => !passedNames.includes(name),
  );
  return [...listKeyVariables(), ...secretNames];
}

/** A rule that denies reading the skills folder also hides the skills' scripts from commands. */
function isUnreadable(path: string, { unreadable }: DeniedPaths): boolean {
  return unreadable.some((folder) => path === folder || isInside(folder, path));
}
