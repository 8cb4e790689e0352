/** Where the program works, and by which settings. */

import type { AgentHooks, Ask, Extensions, ExtensionUi, Listen } from "@pith/agent";
import type { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";
import type { Settings } from "./home/settings.ts";
import type { TrustedFolder } from "./home/trust/trusted-folder.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import type { Held } from "./sub-agents/held.ts";

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
  readonly listen?: Listen;
  /** Who is asked before what is not simply permitted; absent: it is refused. */
  readonly ask?: Ask;
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
