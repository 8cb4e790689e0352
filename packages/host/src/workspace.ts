/** Defines the workspace of an agent: a folder of this machine, and the sandbox in which its commands run. */

import type { DeniedPaths, Sandbox, WorkspaceShell } from "@pith/agent";
import type { CatchPermissions } from "./sandbox/caught.ts";
import type { GitSettingsPermissions } from "./sandbox/git-settings.ts";

/** Implemented with bubblewrap by `openLocalWorkspace`. A container or a virtual machine mounts the folder and implements it, too. */
export interface Workspace {
  readonly folder: string;
  /** The home folder of its user: `~` in paths. */
  readonly userHome: string;
  /** Whether commands run in a sandbox. */
  readonly sandbox: Promise<SandboxStatus>;
  /** Opens the shell of the tool `bash`. */
  openShell(options: OpenShellOptions): Promise<OpenShellResult>;
  /** Removes what belongs to the sandbox. The shells must be closed. */
  close(): Promise<void>;
}

export type SandboxStatus =
  | {
      readonly type: "available";
      /** The folder for the temporary files of commands. */
      readonly temporaryFolder: string;
      /** Whether commands see this folder as `/tmp`. */
      readonly isMounted: boolean;
    }
  | { readonly type: "unavailable"; readonly why: string; readonly advice?: string };

export interface OpenShellOptions {
  /** Decides about hosts, ports, and files that a command makes. */
  readonly permissions: CatchPermissions & GitSettingsPermissions;
  /** Whether commands may write in the folder. Called before each command. */
  readonly mayWrite: () => boolean;
  /** The denied paths, which the sandbox also closes to commands. */
  readonly deniedPaths: DeniedPaths;
}

export interface OpenShellResult {
  readonly shell: WorkspaceShell;
  /** What the sandbox does and how to leave it. Absent if the shell has none. */
  readonly sandbox?: Sandbox;
  /** Notices for the user. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}
