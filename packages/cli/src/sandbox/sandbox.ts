/** Opens the sandbox of a session with its private folders, and says what commands in it see of the home and the environment. */

import { homedir } from "node:os";
import { join } from "node:path";
import type { DeniedPaths } from "@pith/agent";
import {
  type CommandSandbox,
  findCommandSandbox,
  openPrivateFolders,
  type PrivateFolders,
  removeUnusedFolders,
  type SandboxOptions,
} from "@pith/agent/node";
import type { Environment } from "@pith/models";
import { requireHeldSandbox } from "../policy/permitted-parts.ts";
import { keyVariables } from "../settings/keys.ts";
import type { Settings } from "../settings/settings.ts";
import { isInside } from "../trust/project-folders.ts";

/** What a sandbox needs to know of the program. */
export interface SandboxContext {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Settings;
}

export type OpenSandbox =
  | (Extract<CommandSandbox, { type: "available" | "runtime" }> & {
      readonly folders: PrivateFolders;
      /** Done beside everything else; never fails. */
      readonly cleaning: Promise<void>;
    })
  | Extract<CommandSandbox, { type: "unavailable" }>;

/** Where the sandbox runtime of macOS is installed, in Pith's home. */
export function runtimeFolder(home: string): string {
  return join(home, "sandbox-runtime");
}

export async function openSandbox(place: SandboxContext): Promise<OpenSandbox> {
  const { cwd: root, environment, choices } = place;
  if (choices.sandbox === "off") return { type: "unavailable", why: "it was switched off" };
  const folder = join(place.home, "sandbox");
  const found = await findCommandSandbox({
    environment,
    root,
    home: homedir(),
    runtimeFolder: runtimeFolder(place.home),
  });
  const here = requireHeldSandbox(choices.policy, found);
  if (here.type === "unavailable") return here;
  try {
    const folders = await openPrivateFolders({ folder, root, home: homedir(), environment });
    // What cannot be removed now is left to a later start.
    return { ...here, folders, cleaning: removeUnusedFolders(folder).catch(() => undefined) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "unavailable", why: `its private folders cannot be created: ${why}` };
  }
}

export async function closeSandbox(sandbox: OpenSandbox): Promise<void> {
  if (sandbox.type === "unavailable") return;
  await sandbox.cleaning;
  await sandbox.folders.close();
}

export interface BoxPlace extends SandboxContext {
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
  /** What rules deny, to commands too where they can be held to it. */
  readonly denied: DeniedPaths;
}

/** What commands may do, however they are held. */
export async function boxOf(folders: PrivateFolders, place: BoxPlace): Promise<Omit<SandboxOptions, "program">> {
  const { cwd: root, home, environment, choices, mayWrite, denied } = place;
  return {
    root,
    home: homedir(),
    privateHome: folders.home,
    fillHome: folders.fillHome,
    temporary: folders.temporary,
    journal: folders.journal,
    environment,
    network: null,
    unixSockets: choices.unixSockets === "on",
    mayWrite,
    withheld: await withheldVariables(place),
    hidden: [home, ...denied.unreadable],
    shown: [join(home, "skills")].filter((path) => !isUnseen(path, denied)),
    guarded: [home, ...denied.unwritable],
    readable: (choices.sandboxRead ?? []).map(withoutTilde),
    writable: (choices.sandboxWrite ?? []).map(withoutTilde),
  };
}

/** Folders of the settings that commands see where they are. */
export function shownFolders({ sandboxRead = [], sandboxWrite = [] }: Settings): readonly string[] {
  return [...sandboxRead, ...sandboxWrite].map(withoutTilde);
}

/** Keys of model providers are withheld whatever the settings say. */
async function withheldVariables({ environment, choices }: BoxPlace): Promise<readonly string[]> {
  const { findSecretVariables } = await import("@pith/context/secrets");
  const passed = choices.sandboxEnvironment ?? [];
  const secret = findSecretVariables(environment, choices.secrets?.also).filter((name) => !passed.includes(name));
  return [...keyVariables(), ...secret];
}

/** The scripts of a skill lie beside its text; who denied reading there denied them too. */
function isUnseen(path: string, { unreadable }: DeniedPaths): boolean {
  return unreadable.some((place) => path === place || isInside(place, path));
}

/** A path of the settings that may begin with `~/`. */
export function withoutTilde(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
