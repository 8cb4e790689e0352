/** Defines what sub-agents need from their parent session, and checks whether any can exist. Loaded at every start, so it imports little. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Permissions } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import type { HostContext } from "@pith/host/host-context";
import { type FolderTrust, listTrustedFiles } from "@pith/host/trust/folder-trust";
import type { CostLimit } from "@pith/models";
import type { CliArgs } from "../args/args.ts";

export interface SubAgentOptions extends Pick<HostContext, "home" | "environment"> {
  /** Absent if no file of the folder is trusted. */
  readonly trustedFolder?: FolderTrust;
  /** Absent or null if secrets are not redacted. */
  readonly vault?: Vault | null;
  /** Shows a notice to the user. */
  readonly notify?: (line: string) => void;
  /** What sub-agents inherit. Absent if none can be started. */
  readonly parentLimits?: ParentLimits;
}

/** The limits of a session. A sub-agent may do no more than the session may when it is started. */
export interface ParentLimits {
  /** The hash of the project files that are trusted for this run only. Null if there are none. */
  readonly trustedHash: string | null;
  /** The maximum number of turns of each process. */
  readonly maxTurns?: number | undefined;
  /** What all processes together may cost. Null without a limit. */
  readonly costLimit: CostLimit | null;
  /** The overrides of the command line; `tools` is the effective list, also if it comes from the settings. */
  readonly overrides: CliArgs["overrides"];
  /** Null until the session is built. No sub-agent starts before that. */
  permissions: Permissions | null;
  /** The model or provider that `overrides.baseUrl` belongs to. */
  baseUrlOwner: string | null;
}

/** False in a sub-agent, which starts no others. Called at every start, so it reads no file. */
export function hasSubAgents({
  home,
  trustedFolder,
  environment,
}: Pick<SubAgentOptions, "home" | "trustedFolder" | "environment">): boolean {
  if (environment[DEPTH_VARIABLE] !== undefined) return false;
  return (
    existsSync(join(home, "agents")) ||
    (trustedFolder !== undefined && listTrustedFiles(trustedFolder, "agents").length > 0)
  );
}

/** The environment variable that marks a process as a sub-agent. */
export const DEPTH_VARIABLE = "PITH_SUBAGENT_DEPTH";
