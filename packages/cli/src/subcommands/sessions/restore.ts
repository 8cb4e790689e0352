/** `pith sessions restore`: back from the trash, or what lies there. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const restore: Subcommand = {
  name: "sessions restore",
  takes: "[TRASHED]",
  count: { least: 0, most: 1 },
  says: "bring a session back from the trash; without a word, show what lies there",
  more: "TRASHED is the beginning of an id, a folder of the trash, or last: what went there last.",
  json: "{ id, path }; without a word { trash: [{ id, path, from, folder, trashed, size }] }",
  flags: {},
  examples: ["pith sessions restore", "pith sessions restore last"],
  run: async (call: Call): Promise<Outcome> => (await import("./trashing/restored.ts")).restored(call),
};
