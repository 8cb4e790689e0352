/** `pith extensions list`: what is loaded in this folder, where it comes from, and what it can do. */

import type { Subcommand } from "../subcommand.ts";

export const listExtensions: Subcommand = {
  name: "extensions list",
  takes: "",
  count: { least: 0, most: 0 },
  says: "the extensions of this folder, where each comes from, and what it can do",
  json: "{ extensions: [{ name, from, events, tools, commands, states, rules, writes }], notes }",
  flags: { trust: { type: "boolean", says: "let this folder's own extensions count in this call" } },
  examples: ["pith extensions list", "pith extensions list --json"],
  run: async (call) => (await import("../../extending/keeping/listed.ts")).listed(call),
};
