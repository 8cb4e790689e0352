/** Defines where the program works and with which settings, what sub-agents inherit, and the ids of sub-agents. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentEventListener, AgentHooks, AskPermission, Extensions, ExtensionUi, Permissions } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";
import type { Wish } from "../args/args.ts";
import type { McpServers, Settings } from "../settings/settings.ts";
import { type TrustedFolder, trustedFiles } from "../trust/trust.ts";

export interface Place {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Settings;
  /** What of this folder counts; absent: nothing. */
  readonly trusted?: TrustedFolder;
  /** Without it secrets are sent and kept as they are. */
  readonly vault?: Vault | null;
  /** For people, while it works. */
  readonly note?: (line: string) => void;
  /** Told everything that happens. */
  readonly listen?: AgentEventListener;
  /** Who is asked before what is not simply permitted; absent: it is refused. */
  readonly ask?: AskPermission;
  readonly hooks?: AgentHooks;
  /** Where extensions ask and show; absent where nobody is there. */
  readonly ui?: ExtensionUi;
  /** Absent where there are none. */
  readonly extensions?: Extensions | null;
  /** Servers of tools that whoever calls brings along, beside those of the settings. */
  readonly mcpServers?: McpServers;
  /** For those that it starts; absent: it starts none. */
  readonly held?: Held;
  /** False: what is done may need no model, so that it is no mistake to have none. */
  readonly needsModel?: boolean;
}

/** For what a session starts, which may do no more than the session may at that moment. */
export interface Held extends Pick<Wish, "trusts"> {
  /** Those of the command line; of the tools those that count, whoever named them. */
  readonly choices: Wish["choices"];
  /** Known once the session is built; nothing is started before. */
  permissions: Permissions | null;
  /** Whom the address among the choices is for: a model or its provider. */
  addressee: string | null;
}

const END = "-subagent";

/** Also the id of its session: short, because ids are shown by their beginning, and recognised by its end. */
export function newSubAgentId(): string {
  return `${crypto.randomUUID().slice(0, 8)}${END}`;
}

export function isOfSubAgent(sessionId: string): boolean {
  return sessionId.endsWith(END);
}

/** A sub-agent starts no others. Asked at every start, so no file is read. */
export function areWantedHere({ home, trusted, environment }: Place): boolean {
  if (environment[DEPTH] !== undefined) return false;
  return existsSync(join(home, "agents")) || (trusted !== undefined && trustedFiles(trusted, "agents").length > 0);
}

/** The variable by which a sub-agent knows that it is one: it starts no others. */
export const DEPTH = "PITH_SUBAGENT_DEPTH";
