/** `pith mcp trust`: the tools of a server, shown as they are now, and trusted exactly so. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const trustServer: Subcommand = {
  name: "mcp trust",
  takes: "NAME",
  count: { least: 1, most: 1 },
  says: "start a server of tools, show what it offers and what changed, and trust exactly that",
  json: "{ name, isTrusted, wasTrusted, tools: [NAME] }",
  flags: { yes: { type: "boolean", short: "y", says: "do not ask: trust what is shown" } },
  examples: ["pith mcp trust github", "pith mcp trust github --yes"],
  run: async (call: Call): Promise<Outcome> => (await import("../../mcp/calling/trusted.ts")).trusted(call),
};
