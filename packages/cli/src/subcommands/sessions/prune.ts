/** `pith sessions prune`: old sessions into the trash, and only when somebody says so. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const prune: Subcommand = {
  name: "sessions prune",
  takes: "",
  count: { least: 0, most: 0 },
  says: "show which sessions have been silent for long; with --yes, move them into the trash",
  more: "How long is told by the newest entry of a session, never by its file alone. What is named, labelled or pinned stays.\nNothing is ever pruned by itself; each one is noted in trash/log.jsonl of Pith's home.",
  json: "{ isDone: false, olderThan, total, bytes, silent: [{ id, path, size, newest }], stays, trash }; with --yes { isDone: true, trashed, removed }",
  flags: {
    "older-than": { type: "string", takes: "AGE", says: "silent for so long, such as 90d, 12w or 1y (default: 90d)" },
    "dry-run": { type: "boolean", says: "only show it, as without --yes" },
    "empty-trash": { type: "boolean", says: "also what has lain in the trash for 30 days, for good" },
    yes: { type: "boolean", short: "y", says: "do it; needs --older-than" },
  },
  examples: [
    "pith sessions prune",
    "pith sessions prune --older-than 1y --dry-run",
    "pith sessions prune --older-than 1y --yes",
  ],
  run: async (call: Call): Promise<Outcome> => (await import("./pruning/pruned.ts")).pruned(call),
};
