/** `pith trust`: see what a folder would make Pith do, and trust it, or not any more. */

import type { Subcommand } from "./subcommand.ts";

export const trust: Subcommand = {
  name: "trust",
  takes: "[FOLDER]",
  count: { least: 0, most: 1 },
  says: "show what this folder would make Pith do, and trust exactly that",
  json: "{ root, isTrusted, isChanged?, files: [{ kind, name, size, hash }], changes, unread, contextFiles }; with --revoke { root, isTrusted, wasTrusted }; with --list [{ root, trusted, files }]",
  flags: {
    show: { type: "boolean", says: "only show what it holds, and what changed since it was trusted" },
    yes: { type: "boolean", short: "y", says: "do not ask: trust what is shown" },
    revoke: { type: "boolean", says: "trust it no longer" },
    list: { type: "boolean", says: "all folders that are trusted" },
  },
  examples: [
    "pith trust --show",
    "pith trust",
    "pith trust --yes ~/work/site",
    "pith trust --revoke",
    "pith trust --list",
  ],
  async run(call) {
    const { trusting } = await import("../home/trust/trusting.ts");
    return await trusting(call);
  },
};
