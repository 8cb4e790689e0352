/** Opens the agent of a hosted session, with the tools, permissions and sandbox of `pith`. */

import { join } from "node:path";
import type { Tool } from "@pith/agent";
import { originalsFolder } from "@pith/agent/node";
import { type BuildAgentOptions, buildAgent, createVault, openLocalWorkspace } from "@pith/host";
import type { FlagRules } from "@pith/host/permissions";
import type { HeldSession, OpenAgent, OpenedAgent } from "../runs/session-run.ts";
import type { Database } from "../store/connect.ts";
import { PostgresBlobs } from "../store/postgres-blobs.ts";
import { createSearch } from "../store/postgres-search.ts";
import { openDecisionLog } from "../tenants/audit.ts";
import { createFolders } from "./folders.ts";

/** What belongs to a tenant. */
export interface TenantConfiguration {
  readonly settings: BuildAgentOptions["settings"];
  /** The keys of model providers. */
  readonly keys: NonNullable<BuildAgentOptions["keys"]>;
  /** Public hosts that commands and `fetch` reach without a question. */
  readonly hosts?: readonly string[];
  /** A text at the end of the system prompt. */
  readonly instructions?: string | undefined;
}

/** Options of `createAgentOpener`. */
export interface AgentOpenerOptions {
  readonly database: Database;
  /** The folder for the workspaces and homes of all tenants. All workers need the same, and nothing else may be in it. */
  readonly folder: string;
  /** The variables that commands see, such as `PATH`. */
  readonly environment: BuildAgentOptions["environment"];
  /** Called at each start of a run. If it rejects, the run ends, and the log says why. */
  readonly readTenant: (tenant: string) => Promise<TenantConfiguration>;
  /** Tools besides Pith's. */
  readonly tools?: readonly Tool[];
  /** Replaces Pith's system prompt. */
  readonly systemPrompt?: string;
  /** Permission rules of all tenants. */
  readonly rules?: FlagRules;
  /** How long a question of a running command waits before it counts as a no. Default: 60 seconds. */
  readonly commandQuestionTimeoutMs?: number;
}

const COMMAND_QUESTION_MS = 60_000;

/** Agents use nothing outside their workspaces, whatever their users answer. Without a sandbox they run no commands. */
export function createAgentOpener(options: AgentOpenerOptions): OpenAgent {
  return async (session) => await openAgent(session, options);
}

async function openAgent(held: HeldSession, options: AgentOpenerOptions): Promise<OpenedAgent> {
  const { database, environment, readTenant, commandQuestionTimeoutMs = COMMAND_QUESTION_MS } = options;
  const { store, ask, onEvent } = held;
  const { settings, keys, hosts = [], instructions } = await readTenant(held.tenant);
  const folders = await createFolders(held, options.folder);
  const context = { ...folders, environment, settings };
  const vault = await createVault({ ...context, keys });
  const workspace = openLocalWorkspace(context);
  const decisions = openDecisionLog(database, held);
  const built = await buildAgent({
    ...{ ...context, workspace, keys, vault },
    storage: {
      store,
      blobs: new PostgresBlobs(database, store.session),
      originals: originalsFolder(join(folders.home, "restore")),
      search: createSearch(database, store.session, { redaction: vault ?? NO_REDACTION }),
    },
    user: { ask, onEvent },
    permissions: {
      outside: "none",
      commandQuestionTimeoutMs,
      flagRules: joinRules(options.rules, hosts),
      audit: decisions.record,
    },
    ...(options.tools && { tools: options.tools }),
    agent: {
      ...(options.systemPrompt !== undefined && { customPrompt: options.systemPrompt }),
      ...(instructions !== undefined && { appendedPrompt: instructions }),
    },
  });
  if (built.type === "failed") {
    await workspace.close();
    throw new Error(built.message);
  }
  return {
    agent: built.agent,
    close: async () => {
      await built.agent.close();
      await built.close();
      await workspace.close();
      await decisions.close();
    },
  };
}

const NO_REDACTION = { redact: <Value>(value: Value): Value => value };

/** The rules for hosts do not open private addresses: only `fetchHosts` of the settings does. */
function joinRules({ allow, deny }: FlagRules = { allow: [], deny: [] }, hosts: readonly string[]): FlagRules {
  return { allow: [...allow, ...hosts.map((host) => `network(${host})`)], deny };
}
