/** Defines what sub-agents need from their parent session, and tells whether this run has any. Loaded at every start, so it imports little. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Permissions } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";
import type { CliArgs } from "../args/args.ts";
import { type FolderTrust, listTrustedFiles } from "../trust/trust.ts";

/** What sub-agents need to know of the program. */
export interface SubAgentOptions {
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  /** The trusted files of the folder; absent: none. */
  readonly trustedFolder?: FolderTrust;
  /** Without it secrets are sent and kept as they are. */
  readonly vault?: Vault | null;
  /** Shows a notice to the user. */
  readonly notify?: (line: string) => void;
  /** What sub-agents inherit; absent: none is started. */
  readonly parentLimits?: ParentLimits;
}

/** For what a session starts, which may do no more than the session may at that moment. */
export interface ParentLimits extends Pick<CliArgs, "trustsProject"> {
  /** Those of the command line; of the tools those that count, whoever named them. */
  readonly overrides: CliArgs["overrides"];
  /** Known once the session is built; nothing is started before. */
  permissions: Permissions | null;
  /** Whom the address among the choices is for: a model or its provider. */
  baseUrlOwner: string | null;
}

/** A sub-agent starts no others. Asked at every start, so no file is read. */
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

/** The variable by which a sub-agent knows that it is one: it starts no others. */
export const DEPTH_VARIABLE = "PITH_SUBAGENT_DEPTH";
