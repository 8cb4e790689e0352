/** `pith sessions show`: what was said and done in a session, to read. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const show: Subcommand = {
  name: "sessions show",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "what was said and done in a session, each with the id of its entry",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder.",
  json: "{ id, path, cwd, name, created, leaf, before, entries: [entry] } (before: the entry above them, or null); with --tree { …, nodes: [{ id, kind, words, label?, isOnBranch, isLeaf, isSide }] }; with --entry the entry",
  flags: {
    tail: { type: "string", takes: "N", says: "the last N entries (default: 30; 0 for all)" },
    entry: { type: "string", takes: "ID", says: "this entry alone, whole" },
    branch: { type: "string", takes: "ID", says: "the branch that ends with this entry, instead of the active one" },
    tree: { type: "boolean", says: "all branches, as a tree of what was asked" },
    folder: { type: "string", takes: "FOLDER", says: "look for the session here, such as in pi's folder of sessions" },
  },
  examples: ["pith sessions show last", "pith sessions show last --tree", "pith sessions show last --tail 5 --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./showing/shown-session.ts")).shownSession(call),
};
