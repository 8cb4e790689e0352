/** Lists the extensions that the program contains, besides the one for MCP servers. */

import type { BundledExtension } from "@pith/host/extensions/extensions";
import { hasSubAgents, type SubAgentOptions } from "../sub-agents/sub-agent-options.ts";

export function listBundledExtensions(options: SubAgentOptions): readonly BundledExtension[] {
  return [
    {
      name: "sub-agents",
      isWanted: hasSubAgents(options),
      load: async () => (await import("../sub-agents/extension.ts")).createSubAgentsExtension(options),
    },
  ];
}
