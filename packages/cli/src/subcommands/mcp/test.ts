/** `pith mcp test`: whether a server of tools can be started or reached, and what it offers. Nothing is trusted by it. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const testServer: Subcommand = {
  name: "mcp test",
  takes: "NAME",
  count: { least: 1, most: 1 },
  says: "start a server of tools and show what it offers, or why it fails; nothing is trusted by it",
  json: "{ name, isTrusted, wasTrusted, tools: [NAME] }",
  flags: {},
  examples: ["pith mcp test github"],
  run: async (call: Call): Promise<Outcome> => (await import("../../mcp/calling/tested.ts")).tested(call),
};
