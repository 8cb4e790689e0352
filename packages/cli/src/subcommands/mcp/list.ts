/** `pith mcp list`: the servers of tools that count here. None is started for it. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const listServers: Subcommand = {
  name: "mcp list",
  takes: "",
  count: { least: 0, most: 0 },
  says: "the servers of tools that count here, and whether their tools are trusted; none is started",
  json: "{ servers: [{ name, how, from, state, trusted }] }",
  flags: {},
  examples: ["pith mcp list", "pith mcp list --json"],
  run: async (call: Call): Promise<Outcome> => (await import("../../mcp/calling/listed.ts")).listed(call),
};
