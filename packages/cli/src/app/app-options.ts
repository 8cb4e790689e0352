/** Defines what an app is built from: where it runs, with which settings, and what the mode hands in. */

import type { AgentHooks, AskPermission, Extensions, RunCostLimit } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import type { ExtensionOptions } from "@pith/host/extensions";
import type { FolderTrust } from "@pith/host/trust";
import type { RequestLimit } from "@pith/models";
import type { SubAgentOptions } from "../sub-agents/sub-agent-options.ts";

export interface AppOptions extends ExtensionOptions, SubAgentOptions {
  readonly trustedFolder?: FolderTrust;
  readonly vault?: Vault | null;
  /** Asks the user before a call that needs permission; absent: such a call is refused. */
  readonly askPermission?: AskPermission;
  readonly hooks?: AgentHooks;
  /** Asked before every request to a model. Absent without a limit. */
  readonly costLimit?: (RunCostLimit & RequestLimit) | undefined;
  /** Absent without extensions. */
  readonly extensions?: Extensions | null;
  /** False if the work may need no model: then a missing model is no error. */
  readonly needsModel?: boolean;
}
