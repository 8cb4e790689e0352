/** `pith sessions stats`: how many there are, how much room they take, what they have cost. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const stats: Subcommand = {
  name: "sessions stats",
  takes: "[SESSION]",
  count: { least: 0, most: 1 },
  says: "how many sessions there are, the room they take, and what they have cost, over all entries of all branches",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Without it, all sessions.",
  json: "{ sessions, damaged, bytes: { logs, blobs }, entries, messages, toolCalls, compactions, usage, biggest: [{ id, path, bytes, words, cost }] }",
  flags: {
    folder: { type: "string", takes: "FOLDER", says: "only those of this folder, or of a folder of sessions" },
  },
  examples: ["pith sessions stats", "pith sessions stats last", "pith sessions stats --folder . --json"],
  run: async (call: Call): Promise<Outcome> => (await import("./counting/summed.ts")).summed(call),
};
